//! Open states by their best ways, and states that are reached as well in the order in which they were met.
//!
//! A step makes no way better. So a state's way can only become better before its turn has come, and states have their
//! turns in the order of their best ways (E. Dijkstra, "A note on two problems in connexion with graphs", 1959). Ways are
//! small numbers, so there is a queue for each of them (R. Dial, "Algorithm 360", 1969).

use super::Successor;
use crate::world::store::StateId;
use ahash::AHashMap;
use std::collections::{BTreeMap, VecDeque};

/// The way to a state, as an order counts it. The better of two ways is the smaller one.
pub(crate) trait Way: Copy + Default + Ord {
    /// The way with one more step, which is no better.
    fn and(self, step: &Successor) -> Self;
}

/// Open states, in a queue for each way.
pub(super) struct Queues<W> {
    /// A state stands here once for each of its ways that was the best one.
    queues: BTreeMap<W, VecDeque<StateId>>,
    /// The best way to each open state.
    ways: AHashMap<StateId, W>,
}

impl<W: Copy + Ord> Queues<W> {
    /// Bytes of a state in a queue, and in the table.
    pub(super) const STATE_BYTES: usize = size_of::<StateId>() + 2 * size_of::<(StateId, W)>();

    pub(super) fn new() -> Queues<W> {
        Queues { queues: BTreeMap::new(), ways: AHashMap::new() }
    }

    /// Whether a way to a state is worth a turn: the first one to a new state, or a better one than is known to an open state.
    pub(super) fn is_better(&self, successor: &Successor, way: W) -> bool {
        match self.ways.get(&successor.state) {
            Some(known) => way < *known,
            None => successor.is_new,
        }
    }

    /// Whether a way is better than the one that is known to an open state.
    pub(super) fn prefers(&self, state: StateId, way: W) -> bool {
        self.ways.get(&state).is_some_and(|known| way < *known)
    }

    /// Notes the best way to a state, which has its turn elsewhere.
    pub(super) fn note(&mut self, state: StateId, way: W) {
        self.ways.insert(state, way);
    }

    /// Adds a state by the best way to it.
    pub(super) fn push(&mut self, state: StateId, way: W) {
        self.note(state, way);
        self.queues.entry(way).or_default().push_back(state);
    }

    /// A state has had its turn elsewhere.
    pub(super) fn remove(&mut self, state: StateId) {
        self.ways.remove(&state);
    }

    /// The first state of the best way, with that way.
    pub(super) fn pop(&mut self) -> Option<(StateId, W)> {
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
                return Some((state, way));
            }
        }
    }

    /// The open states in their order.
    fn coming(&self) -> impl Iterator<Item = StateId> {
        let ways = self.queues.iter().flat_map(|(way, states)| states.iter().map(move |state| (way, state)));
        ways.filter(|(way, state)| self.ways.get(state) == Some(way)).map(|(_, &state)| state)
    }

    pub(super) fn len(&self) -> usize {
        self.ways.len()
    }
}

pub(crate) struct Ways<W> {
    open: Queues<W>,
    /// The way to the state that was popped last.
    here: W,
}

impl<W: Way> Ways<W> {
    pub(super) const STATE_BYTES: usize = Queues::<W>::STATE_BYTES;

    pub(super) fn new(first: StateId) -> Ways<W> {
        let (mut open, here) = (Queues::new(), W::default());
        open.push(first, here);
        Ways { open, here }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for successor in successors {
            let way = self.here.and(successor);
            if self.open.is_better(successor, way) {
                self.open.push(successor.state, way);
            }
        }
    }

    pub(super) fn prefers(&self, successor: &Successor) -> bool {
        self.open.prefers(successor.state, self.here.and(successor))
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        let (state, way) = self.open.pop()?;
        self.here = way;
        Some(state)
    }

    /// The open states in their order.
    pub(super) fn coming(&self) -> impl Iterator<Item = StateId> {
        self.open.coming()
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// The way to the state that was popped last.
    pub(super) fn here(&self) -> W {
        self.here
    }
}
