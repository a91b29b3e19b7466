//! The ends of tasks that a tracked task waits for, learned also for steps that found the end and did not wait.
//!
//! A step that finds that another task has ended does not show what it would have done before that end: wait for the
//! end alone (a plain `.await` of the handle), or for other operations as well (a `select!`, a `join!`). The reduction
//! has to know this, but may never explore an execution in which the step comes before the end. So the step is also
//! learned in the history without the last step of the task that has ended.

use crate::id::{NodeId, TaskId};
use crate::operation::Input;
use crate::unit::automaton::{Edge, EdgeId};
use crate::unit::identity::causality::ObjectId;
use crate::unit::learn::{Diagnostic, Learner};

impl Learner {
    /// Learns whether a step would have waited for nothing but the ends that it has found.
    pub(super) fn learn_waits(&mut self, edge: EdgeId) -> Result<(), Diagnostic> {
        let Edge { source, input, event: Some(event), .. } = *self.automata.edge(edge) else { return Ok(()) };
        let poll = self.automata.poll(source, input);
        let (before, first) = poll[0];
        let Some(task) = self.automata.mover(before, first.key).task else { return Ok(()) };
        let touched = self.shared.events.borrow().touched_by(task, event).map(|touched| touched.found.to_vec());
        for end in touched.unwrap_or_default() {
            if self.shared.events.borrow_mut().begins_to_learn(event, end)
                && let Some(ended) = end.ended_task()
                && self.would_wait_for(&poll, task, (ended, end))?
            {
                self.shared.events.borrow_mut().set_sequential(event, end);
            }
        }
        Ok(())
    }

    /// Whether a step of a task waits only for the end of another task if that task has not ended.
    fn would_wait_for(
        &mut self,
        poll: &[(NodeId, Input)],
        task: TaskId,
        (ended, end): (TaskId, ObjectId),
    ) -> Result<bool, Diagnostic> {
        let before = poll[0].0;
        let Some(earlier) = self.without_end_of(before, ended)? else { return Ok(false) };
        let last_step = |node: NodeId| self.automata.node(node).tasks.iter().find(|(other, _)| *other == task).copied();
        if last_step(earlier) != last_step(before) {
            return Ok(false);
        }
        let Some(edge) = self.take_again(earlier, poll)? else { return Ok(false) };
        Ok(self.automata.sole_wait(&self.shared.events.borrow(), edge, task) == Some(end))
    }

    /// A node that differs from `node` only in that a task has not taken its last step, and no task a step that depends
    /// on it.
    fn without_end_of(&mut self, node: NodeId, ended: TaskId) -> Result<Option<NodeId>, Diagnostic> {
        let (_, steps) = self.automata.history(node);
        let targets = steps.iter().skip(1).map(|&(target, _)| target).chain([node]);
        let is_there = |node: NodeId| self.automata.node(node).tasks.iter().any(|&(task, _)| task == ended);
        let is_end = |(&(source, _), target): (&(NodeId, Input), NodeId)| {
            is_there(self.automata.before_poll(source))
                && !self.automata.node(target).is_synchronous()
                && !is_there(target)
        };
        let Some(last) = steps.iter().zip(targets).collect::<Vec<_>>().into_iter().rposition(is_end) else {
            return Ok(None);
        };
        let mut at = self.automata.before_poll(steps[last].0);
        let mut rest = &steps[last + 1..];
        while let Some((_, following)) = rest.split_first() {
            let answers = following.iter().take_while(|(at, _)| self.automata.node(*at).is_synchronous()).count();
            let (group, following) = rest.split_at(1 + answers);
            let (source, input) = group[group.len() - 1];
            let taken = self.automata.find(source, input).map(|edge| self.automata.edge(edge).event);
            if let Some(edge) = self.take_again(at, group)?
                && Some(self.automata.edge(edge).event) == taken
            {
                at = self.automata.edge(edge).target;
            }
            rest = following;
        }
        Ok(Some(at))
    }

    /// Takes a step in another node with the same outcomes, as far as it makes the same calls. Returns its last edge;
    /// `None` if the step is not possible there.
    fn take_again(&mut self, from: NodeId, group: &[(NodeId, Input)]) -> Result<Option<EdgeId>, Diagnostic> {
        let mut at = from;
        for &(recorded, input) in group {
            let asked = |node: NodeId| self.automata.node(node).offer(input).map(|offer| offer.operation.clone());
            if asked(at).is_none() || asked(at) != asked(recorded) {
                return Ok(None);
            }
            let edge = self.edge(at, input)?;
            if self.automata.edge(edge).is_refused() {
                return Ok(None);
            }
            at = self.automata.edge(edge).target;
            if !self.automata.node(at).is_synchronous() {
                return Ok(Some(edge));
            }
        }
        Ok(None)
    }
}
