//! By the number of datagrams that have arrived more often than enough; depth-first where it is the same: see
//! [`Search::Retransmissions`](super::Search::Retransmissions).
//!
//! A state does not say what has arrived on the way to it, so the frontier keeps that for each open state: how often each
//! datagram has arrived, up to the number that is enough. These counts are few, and kept once. A state that is met again
//! on a way with fewer repetitions, before its turn has come, is moved forward.

use super::Successor;
use super::network_states::Level;
use crate::world::step::Delivered;
use crate::world::store::StateId;
use ahash::{AHashMap, AHashSet};
use std::collections::BTreeMap;

/// The way to an open state.
#[derive(Clone, Copy, Default)]
struct Way {
    /// Arrivals of datagrams that had arrived often enough.
    repetitions: u32,
    /// The number of the counts of all arrivals.
    arrivals: u32,
}

pub(crate) struct Retransmissions {
    /// By repetitions. A state stands here once for each of its ways that was the best one.
    levels: BTreeMap<u32, Level>,
    /// The best way to each open state.
    ways: AHashMap<StateId, Way>,
    /// The way to the state that was popped last.
    here: Way,
    arrivals: Arrivals,
    /// The networks that are known, if those that are known come later.
    known: Option<AHashSet<u64>>,
}

impl Retransmissions {
    /// Bytes of a state on a stack, and in the table.
    pub(super) const STATE_BYTES: usize = Level::STATE_BYTES + 2 * size_of::<(StateId, Way)>();

    /// The first `enough` arrivals of a datagram are no repetitions. With `by_network`, of states with as many
    /// repetitions, those with a known network come last.
    pub(super) fn new(enough: usize, by_network: bool, first: StateId) -> Retransmissions {
        let here = Way::default();
        Retransmissions {
            levels: [(0, Level::new(first))].into(),
            ways: [(first, here)].into_iter().collect(),
            here,
            arrivals: Arrivals::new(enough),
            known: by_network.then(AHashSet::new),
        }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for successor in successors.iter().rev() {
            let is_better = match self.ways.contains_key(&successor.state) {
                true => self.prefers(successor),
                false => successor.is_new,
            };
            if is_better {
                let repetitions = self.repetitions_to(successor);
                let arrivals = self.arrivals.and(self.here.arrivals, successor.delivered);
                self.ways.insert(successor.state, Way { repetitions, arrivals });
                self.levels.entry(repetitions).or_default().push(successor);
            }
        }
    }

    pub(super) fn prefers(&self, successor: &Successor) -> bool {
        self.ways.get(&successor.state).is_some_and(|known| self.repetitions_to(successor) < known.repetitions)
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        let Retransmissions { levels, ways, known, .. } = self;
        loop {
            let mut level = levels.first_entry()?;
            let repetitions = *level.key();
            // Otherwise it stands in a level before, or had its turn.
            let is_open = |state| ways.get(&state).is_some_and(|way| way.repetitions == repetitions);
            let Some(state) = level.get_mut().pop(known.as_mut(), is_open) else {
                level.remove();
                continue;
            };
            self.here = ways.remove(&state).expect("it is open");
            return Some(state);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ways.len()
    }

    fn repetitions_to(&self, successor: &Successor) -> u32 {
        let repeats =
            successor.delivered.is_some_and(|datagram| self.arrivals.has_enough(self.here.arrivals, datagram));
        self.here.repetitions + u32::from(repeats)
    }
}

/// How often a datagram has arrived.
type Count = (Delivered, usize);

/// Counts of arrivals, each kept once.
struct Arrivals {
    enough: usize,
    /// By number: the datagrams that have arrived, in their order. None have for number 0.
    counts: Vec<Box<[Count]>>,
    numbers: AHashMap<Box<[Count]>, u32>,
}

impl Arrivals {
    fn new(enough: usize) -> Arrivals {
        let none: Box<[Count]> = Box::default();
        Arrivals { enough: enough.max(1), counts: vec![none.clone()], numbers: [(none, 0)].into_iter().collect() }
    }

    fn has_enough(&self, number: u32, datagram: Delivered) -> bool {
        self.counts[number as usize].iter().any(|&(other, count)| other == datagram && count >= self.enough)
    }

    /// The number of the counts after one more arrival.
    fn and(&mut self, number: u32, delivered: Option<Delivered>) -> u32 {
        let Some(datagram) = delivered.filter(|datagram| !self.has_enough(number, *datagram)) else { return number };
        let mut counts = self.counts[number as usize].to_vec();
        match counts.binary_search_by_key(&datagram, |&(other, _)| other) {
            Ok(at) => counts[at].1 += 1,
            Err(at) => counts.insert(at, (datagram, 1)),
        }
        let next = self.counts.len() as u32;
        let number = *self.numbers.entry(counts.clone().into_boxed_slice()).or_insert(next);
        if number == next {
            self.counts.push(counts.into_boxed_slice());
        }
        number
    }
}
