//! The clock of a run, as far as the run knows it ([`instants`](super::instants)).

use crate::unit::identity::checkpoint::Values;
use crate::unit::poll::marks::Marks;
use netcheck_memory::{Dated, Reach};
use std::hash::Hash;
use std::time::Duration;

/// How far before an instant out of reach those lie that a program has made of it: 19 hours.
pub(super) const MADE_NS: i64 = 1 << 46;

/// The clock of a run, as far as the run knows it. All numbers are nanoseconds.
#[derive(Clone)]
pub(super) struct Clock {
    /// The instants that the memory held before the step.
    pub(super) dated: Option<Dated>,
    /// The marks by which it is told instants in dense time.
    pub(super) marks: Marks,
    /// All instants up to this one are out of reach.
    pub(super) floor_ns: i64,
    /// The last instant that the step was told.
    pub(super) told_ns: Option<i64>,
    /// The step was told an instant by now, where what the memory held was out of reach: before it lies what the memory held,
    /// from here on what is told by now.
    pub(super) middle_ns: Option<i64>,
    /// Whether the run was ever told an instant, and whether it has read the clock of the standard library.
    pub(super) reads: bool,
    pub(super) reads_std: bool,
    /// Whether it has read the date.
    pub(super) reads_date: bool,
    /// The time that the step has read through the standard library. Computing takes none, so it is not asked for again.
    pub(super) now: Option<Duration>,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock {
            dated: None,
            marks: Marks::default(),
            floor_ns: i64::MIN,
            told_ns: None,
            middle_ns: None,
            reads: false,
            reads_std: false,
            reads_date: false,
            now: None,
        }
    }
}

impl Clock {
    pub(super) fn begin_step(&mut self, reach_ns: i64) {
        (self.told_ns, self.middle_ns, self.now) = (None, None, None);
        if let Some(dated) = self.dated.filter(|dated| !dated.has_std) {
            self.floor_ns = self.floor_ns.max(dated.latest_ns.saturating_sub(reach_ns));
        }
    }

    /// Records, at a checkpoint, the clock by which the values of its variables are told, with the instants among these.
    pub(super) fn record(&self, values: &mut Values) {
        let instants = std::mem::take(&mut values.instants);
        let dated = self.dated.map(|dated| (dated.latest_ns, dated.has_std));
        (dated, self.floor_ns, self.told_ns, self.middle_ns, instants).hash(values);
    }

    /// The last instant that the step was told, or the latest one that the memory holds.
    pub(super) fn latest_known_ns(&self) -> i64 {
        self.told_ns.unwrap_or_else(|| self.latest_ns())
    }

    pub(super) fn latest_ns(&self) -> i64 {
        self.dated.map_or(0, |dated| dated.latest_ns)
    }

    /// Whether it is known how far an instant is from the latest one that was held, or from now.
    pub(super) fn is_in_reach(&self, ns: i64) -> bool {
        self.dated.is_none() || ns > self.floor_ns && self.middle_ns.is_none_or(|middle_ns| ns >= middle_ns)
    }

    /// Whether an instant was made of one that is out of reach.
    pub(super) fn is_made(&self, ns: i64) -> bool {
        ns < self.floor_ns.saturating_sub(MADE_NS / 2)
    }

    /// How far an instant that is out of reach is from the latest one; of one that was made, that is not known.
    pub(super) fn distance_beyond(&self, ns: i64, reach_ns: i64) -> i64 {
        let away_ns = if self.is_made(ns) { reach_ns.saturating_mul(2) } else { self.latest_ns().saturating_sub(ns) };
        away_ns.max(reach_ns)
    }

    /// How far an instant that the program makes of another one is from the latest one or from now, if that is too far.
    pub(super) fn is_too_far(&self, from_ns: i64, ns: i64, reach_ns: i64) -> Option<i64> {
        let is_by_now = self.middle_ns.is_some_and(|middle_ns| from_ns >= middle_ns);
        let anchor_ns = match self.dated {
            Some(dated) if is_by_now => dated.latest_ns.saturating_add(reach_ns),
            Some(dated) => dated.latest_ns,
            None => self.told_ns?,
        };
        let away_ns = ns.saturating_sub(anchor_ns);
        let is_far = away_ns.saturating_abs() >= reach_ns / 3 && (away_ns > 0 || is_by_now || self.dated.is_none());
        is_far.then(|| away_ns.saturating_abs().saturating_mul(3))
    }

    pub(super) fn reach(&self, reach_ns: i64) -> Reach {
        Reach { ns: reach_ns, floor_ns: self.floor_ns, middle_ns: self.middle_ns }
    }
}
