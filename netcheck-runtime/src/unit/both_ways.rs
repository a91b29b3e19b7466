//! A sample of what was merged is run both ways.
//!
//! Histories that lead to one local state must have one future. That is argued where they are identified (`identity`),
//! but a program can break what the argument takes for granted: by a `Hash` that leaves something out, by a static, or by
//! tasks that share what is not tracked. So at first each edge of a node with several histories, and later one in many, is
//! run again in other histories of the node. A difference is an error that says where it was seen.

use crate::id::{NodeId, UnitId};
use crate::operation::{Input, Offer, OperationKey};
use crate::unit::automaton::{Edge, EdgeId, NodeKind};
use crate::unit::identity::memory::ImageId;
use crate::unit::learn::{Diagnostic, Learner};
use crate::unit::panics::Cause;
use crate::unit::pool::Run;
use crate::unit::program::Program;
use crate::unit::shared::Modes;
use crate::unit::wording;
use std::rc::Rc;

/// The histories by which an edge is tried that is the sample of all others.
const WAYS_TRIED: usize = 4;

/// The edges of a node that are tried at the most when another history has led to it. A node to which a chain of others
/// leads again and again has ever more edges.
const KNOWN_EDGES_TRIED: usize = 64;

/// The number of rounds in which a closed loop is tried.
const ROUNDS_TRIED: usize = 16;

impl Learner {
    /// Runs edges that a node had before another history was merged into it once more, in that history; but for polls
    /// that are known not to return.
    pub(super) fn try_known_edges(&mut self, root: NodeId, node: NodeId) -> Result<(), Diagnostic> {
        if !self.merged.can_pay(self.polls) {
            return Ok(());
        }
        let known = self.automata.edges_of(node).len();
        let first = if known > KNOWN_EDGES_TRIED { self.merged.draw(known) } else { 0 };
        let edges = self.automata.edges_of(node);
        let edges: Vec<EdgeId> = edges.clone().skip(first).chain(edges).take(known.min(KNOWN_EDGES_TRIED)).collect();
        // A program has no part in a crash, and is not polled.
        let is_stuck = |kind: &NodeKind| matches!(kind, NodeKind::Panicked(panic) if panic.cause == Cause::Stuck);
        for edge in edges {
            let edge_is_taken = {
                let edge = self.automata.edge(edge);
                !edge.is_refused()
                    && edge.input.key != OperationKey::CRASH
                    && !is_stuck(&self.automata.node(edge.target).kind)
            };
            if edge_is_taken && self.merged.is_due(self.polls) {
                self.try_another_order(root, edge, false)?;
            }
        }
        Ok(())
    }

    /// If an edge closes a loop in its own history, runs the loop many times.
    pub(super) fn try_many_rounds(&mut self, root: NodeId, edge: EdgeId) -> Result<(), Diagnostic> {
        if !self.merged.is_loop_due(self.polls) {
            return Ok(());
        }
        let target = self.automata.edge(edge).target;
        let mut steps = self.automata.history_with(edge);
        let Some(from) = steps.iter().position(|&(at, _)| at == target) else { return Ok(()) };
        let round = steps[from..].to_vec();
        (1..ROUNDS_TRIED).for_each(|_| steps.extend_from_slice(&round));
        self.try_history(root, &steps)
    }

    /// Runs an edge once more in another history that was merged into its source: if tasks share something that is not
    /// tracked, the result differs. `is_tried`: the edge was learned, or tried, in the recorded history of its source.
    pub(super) fn try_another_order(&mut self, root: NodeId, edge: EdgeId, is_tried: bool) -> Result<(), Diagnostic> {
        let Edge { source, input, .. } = *self.automata.edge(edge);
        let steps = self.automata.history_with(edge);
        if self.shared.modes.remembers {
            // The same way twice would tell no more.
            let mut known = if is_tried { vec![steps] } else { Vec::new() };
            for _ in 0..WAYS_TRIED {
                if !self.merged.can_pay(self.polls) {
                    break;
                }
                let mut steps = self.merged.another_way(&self.automata, source);
                steps.push((source, input));
                if !known.contains(&steps) {
                    self.try_history(root, &steps)?;
                    known.push(steps);
                }
            }
            return Ok(());
        }
        let others = (0..steps.len()).rev().find_map(|index| Some((index, self.merged.arrival(steps[index].0)?)));
        let Some((index, (before, arrival))) = others else { return Ok(()) };
        let (_, mut other) = self.automata.history(before);
        other.push((before, arrival));
        other.extend_from_slice(&steps[index..]);
        self.try_history(root, &other)
    }

    /// Runs an edge once more in the recorded history of its source, because it was learned in another one that was
    /// merged.
    pub(super) fn try_recorded_order(&mut self, root: NodeId, edge: EdgeId) -> Result<(), Diagnostic> {
        self.try_history(root, &self.automata.history_with(edge))
    }

    /// Tries whether a run that was set back to a node is a run of the node's history: it has the same memory, and asks for
    /// the same. Else runs of the program are no longer set back, unless each run of the history has another memory (a
    /// generator of random numbers is elsewhere).
    pub(super) fn try_set_back(&mut self, root: NodeId, program: &Program, node: NodeId) -> Result<(), Diagnostic> {
        let Some(mut run) = self.pool.set_back(node) else { return Ok(()) };
        let copied = run.instance.image();
        let Some(first) = self.image_anew(&mut run, program, node)? else { return Ok(()) };
        let is_trusted = first == copied || {
            let Some(second) = self.image_anew(&mut run, program, node)? else { return Ok(()) };
            second != first
        };
        if is_trusted {
            self.pool.put(node, run);
        } else {
            self.pool.forget_copies(&run);
            self.apart.insert(root);
        }
        Ok(())
    }

    /// The image of a run's memory after it has begun anew and taken the history of a node. `None`, and its copies are
    /// forgotten, if something outside still uses that memory.
    fn image_anew(
        &mut self,
        run: &mut Run,
        program: &Program,
        node: NodeId,
    ) -> Result<Option<Option<ImageId>>, Diagnostic> {
        if !run.instance.restart() {
            self.pool.forget_copies(run);
            return Ok(None);
        }
        let (_, steps) = self.automata.history(node);
        let polls = self.polls;
        self.replay(&mut run.instance, program, &steps)?;
        self.merged.pay(self.polls - polls);
        Ok(Some(run.instance.image()))
    }

    /// Runs a history that leads to a node with several histories.
    fn try_history(&mut self, root: NodeId, steps: &[(NodeId, Input)]) -> Result<(), Diagnostic> {
        let program = Rc::clone(&self.programs[&root]);
        let unit = self.automata.node(root).unit;
        let polls = self.polls;
        let tried = self.rebuild(root, &program, steps).map(drop);
        self.merged.pay(self.polls - polls);
        tried.map_err(|difference| self.mistaken(unit, &difference))
    }

    /// The diagnostic for two histories that were merged but lead to different local states.
    pub(super) fn mistaken(&self, unit: UnitId, difference: &Diagnostic) -> Diagnostic {
        let name = self.shared.unit(unit).name;
        let Modes { tracks, remembers, .. } = self.shared.modes;
        let is_captured = self.automata.positions().any(|(node, _)| self.automata.node(node).unit == unit);
        Diagnostic(match (tracks, remembers) {
            (true, _) => format!(
                "process \"{name}\" is checked with `tasks = tracked`, but its tasks share memory that is not tracked: \
                 two orders of steps that seemed to have nothing to do with each other led to different behaviour\n  \
                 share through the types of `netcheck::tracked` (`use netcheck::tracked as tokio`, and its `std::sync`), \
                 or check it without `tasks = tracked`"
            ),
            (_, true) if is_captured => format!(
                "process \"{name}\" came to one local state by two histories, and then behaved differently: it had the \
                 same memory after both, or was at the head of a loop with variables that hash alike\n  \
                 {}\n  \
                 usual causes: a `Hash` of a loop's variables leaves out what the loop depends on (let it tell them \
                 apart, or write `#[netcheck::keep]` on the loop); a static or a thread-local that outlives the run, a \
                 value captured from outside the factory, a file\n  \
                 make the value anew inside the factory, or check it with `identity = history`",
                difference.at()
            ),
            (_, true) => format!(
                "process \"{name}\" had the same memory after two histories, and then behaved differently: its future \
                 depends on something else\n  \
                 {}\n  \
                 usual causes: a static or a thread-local that outlives the run, a value captured from outside the \
                 factory, a file\n  \
                 make the value anew inside the factory, or check it with `identity = history`",
                difference.at()
            ),
            (_, false) => format!(
                "a loop of process \"{name}\" was at its head twice with variables that hash alike, and then behaved differently\n  \
                 either a `Hash` of theirs leaves out what the loop depends on, or the loop depends on something else \
                 (a static, a thread-local, memory behind a pointer)\n  \
                 let the `Hash` tell them apart, or write `#[netcheck::keep]` on the loop: then its whole history does"
            ),
        })
    }

    /// A step, and its line. A poll of a woken task, or of an aborted one, is a step of the engine's, and some operations
    /// are begun deep in netcheck: then the line is that of the last operation before which the task has begun itself.
    pub(super) fn step_of(&self, at: NodeId, offer: &Offer) -> String {
        let operation = wording::operation(&offer.operation);
        if let Some(line) = wording::own_line(offer, &self.shared) {
            return format!("{operation} at {line}");
        }
        let (_, history) = self.automata.history(at);
        let offers = history.iter().rev().filter_map(|&(node, input)| self.automata.node(node).offer(input));
        let mut lines = offers.filter(|earlier| earlier.task == offer.task);
        match lines.find_map(|earlier| wording::own_line(earlier, &self.shared)) {
            Some(line) => format!("{operation}, last at {line}"),
            None => operation,
        }
    }
}
