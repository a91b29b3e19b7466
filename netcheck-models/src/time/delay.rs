//! Intervals of time.

/// How long an event may take: any time between two bounds, which belong to the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delay {
    least_ns: u64,
    most_ns: Option<u64>,
}

impl Delay {
    /// No time at all.
    pub const NONE: Delay = Delay::exactly(0);

    /// Any time, or for ever.
    pub const ANY: Delay = Delay::at_least(0);

    /// One possible delay in nanoseconds, as that of a timer.
    #[must_use]
    pub const fn exactly(ns: u64) -> Self {
        Delay { least_ns: ns, most_ns: Some(ns) }
    }

    /// A delay between two bounds in nanoseconds.
    ///
    /// # Panics
    ///
    /// If the lower bound is above the upper one.
    #[must_use]
    pub const fn between(least_ns: u64, most_ns: u64) -> Self {
        assert!(least_ns <= most_ns, "an interval of delays that contains none");
        Delay { least_ns, most_ns: Some(most_ns) }
    }

    /// A delay of at least so many nanoseconds: the event may also never happen.
    #[must_use]
    pub const fn at_least(ns: u64) -> Self {
        Delay { least_ns: ns, most_ns: None }
    }

    /// The shortest delay in nanoseconds.
    #[must_use]
    pub const fn least_ns(self) -> u64 {
        self.least_ns
    }

    /// The longest delay in nanoseconds; `None` if the event may also never happen.
    #[must_use]
    pub const fn most_ns(self) -> Option<u64> {
        self.most_ns
    }

    /// Whether the delay says nothing: an event with such a delay may happen at any instant from now on, so a zone need
    /// not hold it.
    #[must_use]
    pub const fn is_any(self) -> bool {
        self.least_ns == 0 && self.most_ns.is_none()
    }
}

/// The possible distances from one instant to another, in nanoseconds; negative if the other comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The shortest distance; `None` if there is none.
    pub least_ns: Option<i64>,
    /// The longest distance; `None` if there is none.
    pub most_ns: Option<i64>,
}

impl Span {
    /// The distance, if only one is possible.
    #[must_use]
    pub fn exactly(self) -> Option<i64> {
        self.least_ns.filter(|_| self.least_ns == self.most_ns)
    }
}
