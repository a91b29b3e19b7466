//! By the number of messages on the way to a state; depth-first between two messages: see
//! [`Search::Joint`](super::Search::Joint).
//!
//! A step adds a message or none, and never takes one away. So a state's way can only become better before its turn has
//! come, and all states that can be reached with n messages have their turn before those that need n + 1 (0-1
//! breadth-first search; depth-first where the weight is 0).

use super::Successor;
use super::ways::Queues;
use crate::world::step::Message;
use crate::world::store::StateId;

/// The better of two ways is the smaller one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    messages: u32,
    /// The message of the last step; `None`, which comes first, if that step has none.
    last: Option<Message>,
}

pub(crate) struct Joint {
    /// The states that were reached from the last joint state without a message, the next one at the end.
    between: Vec<StateId>,
    /// The ways to all open states; of these, the joint states, which were reached by a message, are in its queues.
    joints: Queues<Way>,
    /// The messages on the way to the state that was popped last.
    here: u32,
}

impl Joint {
    /// Bytes of a state on the stack or in a queue, and in the table.
    pub(super) const STATE_BYTES: usize = Queues::<Way>::STATE_BYTES;

    pub(super) fn new(first: StateId) -> Joint {
        let mut joints = Queues::new();
        joints.note(first, Way::default());
        Joint { between: vec![first], joints, here: 0 }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for successor in successors.iter().rev().filter(|successor| successor.message.is_none()) {
            let way = self.way_by(successor);
            if self.joints.is_better(successor, way) {
                self.joints.note(successor.state, way);
                self.between.push(successor.state);
            }
        }
        for successor in successors.iter().filter(|successor| successor.message.is_some()) {
            let way = self.way_by(successor);
            if self.joints.is_better(successor, way) {
                self.joints.push(successor.state, way);
            }
        }
    }

    pub(super) fn prefers(&self, successor: &Successor) -> bool {
        self.joints.prefers(successor.state, self.way_by(successor))
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        // There is no better way than one without a message, so none of these states has had its turn.
        if let Some(state) = self.between.pop() {
            self.joints.remove(state);
            return Some(state);
        }
        let (state, way) = self.joints.pop()?;
        self.here = way.messages;
        Some(state)
    }

    pub(super) fn len(&self) -> usize {
        self.joints.len()
    }

    /// The way by a step of the state that was popped last.
    fn way_by(&self, successor: &Successor) -> Way {
        let last = successor.message;
        Way { messages: self.here + u32::from(last.is_some()), last }
    }
}
