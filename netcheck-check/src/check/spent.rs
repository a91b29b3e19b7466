//! How much time a check has taken, for what is done beside its search. No report depends on it but by what was found.

use std::time::{Duration, Instant};

/// Since a check has begun.
pub(super) struct Spent(Instant);

impl Spent {
    /// A check begins.
    pub(super) fn begin() -> Spent {
        Spent(Instant::now())
    }

    pub(super) fn time(&self) -> Duration {
        self.0.elapsed()
    }
}
