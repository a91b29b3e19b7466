//! Instants of std as those of a check, and back: in a check, std's clock is the check's, so both are one point in time.

use super::Instant;
use std::time::Instant as StdInstant;

impl Instant {
    /// As tokio's.
    #[track_caller]
    pub fn from_std(instant: StdInstant) -> Instant {
        instant.into()
    }

    /// As tokio's.
    #[track_caller]
    pub fn into_std(self) -> StdInstant {
        self.into()
    }
}

impl From<StdInstant> for Instant {
    #[track_caller]
    fn from(instant: StdInstant) -> Instant {
        let (now, here) = (StdInstant::now(), Instant::now());
        if instant >= now { here + (instant - now) } else { here - (now - instant) }
    }
}

impl From<Instant> for StdInstant {
    #[track_caller]
    fn from(instant: Instant) -> StdInstant {
        let (now, here) = (StdInstant::now(), Instant::now());
        if instant >= here { now + (instant - here) } else { now - (here - instant) }
    }
}
