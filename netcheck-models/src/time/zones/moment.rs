//! The names of instants.

/// The name of a scheduled event: an armed timer, a copy of a packet under way, or an instant that a program has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scheduled {
    /// The number of the component that has scheduled the event: the timers of a unit, a channel.
    pub owner: u32,
    /// The event's number among those of its owner.
    pub number: u32,
}

/// An instant that a program may speak of: the present one, or that of an event, and some time before or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// The event; `None` for the present instant.
    pub event: Option<Scheduled>,
    /// The time after it in nanoseconds; negative for a time before it.
    pub after_ns: i64,
}

impl Moment {
    /// The present instant.
    pub const NOW: Moment = Moment { event: None, after_ns: 0 };

    /// The instant of an event.
    #[must_use]
    pub const fn of(event: Scheduled) -> Self {
        Moment { event: Some(event), after_ns: 0 }
    }

    /// The moment so many nanoseconds later; sums beyond the range of `i64` stop at its ends.
    #[must_use]
    pub const fn plus_ns(self, ns: i64) -> Self {
        Moment { event: self.event, after_ns: self.after_ns.saturating_add(ns) }
    }
}
