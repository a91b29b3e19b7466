//! By the number of messages on the way to a state; depth-first between two messages: see
//! [`Search::Joint`](super::Search::Joint).
//!
//! A step adds a message or none, and never takes one away. So a state's way can only become better before its turn has
//! come, and all states that can be reached with n messages have their turn before those that need n + 1 (0-1
//! breadth-first search; depth-first where the weight is 0).

use super::Successor;
use crate::world::step::Message;
use crate::world::store::StateId;
use ahash::AHashMap;
use std::collections::{BTreeMap, VecDeque};

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
    /// The joint states: those that were reached by a message. One stands here once for each of its ways that was the
    /// best one.
    joints: BTreeMap<Way, VecDeque<StateId>>,
    /// The best way to each open state.
    ways: AHashMap<StateId, Way>,
    /// The messages on the way to the state that was popped last.
    here: u32,
}

impl Joint {
    /// Bytes of a state on the stack or in a queue, and in the table.
    pub(super) const STATE_BYTES: usize = size_of::<StateId>() + 2 * size_of::<(StateId, Way)>();

    pub(super) fn new(first: StateId) -> Joint {
        Joint {
            between: vec![first],
            joints: BTreeMap::new(),
            ways: [(first, Way::default())].into_iter().collect(),
            here: 0,
        }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for successor in successors.iter().rev().filter(|successor| successor.message.is_none()) {
            if let Some(way) = self.better_way_to(successor) {
                self.ways.insert(successor.state, way);
                self.between.push(successor.state);
            }
        }
        for successor in successors.iter().filter(|successor| successor.message.is_some()) {
            if let Some(way) = self.better_way_to(successor) {
                self.ways.insert(successor.state, way);
                self.joints.entry(way).or_default().push_back(successor.state);
            }
        }
    }

    pub(super) fn prefers(&self, successor: &Successor) -> bool {
        self.ways.contains_key(&successor.state) && self.better_way_to(successor).is_some()
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        // There is no better way than one without a message, so none of these states has had its turn.
        if let Some(state) = self.between.pop() {
            self.ways.remove(&state);
            return Some(state);
        }
        loop {
            let mut queue = self.joints.first_entry()?;
            let way = *queue.key();
            let Some(state) = queue.get_mut().pop_front() else {
                queue.remove();
                continue;
            };
            // Otherwise it had its turn on a better way.
            if self.ways.get(&state) == Some(&way) {
                self.ways.remove(&state);
                self.here = way.messages;
                return Some(state);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ways.len()
    }

    /// The way by a step of the state that was popped last, if no better one is known.
    fn better_way_to(&self, successor: &Successor) -> Option<Way> {
        let last = successor.message;
        let way = Way { messages: self.here + u32::from(last.is_some()), last };
        let is_better = match self.ways.get(&successor.state) {
            Some(known) => way < *known,
            None => successor.is_new,
        };
        is_better.then_some(way)
    }
}
