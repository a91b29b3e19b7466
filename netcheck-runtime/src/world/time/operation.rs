//! Operations and effects of timers and of the clock.

pub(crate) use netcheck_models::time::Missed;

/// The instant at which a timer fired, in dense time, where it is not one number: a program that asks for it gets an
/// error.
pub(crate) const UNTOLD_NS: u64 = u64::MAX;

/// An operation on timers or on the clock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// Wait for a timer; `repeats` keeps it armed for the next period.
    Timer { timer: u32, repeats: bool },
    /// Read the clock; cannot wait.
    Clock,
    /// Read the deadline of a timer; cannot wait.
    Deadline { timer: u32 },
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
pub(crate) enum Effect {
    /// A timer is started or restarted.
    Arm { timer: u32, after_ns: u64, repeats: bool },
    /// A timer is set to an absolute time (`sleep_until`).
    ArmAt { timer: u32, at_ns: u64 },
    /// The next period of an interval.
    Rearm { timer: u32, period_ns: u64, missed: Missed },
    /// A wait for a timer begins, with `tasks = fifo`: if the timer is due already, it comes before others.
    Await { timer: u32 },
    /// A timer was dropped.
    Disarm { timer: u32 },
}
