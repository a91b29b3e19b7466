//! Points in virtual time.

use super::nanoseconds;
use crate::capture::{Capture, Values};
use crate::operation::Outcome;
use crate::operation::time::{self, At};
use crate::unit::poll::context;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::panic::Location;
use std::time::Duration;

/// The earliest instant: the start of the machine's clock, so long before the start of the check, or before a mark.
const EARLIEST_NS: i64 = -(netcheck_memory::UPTIME.as_nanos() as i64);

/// A point in virtual time, as `tokio::time::Instant`.
///
/// In dense time (`delay`) a point in time may be no number. It can be added to, waited for and compared all the same:
/// a comparison then has all outcomes that are possible. The time between two points is a number only where the delays
/// leave one; elsewhere, to ask for it is an error that says so. Equal points may then have different hashes.
///
/// The clock of a check begins after years, as that of a machine that is up, and as `std::time::Instant` in a check: a
/// program can subtract a minute, or a day, from the first instant that it reads.
///
/// Local states that differ only in when they are, and not in how far their instants lie apart and from now, are one. So
/// the text and the hash of an instant, which are numbers, make a check take the time since the start into its states.
#[derive(Clone, Copy)]
pub struct Instant {
    /// `None`: the time of a tick whose value was not asked for yet.
    pub(super) at: Option<At>,
}

impl Instant {
    /// The current time.
    #[track_caller]
    pub fn now() -> Instant {
        Instant::read(time::Operation::Clock { is_date: false })
    }

    #[track_caller]
    pub(super) fn read(operation: time::Operation) -> Instant {
        let context = context::here();
        match context.ask_time(operation, Location::caller()) {
            Outcome::Time { at } => Instant { at: Some(context.told(at)) },
            other => unreachable!("the clock does not answer {other:?}"),
        }
    }

    /// The value. If it was not tracked, the check begins again with a clock.
    #[track_caller]
    pub(super) fn known(self) -> At {
        match self.at {
            // Its distance from anything is no number: the answer is an error that says so.
            Some(At::UNTOLD) => At::from_now(distance(At::UNTOLD, At::ORIGIN).unsigned_abs(), 0),
            Some(at) => at,
            None => Instant::now().known(),
        }
    }

    /// The time from `earlier` to this, or zero.
    #[track_caller]
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// The time from `earlier` to this, if it is not negative.
    #[track_caller]
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        let ns = distance(earlier.known(), self.known());
        u64::try_from(ns).ok().map(Duration::from_nanos)
    }

    /// The time from `earlier` to this, or zero.
    #[track_caller]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }

    /// The time from this until now.
    #[track_caller]
    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    /// This point in time plus a duration, if it can be represented.
    #[track_caller]
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        self.moved(i64::try_from(nanoseconds(duration)).ok()?)
    }

    /// This point in time minus a duration, if it can be represented.
    #[track_caller]
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        self.moved(i64::try_from(nanoseconds(duration)).ok()?.checked_neg()?)
    }

    /// Numbers that no image recognises are kept off the program's stack, from where they may get into its memory.
    #[track_caller]
    fn moved(&self, by_ns: i64) -> Option<Instant> {
        let from = self.known();
        let made = from.plus(by_ns).filter(|at| at.is_from(EARLIEST_NS))?;
        let made = context::try_current().map_or(made, |context| context.derived(from, made));
        Some(Instant { at: Some(made) })
    }
}

impl PartialEq for Instant {
    #[track_caller]
    fn eq(&self, other: &Instant) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Instant {}

impl PartialOrd for Instant {
    #[track_caller]
    fn partial_cmp(&self, other: &Instant) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Instant {
    #[track_caller]
    fn cmp(&self, other: &Instant) -> std::cmp::Ordering {
        let (one, other) = (self.known(), other.known());
        let Some([one, other]) = told_apart([one, other]) else {
            if let Some(context) = context::try_current() {
                context.compared([one, other]);
            }
            return one.cmp_of_mark(other);
        };
        let compare = time::Operation::Compare { one, other };
        match context::here().ask_time(compare, Location::caller()) {
            Outcome::Compared(order) => order,
            answer => unreachable!("a comparison is not answered by {answer:?}"),
        }
    }
}

/// The program takes an instant for a number.
pub(crate) fn number() {
    if let Some(context) = context::try_current() {
        context.number();
    }
}

/// Two instants as they are told to the world, if only that knows how far they lie apart.
fn told_apart(both: [At; 2]) -> Option<[At; 2]> {
    if both[0].mark != both[1].mark || both[0] == At::UNTOLD {
        return Some(both);
    }
    context::try_current()?.apart(both)
}

/// The nanoseconds from one instant to another.
#[track_caller]
fn distance(from: At, to: At) -> i64 {
    let Some([from, to]) = told_apart([from, to]) else {
        if let Some(context) = context::try_current() {
            context.measured([from, to]);
        }
        return to.ns_from(from);
    };
    let distance = time::Operation::Distance { from, to };
    match context::here().ask_time(distance, Location::caller()) {
        Outcome::Distance { ns } => ns,
        answer => unreachable!("a time between instants is not {answer:?}"),
    }
}

impl Hash for Instant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        number();
        self.known().hash(state);
    }
}

/// A time that was not asked for has no value yet.
impl Capture for Instant {
    fn capture(&self, values: &mut Values) {
        self.at.hash(values);
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        number();
        match self.at.and_then(At::number) {
            Some(ns) if ns < 0 => write!(f, "Instant(-{:?})", Duration::from_nanos(ns.unsigned_abs())),
            Some(ns) => write!(f, "Instant({:?})", Duration::from_nanos(ns.unsigned_abs())),
            None => f.write_str("Instant(_)"),
        }
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    #[track_caller]
    fn add(self, duration: Duration) -> Instant {
        self.checked_add(duration).expect("overflow when adding duration to instant")
    }
}

impl AddAssign<Duration> for Instant {
    #[track_caller]
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    #[track_caller]
    fn sub(self, duration: Duration) -> Instant {
        self.checked_sub(duration).expect("overflow when subtracting duration from instant")
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    #[track_caller]
    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

impl SubAssign<Duration> for Instant {
    #[track_caller]
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}
