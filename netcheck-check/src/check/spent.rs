//! How much time a check has taken, and has left. No report depends on it but by what was found meanwhile.

use std::time::{Duration, Instant};

/// Since a check has begun.
pub(super) struct Spent {
    began: Instant,
    max: Option<Duration>,
}

impl Spent {
    /// A check begins that may take so long.
    pub(super) fn of(max: Option<Duration>) -> Spent {
        Spent { began: Instant::now(), max }
    }

    pub(super) fn time(&self) -> Duration {
        self.began.elapsed()
    }

    /// How much time is left, if there is a limit.
    pub(super) fn left(&self) -> Option<Duration> {
        Some(self.max?.saturating_sub(self.time()))
    }

    /// When the check does what others do after so long: one that has less time, in the middle of it.
    pub(super) fn in_the_middle(&self, after: Duration) -> Duration {
        self.max.map_or(after, |max| (max / 2).min(after))
    }
}
