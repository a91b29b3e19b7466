//! Armed timers by the time that remains.

use super::interface::Time;
use smallvec::SmallVec;

/// An armed timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Countdown {
    /// The timer's number among those of its owner.
    pub timer: u32,
    /// The time until its deadline in nanoseconds; negative if that is over: by how long for an
    /// interval, and -1 for any other timer.
    pub remaining_ns: i64,
    /// Whether it stays armed when it has fired (an interval).
    pub repeats: bool,
    /// Whether it was due already when a wait for it began, and no time has passed since.
    pub at_once: bool,
}

/// The time until a deadline that is over, of a timer that does not repeat: no program is told by how long.
pub const OVER_NS: i64 = -1;

/// How long ago an instant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Age {
    /// Nanoseconds; fewer than none if it is to come.
    pub ns: i64,
    /// From so many nanoseconds on, it is not told how many.
    reach_ns: i64,
}

impl Age {
    /// Whether it is only known that the instant is so long ago as the reach, or longer.
    #[must_use]
    pub fn is_out_of_reach(self) -> bool {
        self.ns >= self.reach_ns
    }

    /// When so many nanoseconds have passed.
    #[must_use]
    pub fn later(self, by_ns: i64) -> Age {
        Age { ns: self.ns.saturating_add(by_ns).min(self.reach_ns), ..self }
    }
}

/// A tick that comes so late counts as no missed one, in nanoseconds (tokio's `Interval::poll_tick`: 5 ms).
pub const LATE_MAX_NS: i64 = 5_000_000;

/// The behaviour of an interval after missed ticks (as tokio's `MissedTickBehavior`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missed {
    /// Ticks at once until it has caught up.
    Burst,
    /// Ticks a period after the late tick.
    Delay,
    /// Ticks at the next multiple of the period.
    Skip,
}

/// The armed timers of one owner, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Countdowns {
    armed: SmallVec<[Countdown; 2]>,
    /// The time that is left until the horizon of a check, in nanoseconds; `None`: there is no horizon.
    horizon_ns: Option<u64>,
    /// How long ago the latest instant is that the owner holds. `None`: it holds none.
    age: Option<Age>,
}

impl Countdowns {
    /// No timers, and so many nanoseconds until the horizon of a check.
    #[must_use]
    pub fn until_horizon(horizon_ns: u64) -> Self {
        Countdowns { armed: SmallVec::new(), horizon_ns: Some(horizon_ns), age: None }
    }

    /// The time that is left until the horizon of a check, in nanoseconds; `None`: there is no horizon.
    #[must_use]
    pub fn horizon_ns(&self) -> Option<u64> {
        self.horizon_ns
    }

    /// The countdown of a timer, if it is armed.
    #[must_use]
    pub fn get(&self, timer: u32) -> Option<&Countdown> {
        self.armed.iter().find(|armed| armed.timer == timer)
    }

    /// The time until a timer's deadline; 0 for one that is not armed, fewer than none if the deadline is over.
    #[must_use]
    pub fn remaining_ns(&self, timer: u32) -> i64 {
        self.get(timer).map_or(0, |armed| armed.remaining_ns)
    }

    /// Arms a timer, and replaces its earlier countdown.
    pub fn arm(&mut self, timer: u32, after_ns: u64, repeats: bool) {
        self.set(Countdown {
            timer,
            remaining_ns: i64::try_from(after_ns).unwrap_or(i64::MAX),
            repeats,
            at_once: false,
        });
    }

    /// Arms a timer for an instant, with the clock at `now_ns`. A timer for a past instant is due now, and an interval
    /// for one is late: how it catches up is a matter of [`Countdowns::rearm`].
    pub fn arm_at(&mut self, timer: u32, at_ns: i64, now_ns: i64, repeats: bool) {
        let after_ns = at_ns.saturating_sub(now_ns);
        let remaining_ns = if repeats { after_ns } else { after_ns.max(OVER_NS) };
        self.set(Countdown { timer, remaining_ns, repeats, at_once: false });
    }

    /// Arms an interval for its next tick, by how late this one was.
    pub fn rearm(&mut self, timer: u32, period_ns: u64, missed: Missed) {
        let period = i64::try_from(period_ns).unwrap_or(i64::MAX);
        let late = -self.remaining_ns(timer).min(0);
        let remaining_ns = match missed {
            _ if late <= LATE_MAX_NS => period - late,
            Missed::Burst => period - late,
            Missed::Delay => period,
            Missed::Skip => period - late % period.max(1),
        };
        self.set(Countdown { timer, remaining_ns, repeats: true, at_once: false });
    }

    /// A wait for a timer begins.
    pub fn begin_wait(&mut self, timer: u32) {
        self.armed
            .iter_mut()
            .filter(|armed| armed.timer == timer)
            .for_each(|armed| armed.at_once = armed.remaining_ns <= 0);
    }

    /// Disarms a timer that was dropped, or has fired and does not repeat.
    pub fn disarm(&mut self, timer: u32) {
        self.armed.retain(|armed| armed.timer != timer);
    }

    /// Lets time pass for the timers for which `passes` holds. A timer that does not repeat is due at its deadline and
    /// from then on.
    pub fn elapse(&mut self, by_ns: i64, passes: impl Fn(u32) -> bool) {
        for armed in self.armed.iter_mut().filter(|armed| passes(armed.timer)) {
            armed.remaining_ns -= by_ns;
            armed.at_once = false;
            if !armed.repeats {
                armed.remaining_ns = armed.remaining_ns.max(OVER_NS);
            }
        }
    }

    /// The horizon comes nearer by so many nanoseconds.
    pub fn approach_horizon(&mut self, by_ns: u64) {
        self.horizon_ns = self.horizon_ns.map(|left_ns| left_ns.saturating_sub(by_ns));
    }

    /// How long ago the latest instant is that the owner holds.
    #[must_use]
    pub fn age(&self) -> Option<Age> {
        self.age
    }

    /// The owner holds another latest instant: so many nanoseconds after the one before, or after now if it held none.
    /// `reach_ns`: how far ago it is told; `is_in_reach`: whether it is known that it is not longer ago.
    ///
    /// Where the one before is out of reach, now is taken to be as long after it as the reach. What lies beyond half of that
    /// was told by now, and the rest by the one before.
    ///
    /// # Errors
    ///
    /// The reach is too short to tell how long ago the instant is, or it is to come in more than a third of the reach: the number
    /// that the reach is to exceed.
    pub fn hold(&mut self, latest_ns: Option<i64>, reach_ns: i64, is_in_reach: bool) -> Result<(), i64> {
        let Some(ns) = latest_ns else {
            self.age = None;
            return Ok(());
        };
        let before = self.age.unwrap_or(Age { ns: 0, reach_ns });
        let is_of_before = before.is_out_of_reach() && ns < before.reach_ns / 2;
        if is_of_before && (ns > 0 || reach_ns != before.reach_ns) {
            return Err(before.reach_ns);
        }
        let is_out_of_reach = is_of_before || !is_in_reach;
        let age_ns = if is_out_of_reach { reach_ns } else { before.ns.saturating_sub(ns) };
        if age_ns < -(reach_ns / 3) {
            return Err(age_ns.saturating_neg().saturating_mul(3));
        }
        self.age = Some(Age { ns: age_ns.min(reach_ns), reach_ns });
        Ok(())
    }

    /// Everything that the owner holds gets so many nanoseconds older.
    pub fn grow_old(&mut self, by_ns: i64) {
        self.age = self.age.map(|age| age.later(by_ns));
    }

    fn set(&mut self, countdown: Countdown) {
        self.disarm(countdown.timer);
        let place = self.armed.partition_point(|armed| armed.timer < countdown.timer);
        self.armed.insert(place, countdown);
    }
}

/// Quiet time. The timers of one owner; a timer that is awaited and late is due, as one at its deadline.
impl Time for Countdowns {
    type Event = u32;
    /// Nanoseconds.
    type Delay = u64;

    fn arm(&mut self, timer: u32, after_ns: u64) {
        Countdowns::arm(self, timer, after_ns, false);
    }

    fn disarm(&mut self, timer: u32) {
        Countdowns::disarm(self, timer);
    }

    fn due(&self, awaited: impl Fn(u32) -> bool) -> SmallVec<[u32; 2]> {
        let awaited = || self.armed.iter().filter(|armed| awaited(armed.timer));
        let least_ns = awaited().map(|armed| armed.remaining_ns.max(0)).min();
        awaited().filter(|armed| Some(armed.remaining_ns.max(0)) == least_ns).map(|armed| armed.timer).collect()
    }

    fn elapse_until(&self, until: u32, awaited: impl Fn(u32) -> bool) -> Option<Self> {
        let by_ns = self.get(until)?.remaining_ns.max(0);
        if self.armed.iter().any(|armed| awaited(armed.timer) && armed.remaining_ns < by_ns) {
            return None;
        }
        let mut passed = self.clone();
        passed.elapse(by_ns, |_| true);
        Some(passed)
    }

    fn covers(&self, other: &Self) -> bool {
        self == other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_timer_is_due_at_its_deadline_and_stays_so() {
        let mut timers = Countdowns::default();
        timers.arm(1, 10, false);
        timers.elapse(7, |_| true);
        assert_eq!(timers.remaining_ns(1), 3);
        timers.elapse(3, |_| true);
        assert_eq!(timers.remaining_ns(1), 0);
        timers.elapse(7, |_| true);
        assert_eq!(timers.remaining_ns(1), OVER_NS);
        timers.disarm(1);
        assert_eq!(timers, Countdowns::default());
    }

    #[test]
    fn the_horizon_comes_nearer_and_no_further_than_now() {
        let mut timers = Countdowns::until_horizon(10);
        timers.arm(0, 30, false);
        timers.approach_horizon(7);
        assert_eq!((timers.horizon_ns(), timers.remaining_ns(0)), (Some(3), 30));
        timers.approach_horizon(7);
        assert_eq!(timers.horizon_ns(), Some(0));
        let mut endless = Countdowns::default();
        endless.approach_horizon(7);
        assert_eq!(endless, Countdowns::default());
    }

    #[test]
    fn an_instant_grows_old_until_another_one_is_held() {
        let mut timers = Countdowns::default();
        timers.grow_old(5);
        assert_eq!(timers, Countdowns::default(), "nothing is held");
        assert_eq!(timers.hold(Some(0), 100, true), Ok(()));
        timers.grow_old(5);
        assert_eq!(timers.age().map(|age| age.ns), Some(5));
        assert_eq!(timers.hold(Some(12), 100, true), Ok(()));
        assert_eq!(timers.age().map(|age| age.ns), Some(-7), "it is to come");
        assert_eq!(timers.hold(Some(50), 100, true), Err(3 * 57), "in too long a time");
        assert_eq!(timers.hold(None, 100, true), Ok(()));
        assert_eq!(timers, Countdowns::default());
    }

    #[test]
    fn an_instant_out_of_reach_stays_there_until_one_is_told_by_now() {
        let mut timers = Countdowns::default();
        assert_eq!(timers.hold(Some(0), 100, true), Ok(()));
        timers.grow_old(99);
        assert!(timers.age().is_some_and(|age| !age.is_out_of_reach()));
        timers.grow_old(1);
        let old = timers.clone();
        timers.grow_old(1_000);
        assert_eq!(timers, old);
        assert_eq!(timers.hold(Some(-20), 100, true), Ok(()));
        assert_eq!(timers, old, "another one that was held before");
        assert_eq!(timers.hold(Some(20), 100, true), Err(100), "it may be ago, or to come");
        assert_eq!(timers.hold(Some(100 - 3), 100, true), Ok(()));
        assert_eq!(timers.age().map(|age| age.ns), Some(3), "three before now");
        assert_eq!(timers.hold(Some(-9), 100, false), Ok(()));
        assert_eq!(timers, old, "it is not known how long ago");
    }

    #[test]
    fn time_passes_only_for_those_that_share_the_clock() {
        let mut timers = Countdowns::default();
        timers.arm(2, 10, false);
        timers.arm(1, 10, false);
        timers.elapse(4, |timer| timer == 2);
        assert_eq!((timers.remaining_ns(1), timers.remaining_ns(2)), (10, 6));
    }

    #[test]
    fn a_late_interval_does_with_missed_ticks_what_it_is_told() {
        const MS: i64 = 1_000_000;
        let rearmed = |missed, passed_ms: i64| {
            let mut timers = Countdowns::default();
            timers.arm(0, 10 * MS.unsigned_abs(), true);
            timers.elapse(passed_ms * MS, |_| true);
            timers.rearm(0, 10 * MS.unsigned_abs(), missed);
            timers.remaining_ns(0)
        };
        for (missed, expected_ms) in [(Missed::Burst, -15), (Missed::Delay, 10), (Missed::Skip, 5)] {
            assert_eq!(rearmed(missed, 35), expected_ms * MS, "{missed:?}");
            assert_eq!(rearmed(missed, 15), 5 * MS, "{missed:?}: 5 ms late");
        }
        assert_eq!([Missed::Burst, Missed::Delay, Missed::Skip].map(|missed| rearmed(missed, 16) / MS), [4, 10, 4]);
    }

    #[test]
    fn a_timer_is_due_at_once_until_time_passes() {
        let mut timers = Countdowns::default();
        timers.arm(0, 0, false);
        timers.arm(1, 5, false);
        [0, 1].into_iter().for_each(|timer| timers.begin_wait(timer));
        let at_once = |timers: &Countdowns| [0, 1].map(|timer| timers.get(timer).is_some_and(|armed| armed.at_once));
        assert_eq!(at_once(&timers), [true, false]);
        timers.elapse(5, |_| true);
        assert_eq!(at_once(&timers), [false, false], "now both are due");
    }

    #[test]
    fn an_instant_that_is_over_is_due() {
        let mut timers = Countdowns::default();
        timers.arm_at(0, 5, 8, false);
        timers.arm_at(1, 8, 5, false);
        timers.arm_at(2, -5, 8, false);
        assert_eq!([0, 1, 2].map(|timer| timers.remaining_ns(timer)), [OVER_NS, 3, OVER_NS]);
    }

    #[test]
    fn an_interval_from_an_instant_that_is_over_is_late_by_the_time_since() {
        const MS: i64 = 1_000_000;
        for (missed, expected_ms) in [(Missed::Burst, -25), (Missed::Delay, 10), (Missed::Skip, 5)] {
            let mut timers = Countdowns::default();
            timers.arm_at(0, -30 * MS, 5 * MS, true);
            assert_eq!(timers.remaining_ns(0), -35 * MS);
            timers.rearm(0, 10 * MS.unsigned_abs(), missed);
            assert_eq!(timers.remaining_ns(0), expected_ms * MS, "{missed:?}");
        }
    }

    proptest! {
        /// Equal sets of countdowns are equal values, in whatever order they were armed.
        #[test]
        fn the_order_of_arming_does_not_show(armed in proptest::collection::btree_map(0u32..6, 0u64..9, 0..6)) {
            let (mut one, mut other) = (Countdowns::default(), Countdowns::default());
            armed.iter().for_each(|(&timer, &after)| one.arm(timer, after, false));
            armed.iter().rev().for_each(|(&timer, &after)| other.arm(timer, after, false));
            prop_assert_eq!(one, other);
        }
    }
}
