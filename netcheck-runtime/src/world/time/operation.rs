//! Operations and effects of timers and of the clock.

use netcheck_memory::{Handed, ORIGIN_NS};
pub(crate) use netcheck_models::time::Missed;
use std::cmp::Ordering;
use std::time::Duration;

/// An instant: so many nanoseconds after a mark, which is an instant that a program has read. In quiet time, and wherever
/// dense time leaves one value, the mark is the start of the check. The clock of a check begins after a long time, as
/// that of a machine that is up, so programs have instants before the mark, too: their number of nanoseconds is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    pub mark: u32,
    /// From [`ORIGIN_NS`] on if the mark is the start: so it is recognised in memory.
    raw_ns: i64,
}

impl Handed for At {
    fn handed(&self) -> Self {
        At { mark: self.mark.handed(), raw_ns: self.raw_ns.handed() }
    }
}

impl At {
    pub(crate) const START: u32 = 0;

    /// The instant at which a timer fired, where it is not known relative to a mark.
    pub(crate) const UNTOLD: At = At { mark: u32::MAX, raw_ns: 0 };

    /// The start of the check.
    pub(crate) const ORIGIN: At = At { mark: At::START, raw_ns: ORIGIN_NS };

    const LATEST: u32 = u32::MAX - 1;
    const LONG_AFTER_LATEST: u32 = u32::MAX - 2;

    /// An instant so many nanoseconds after a mark.
    pub(crate) fn new(mark: u32, ns: i64) -> At {
        let origin_ns = if mark == At::START { ORIGIN_NS } else { 0 };
        At { mark, raw_ns: origin_ns.saturating_add(ns) }
    }

    /// The nanoseconds from the mark.
    pub fn ns(self) -> i64 {
        let origin_ns = if self.mark == At::START { ORIGIN_NS } else { 0 };
        self.raw_ns.saturating_sub(origin_ns)
    }

    /// The instant so many nanoseconds later, if there is one.
    pub(crate) fn plus(self, ns: i64) -> Option<At> {
        Some(At { mark: self.mark, raw_ns: self.raw_ns.checked_add(ns)? })
    }

    /// Whether it lies so many nanoseconds after its mark, or later.
    pub(crate) fn is_from(self, ns: i64) -> bool {
        self.raw_ns >= At::new(self.mark, ns).raw_ns
    }

    /// The nanoseconds from another instant with the same mark.
    pub(crate) fn ns_from(self, other: At) -> i64 {
        self.raw_ns.saturating_sub(other.raw_ns)
    }

    /// Which of two instants with the same mark comes first.
    pub(crate) fn cmp_of_mark(self, other: At) -> Ordering {
        self.raw_ns.cmp(&other.raw_ns)
    }

    /// An instant by the latest one that the memory of its unit holds; by now, if it holds none.
    pub(crate) fn from_latest(ns: i64) -> At {
        At::new(At::LATEST, ns)
    }

    /// An instant by now, where the latest one that the memory of the unit holds is out of reach.
    pub(crate) fn long_after_latest(ns: i64) -> At {
        At::new(At::LONG_AFTER_LATEST, ns)
    }

    /// Whether it is told by a mark that the unit has read.
    pub(crate) fn is_by_mark(self) -> bool {
        self.mark != At::START && self.mark < At::LONG_AFTER_LATEST
    }

    /// Whether it is told by the latest instant that the memory of the unit holds, or by now.
    pub(crate) fn is_by_latest(self) -> bool {
        matches!(self.mark, At::LATEST | At::LONG_AFTER_LATEST)
    }

    /// The nanoseconds from now, if it is an instant by now where the latest one is out of reach.
    pub(crate) fn since_long_after(self) -> Option<i64> {
        (self.mark == At::LONG_AFTER_LATEST).then_some(self.ns())
    }

    /// The nanoseconds from the latest instant that the memory of the unit holds, if the instant is relative to it.
    pub fn since_latest(self) -> Option<i64> {
        (self.mark == At::LATEST).then_some(self.ns())
    }

    /// An instant by the reading of the clock, and the nanoseconds from there: fewer than none for an instant before.
    pub(crate) fn from_now(now_ns: u64, ns: i64) -> At {
        At::new(At::START, i64::try_from(now_ns).unwrap_or(i64::MAX).saturating_add(ns))
    }

    /// The nanoseconds since the start of the check, if the instant is relative to it; fewer than none for an instant
    /// before.
    pub fn number(self) -> Option<i64> {
        (self.mark == At::START).then(|| self.ns())
    }

    /// The distance from the start as text, if the instant is relative to it.
    pub fn since_start(self) -> Option<String> {
        let ns = self.number()?;
        let side = if ns < 0 { "before" } else { "after" };
        Some(format!("{:?} {side} the start", Duration::from_nanos(ns.unsigned_abs())))
    }
}

/// A mark of a unit's by one that it had before: so many nanoseconds after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kept {
    pub mark: u32,
    pub ns: i64,
    /// Whether the program's instants by it are of the standard library.
    pub is_std: bool,
}

/// An operation on timers or on the clock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Wait for a timer; `repeats` keeps it armed for the next period.
    Timer { timer: u32, repeats: bool },
    /// Look whether a timer is due, which then fires; cannot wait.
    Try { timer: u32, repeats: bool },
    /// Read the clock, or the date; cannot wait.
    Clock { is_date: bool },
    /// Read the deadline of a timer; cannot wait.
    Deadline { timer: u32 },
    /// Compare two instants with different marks; cannot wait.
    Compare { one: At, other: At },
    /// Ask for the time between two instants with different marks, as a number; cannot wait.
    Distance { from: At, to: At },
}

impl Operation {
    /// The operation as it is tried when it is begun: a timer that is due fires at once. The rest cannot wait.
    pub(crate) fn tried(&self) -> Option<Operation> {
        match *self {
            Operation::Timer { timer, repeats } => Some(Operation::Try { timer, repeats }),
            _ => None,
        }
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
    /// The latest instant that the program's memory holds after the step, in nanoseconds from the one before it, or from now
    /// if there was none.
    /// `has_std`: one of them is of the standard library, so that it is not known what is made of it.
    Latest { ns: Option<i64>, has_std: bool, is_in_reach: bool },
    /// In dense time: the marks of the unit from now on, by those before.
    Marks { kept: Box<[Kept]> },
    /// The program asks how far an instant is from others, or makes one that is so far from them.
    Reach { ns: i64 },
    /// The program takes an instant for a number, so that it depends on when the clock began.
    Number,
}
