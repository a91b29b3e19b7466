//! Operations and effects of timers and of the clock.

use netcheck_memory::Handed;
pub(crate) use netcheck_models::time::Missed;

/// An instant: so many nanoseconds after a mark, which is an instant that a program has read. In quiet time, and wherever
/// dense time leaves one value, the mark is the start of the check.
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

    /// The instant so many nanoseconds after the start of the check.
    pub(crate) fn since_start(ns: u64) -> At {
        At { mark: At::START, ns: i64::try_from(ns).unwrap_or(i64::MAX) }
    }

    /// The time since the start of the check, if the instant is relative to it.
    pub fn number(self) -> Option<u64> {
        u64::try_from(self.ns).ok().filter(|_| self.mark == At::START)
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
