//! Operations and effects of timers and of the clock.

use netcheck_memory::Handed;
pub(crate) use netcheck_models::time::Missed;
use std::time::Duration;

/// An instant: so many nanoseconds after a mark, which is an instant that a program has read. In quiet time, and wherever
/// dense time leaves one value, the mark is the start of the check. The clock of a check begins after a long time, as
/// that of a machine that is up, so programs have instants before the mark, too: their number of nanoseconds is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    pub mark: u32,
    pub ns: i64,
}

impl Handed for At {
    fn handed(&self) -> Self {
        At { mark: self.mark.handed(), ns: self.ns.handed() }
    }
}

impl At {
    const START: u32 = 0;

    /// The instant at which a timer fired, where it is not known relative to a mark.
    pub(crate) const UNTOLD: At = At { mark: u32::MAX, ns: 0 };

    /// The start of the check.
    pub(crate) const ORIGIN: At = At { mark: At::START, ns: 0 };

    /// An instant by the reading of the clock, and the nanoseconds from there: fewer than none for an instant before.
    pub(crate) fn from_now(now_ns: u64, ns: i64) -> At {
        At { mark: At::START, ns: i64::try_from(now_ns).unwrap_or(i64::MAX).saturating_add(ns) }
    }

    /// The nanoseconds since the start of the check, if the instant is relative to it; fewer than none for an instant
    /// before.
    pub fn number(self) -> Option<i64> {
        (self.mark == At::START).then_some(self.ns)
    }

    /// The distance from the start as text, if the instant is relative to it.
    pub fn since_start(self) -> Option<String> {
        let ns = self.number()?;
        let side = if ns < 0 { "before" } else { "after" };
        Some(format!("{:?} {side} the start", Duration::from_nanos(ns.unsigned_abs())))
    }
}

/// An operation on timers or on the clock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Wait for a timer; `repeats` keeps it armed for the next period.
    Timer { timer: u32, repeats: bool },
    /// Read the clock; cannot wait.
    Clock,
    /// Read the deadline of a timer; cannot wait.
    Deadline { timer: u32 },
    /// Compare two instants with different marks; cannot wait.
    Compare { one: At, other: At },
    /// Ask for the time between two instants with different marks, as a number; cannot wait.
    Distance { from: At, to: At },
}

impl Operation {
    /// The operation as it is tried when it is begun: a timer is never tried, and the rest cannot wait.
    pub(crate) fn tried(&self) -> Option<Operation> {
        None
    }

    /// Whether the operation can be pending for long.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Operation::Timer { .. })
    }
}

/// A change of timers, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A timer is started or restarted.
    Arm { timer: u32, after_ns: u64, repeats: bool },
    /// A timer is set to an absolute time (`sleep_until`).
    ArmAt { timer: u32, at: At, repeats: bool },
    /// The next period of an interval.
    Rearm { timer: u32, period_ns: u64, missed: Missed },
    /// A wait for a timer begins, with `tasks = fifo`: if the timer is due already, it comes before others.
    Await { timer: u32 },
    /// A timer was dropped.
    Disarm { timer: u32 },
}
