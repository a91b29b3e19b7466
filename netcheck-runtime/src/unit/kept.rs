//! Parts of a run that a check keeps beyond its end: the programs of the isolated tasks that it spawns, and the value that it
//! ends with where something is shown it.
//!
//! Everything that a run has made is memory of its arena, and no arena is used again while any of its memory is live.
//! There are a few thousand arenas, for all checks of a process, and one check may come to more ends and spawns. So
//! what is kept is made by another run of the same history, whose heap is no arena. That run is suspended, too: where
//! the program goes on from there and something is kept again, it goes on as well, so that a server which spawns a task
//! for each connection is not run from its beginning for each.

use crate::id::NodeId;
use crate::unit::automaton::{Edge, EdgeId, NodeKind};
use crate::unit::instance::{Instance, Rest};
use crate::unit::learn::{Diagnostic, Learner};
use crate::unit::program::Program;

impl Learner {
    /// Makes what is kept of a step that was just learned by a run that has an arena.
    pub(super) fn keep(&mut self, root: NodeId, program: &Program, edge: EdgeId) -> Result<(), Diagnostic> {
        let Edge { source, input, target, ref roots, .. } = *self.automata.edge(edge);
        let unit = self.automata.node(root).unit;
        let output = match self.automata.node(target).kind {
            NodeKind::Ended { output } if self.shared.lacks_value(unit, output) => Some(output),
            _ => None,
        };
        if roots.is_empty() && output.is_none() {
            return Ok(());
        }
        let roots = roots.clone();
        let poll = self.automata.poll(source, input);
        let (keeper, steps) = self.keepers.nearest(&self.automata, poll[0].0);
        let new = || self.keepers.new_run(Instance::without_arena(unit, root, &self.shared));
        let mut run = keeper.unwrap_or_else(new);
        let instance = &mut run.instance;
        self.replay(instance, program, &steps)?;
        let stepped = self.follow(instance, program, &poll)?;
        self.polls += std::mem::take(&mut instance.polls);
        if let (Some(output), Rest::Ended { value, .. }) = (output, stepped.rest) {
            self.shared.keep_value(output, value);
        }
        for ((_, root), (_, program)) in roots.into_iter().zip(stepped.spawned) {
            self.programs.insert(root, program);
        }
        if stepped.alive && self.automata.node(target).from == Some((source, input)) {
            self.keepers.put(target, run);
        }
        Ok(())
    }
}
