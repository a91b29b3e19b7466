//! Crashes of processes.
//!
//! A crash ends a process at once, so no poll shows anything of it: it is an edge from each local state to the end of the
//! unit. What the process is when it starts again is a unit of its own, an *incarnation*, with the same program: nothing but
//! what lies outside of its memory is left of the one before, so the incarnation is the same whenever the crash was. Sockets,
//! isolated tasks, ephemeral ports and random numbers follow from units, so those of two incarnations differ.

use crate::id::{NodeId, UnitId};
use crate::operation::{Begun, Effect, Input, Outcome, tasks};
use crate::unit::automaton::{Edge, EdgeId};
use crate::unit::learn::Learner;
use crate::unit::program::Program;
use smallvec::SmallVec;
use std::rc::Rc;

impl Learner {
    /// Adds the unit as which a process starts again when `before` has crashed.
    pub(crate) fn add_incarnation(&mut self, before: UnitId, unit: UnitId, program: Rc<Program>) {
        let root = self.add_program_that(tasks::Operation::Restart, unit, program);
        self.incarnations.insert(before, (unit, root));
    }

    /// Records the crash of a process in a local state.
    pub(super) fn record_crash(&mut self, node: NodeId, input: Input) -> EdgeId {
        let returns = matches!(self.automata.outcome(input.outcome), Outcome::Crashed { returns: true, .. });
        let next = self.incarnations.get(&self.automata.node(node).unit).copied().filter(|_| returns);
        let effect = tasks::Effect::Crash { next: next.map(|(unit, _)| unit) };
        let roots: SmallVec<_> = next.into_iter().collect();
        let (effects, begun) = (Box::new([Effect::Tasks(effect)]), Begun::default());
        let (target, event) = (NodeId::GONE, None);
        self.automata.add_edge(Edge { source: node, input, target, effects, roots, event, begun })
    }
}
