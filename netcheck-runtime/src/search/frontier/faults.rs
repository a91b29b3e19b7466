//! By the number of faults on the way to a state, then by the number of steps.
//!
//! A step adds faults and never takes any away, so a state's way can only become better before its turn has
//! come (E. Dijkstra, "A note on two problems in connexion with graphs", 1959). Faults and steps are
//! small numbers, so there is a queue for each pair of them (R. Dial, "Algorithm 360", 1969).

use super::Successor;
use crate::world::store::StateId;
use ahash::AHashMap;
use std::collections::{BTreeMap, VecDeque};

/// The better of two ways is the smaller one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    faults: u32,
    steps: u32,
}

pub(crate) struct Faults {
    /// A state stands here once for each of its ways that was the best one.
    queues: BTreeMap<Way, VecDeque<StateId>>,
    /// The best way to each open state.
    ways: AHashMap<StateId, Way>,
    /// The way to the state that was popped last.
    here: Way,
}

impl Faults {
    /// Bytes of a state in a queue, and in the table.
    pub(super) const STATE_BYTES: usize = size_of::<StateId>() + 2 * size_of::<(StateId, Way)>();

    pub(super) fn new(first: StateId) -> Faults {
        let here = Way::default();
        Faults { queues: [(here, VecDeque::from([first]))].into(), ways: [(first, here)].into_iter().collect(), here }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for successor in successors {
            if successor.is_new && !self.ways.contains_key(&successor.state) || self.prefers(successor) {
                let way = self.way_to(successor);
                self.ways.insert(successor.state, way);
                self.queues.entry(way).or_default().push_back(successor.state);
            }
        }
    }

    pub(super) fn prefers(&self, successor: &Successor) -> bool {
        self.ways.get(&successor.state).is_some_and(|known| self.way_to(successor) < *known)
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

    pub(super) fn here(&self) -> u32 {
        self.here.faults
    }

    fn way_to(&self, successor: &Successor) -> Way {
        Way { faults: self.here.faults + successor.faults, steps: self.here.steps + 1 }
    }
}
