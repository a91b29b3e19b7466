//! Open states by their best ways, and states that are reached as well in the order in which they were met.
//!
//! A step makes no way better. So a state's way can only become better before its turn has come, and states have their
//! turns in the order of their best ways (E. Dijkstra, "A note on two problems in connexion with graphs", 1959). Ways are
//! small numbers, so there is a queue for each of them (R. Dial, "Algorithm 360", 1969).

use super::Successor;
use crate::world::store::StateId;
use ahash::AHashMap;
use std::collections::{BTreeMap, VecDeque};

/// What an order counts on the way to a state. The better of two ways is the smaller one.
pub(crate) trait Way: Copy + Default + Ord {
    /// The way with one more step, which is no better.
    fn and(self, step: &Successor) -> Self;
}

pub(crate) struct Ways<W> {
    /// A state stands here once for each of its ways that was the best one.
    queues: BTreeMap<W, VecDeque<StateId>>,
    /// The best way to each open state.
    ways: AHashMap<StateId, W>,
    /// The way to the state that was popped last.
    here: W,
}

impl<W: Way> Ways<W> {
    /// Bytes of a state in a queue, and in the table.
    pub(super) const STATE_BYTES: usize = size_of::<StateId>() + 2 * size_of::<(StateId, W)>();

    pub(super) fn new(first: StateId) -> Ways<W> {
        let here = W::default();
        Ways { queues: [(here, VecDeque::from([first]))].into(), ways: [(first, here)].into_iter().collect(), here }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for successor in successors {
            if successor.is_new && !self.ways.contains_key(&successor.state) || self.prefers(successor) {
                let way = self.here.and(successor);
                self.ways.insert(successor.state, way);
                self.queues.entry(way).or_default().push_back(successor.state);
            }
        }
    }

    pub(super) fn prefers(&self, successor: &Successor) -> bool {
        self.ways.get(&successor.state).is_some_and(|known| self.here.and(successor) < *known)
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        loop {
            let mut queue = self.queues.first_entry()?;
            let way = *queue.key();
            let Some(state) = queue.get_mut().pop_front() else {
                queue.remove();
                continue;
            };
            // Otherwise it had its turn on a better way.
            if self.ways.get(&state) == Some(&way) {
                self.ways.remove(&state);
                self.here = way;
                return Some(state);
            }
        }
    }

    /// The open states in their order.
    pub(super) fn coming(&self) -> impl Iterator<Item = StateId> {
        let ways = self.queues.iter().flat_map(|(way, states)| states.iter().map(move |state| (way, state)));
        ways.filter(|(way, state)| self.ways.get(state) == Some(way)).map(|(_, &state)| state)
    }

    pub(super) fn len(&self) -> usize {
        self.ways.len()
    }

    /// The way to the state that was popped last.
    pub(super) fn here(&self) -> W {
        self.here
    }
}
