//! Zones: scheduled events, and the matrix of their instants.

use super::bound::Bound;
use super::matrix::Matrix;
use super::moment::{Moment, Scheduled};
use crate::time::delay::{Delay, Span};
use smallvec::SmallVec;
use std::fmt;

/// All instants at which the scheduled events may happen, relative to now. The default value schedules none.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Zone {
    /// Sorted. The instant of the event in place `i` is in place `i + 1` of the matrix; in place 0 there is now.
    pub(super) events: SmallVec<[Scheduled; 2]>,
    pub(super) matrix: Matrix,
}

impl Default for Zone {
    fn default() -> Self {
        Zone { events: SmallVec::new(), matrix: Matrix::new() }
    }
}

impl Zone {
    /// The scheduled events, sorted by their names.
    #[must_use]
    pub fn events(&self) -> &[Scheduled] {
        &self.events
    }

    /// Whether an event is scheduled.
    #[must_use]
    pub fn is_scheduled(&self, event: Scheduled) -> bool {
        self.events.binary_search(&event).is_ok()
    }

    /// Schedules an event after a moment, in place of its earlier schedule: a deadline that a program has computed from
    /// an instant, or the next tick of an interval. The moment may be one of the event's own earlier schedule.
    ///
    /// The event may then lie in the past. [`Zone::at_most`] with [`Moment::NOW`] tells the valuations in which it does
    /// from those in which it does not; only with the latter it may be awaited.
    ///
    /// # Panics
    ///
    /// If the event of the moment is not scheduled.
    pub fn arm_from(&mut self, event: Scheduled, after: Moment, delay: Delay) {
        let base = self.place(after);
        let (earlier, later) = (Bound::new(after.after_ns.saturating_neg()), Bound::new(after.after_ns));
        let least = Bound::at_least(delay.least_ns()).plus(earlier);
        let most = Bound::at_most(delay.most_ns()).plus(later);
        match self.events.binary_search(&event) {
            Ok(found) => self.matrix.replace(found + 1, base, least, most),
            Err(index) => {
                self.events.insert(index, event);
                self.matrix.insert(index + 1, base, least, most);
            }
        }
    }

    /// The possible distances from one moment to another.
    ///
    /// # Panics
    ///
    /// If the event of a moment is not scheduled.
    #[must_use]
    pub fn distance(&self, from: Moment, to: Moment) -> Span {
        let (from_place, to_place) = (self.place(from), self.place(to));
        let added_ns = to.after_ns.saturating_sub(from.after_ns);
        let most_ns = self.matrix.at(to_place, from_place).ns();
        let least_ns = self.matrix.at(from_place, to_place).ns().map(|ns| -ns);
        let add = |ns: i64| ns.saturating_add(added_ns);
        Span { least_ns: least_ns.map(add), most_ns: most_ns.map(add) }
    }

    /// The earliest instant of each event relative to now, in nanoseconds. These are one valuation of the zone: the
    /// least solution of its constraints. `None` for an event that may lie in the past without a bound.
    #[must_use]
    pub fn earliest(&self) -> SmallVec<[(Scheduled, Option<i64>); 2]> {
        let instants = self.events.iter().map(|&event| (event, self.distance(Moment::NOW, Moment::of(event)).least_ns));
        instants.collect()
    }

    /// Whether an event may happen at any instant from now on, whatever the other events do. A zone need not hold such
    /// an event: it has become one that takes [`Delay::ANY`].
    ///
    /// # Panics
    ///
    /// If the event is not scheduled.
    #[must_use]
    pub fn is_free(&self, event: Scheduled) -> bool {
        let place = self.place(Moment::of(event));
        let mut others = (0..self.matrix.side()).filter(|other| *other != place);
        // The event is not before now, all other lower bounds follow from that, and there is no upper one.
        others.all(|other| {
            self.matrix.at(place, other) == Bound::NONE && self.matrix.at(other, place) == self.matrix.at(other, 0)
        })
    }

    /// The place of a moment's event in the matrix.
    pub(super) fn place(&self, moment: Moment) -> usize {
        let Some(event) = moment.event else { return 0 };
        match self.events.binary_search(&event) {
            Ok(index) => index + 1,
            Err(_) => panic!("{event:?} is not scheduled"),
        }
    }
}

/// The bounds of each event from now and from the events before it, without those that say nothing.
impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (index, &event) in self.events.iter().enumerate() {
            let before = self.events[..index].iter().map(|&before| Moment::of(before));
            for from in [Moment::NOW].into_iter().chain(before) {
                let Span { least_ns, most_ns } = self.distance(from, Moment::of(event));
                if least_ns.is_some() || most_ns.is_some() {
                    let show = |ns: Option<i64>| ns.map_or(String::new(), |ns| ns.to_string());
                    let from = from.event.map_or("now".to_owned(), |from| format!("{}.{}", from.owner, from.number));
                    let name = format!("{}.{} - {from}", event.owner, event.number);
                    map.entry(&format_args!("{name}"), &format_args!("{}..={}", show(least_ns), show(most_ns)));
                }
            }
        }
        map.finish()
    }
}
