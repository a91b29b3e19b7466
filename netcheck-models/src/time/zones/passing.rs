//! How time passes: the interface of dense time.

use super::bound::Bound;
use super::moment::{Moment, Scheduled};
use super::zone::Zone;
use crate::time::delay::Delay;
use crate::time::interface::Time;
use smallvec::SmallVec;

impl Zone {
    /// The places of the awaited events in the matrix.
    fn awaited(&self, awaited: impl Fn(Scheduled) -> bool) -> SmallVec<[usize; 8]> {
        let places = (1..=self.events.len()).filter(|place| awaited(self.events[place - 1]));
        places
            .inspect(|&place| {
                let is_to_come = self.matrix.at(0, place) <= Bound::ZERO;
                assert!(is_to_come, "{:?} is awaited, and may be over", self.events[place - 1]);
            })
            .collect()
    }

    /// The latest instant of the first awaited event, relative to each instant of the matrix.
    fn first(&self, awaited: &[usize]) -> SmallVec<[Bound; 8]> {
        let mut first: SmallVec<[Bound; 8]> = SmallVec::from_elem(Bound::NONE, self.matrix.side());
        for &place in awaited {
            for (first, bound) in first.iter_mut().zip(self.matrix.row(place)) {
                *first = (*first).min(*bound);
            }
        }
        first
    }
}

/// An event without an upper bound is in no event's way, and may never come. Time does not pass beyond the upper bound
/// of an awaited event.
///
/// # Panics
///
/// `due` and `elapse_until` panic if an awaited event may lie in the past.
impl Time for Zone {
    type Event = Scheduled;
    type Delay = Delay;

    fn arm(&mut self, event: Scheduled, delay: Delay) {
        self.arm_from(event, Moment::NOW, delay);
    }

    fn disarm(&mut self, event: Scheduled) {
        if let Ok(index) = self.events.binary_search(&event) {
            self.events.remove(index);
            let left: SmallVec<[usize; 8]> = (0..self.matrix.side()).filter(|place| *place != index + 1).collect();
            self.matrix = self.matrix.select(&left);
        }
    }

    fn due(&self, awaited: impl Fn(Scheduled) -> bool) -> SmallVec<[Scheduled; 2]> {
        let awaited = self.awaited(awaited);
        let first = self.first(&awaited);
        let next = awaited.into_iter().filter(|&place| first[place] >= Bound::ZERO);
        next.map(|place| self.events[place - 1]).collect()
    }

    /// The valuations in which no awaited event comes before `until`, relative to it. In these `until` is the first
    /// awaited event, so the bounds of the first one are its own. They are all that is new, so that one comparison of
    /// all ways over this instant makes the matrix canonical.
    fn elapse_until(&self, until: Scheduled, awaited: impl Fn(Scheduled) -> bool) -> Option<Zone> {
        let place = self.place(Moment::of(until));
        let awaited = self.awaited(|event| event == until || awaited(event));
        let first = self.first(&awaited);
        if first[place] < Bound::ZERO {
            return None;
        }
        let mut passed = self.clone();
        passed.matrix.relax(place, &first);
        passed.matrix.rebase(place);
        Some(passed)
    }

    fn covers(&self, other: &Zone) -> bool {
        self.includes(other)
    }
}
