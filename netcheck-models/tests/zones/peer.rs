//! Zones against the difference bound matrices of the crate `clock-zones`.
//!
//! Its clocks are never negative. So the oracle has the absolute instant of everything that was ever scheduled, each as
//! a clock of its own, and the present instant is one of them.

use crate::steps::{Driver, Oracle, Sizes, moments, steps};
use clock_zones::{AnyClock, Bound, Clock, Constraint, Dbm, Variable, Zone as _};
use netcheck_models::time::{Delay, Moment, Scheduled, Zone};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const STEPS_MAX: usize = 30;
/// Late enough that no moment lies before the instant 0.
const START_NS: i64 = 1_000_000_000_000;

struct Peer {
    instants: Dbm<i64>,
    count: usize,
    now: Variable,
    events: BTreeMap<Scheduled, Variable>,
}

impl Peer {
    fn new() -> Self {
        let mut instants = Dbm::<i64>::new_unconstrained(STEPS_MAX + 1);
        let now = Clock::variable(0);
        instants.add_constraint(Constraint::new_le(now, START_NS));
        instants.add_constraint(Constraint::new_ge(now, START_NS));
        Peer { instants, count: 1, now, events: BTreeMap::new() }
    }

    fn instant(&self, moment: Moment) -> Variable {
        moment.event.map_or(self.now, |event| self.events[&event])
    }

    /// `false` if a constraint leaves nothing. (`Zone::is_empty` of the crate looks at one clock only, and misses
    /// contradictions between clocks without upper bounds.)
    fn add(&mut self, constraints: impl IntoIterator<Item = Constraint<i64>>) -> bool {
        let mut instants = self.instants.clone();
        instants.add_constraints(constraints);
        let is_possible = |clock: Variable| !instants.get_bound(clock, clock).is_tighter_than(&i64::le_zero());
        let possible = (0..self.count).map(Clock::variable).all(is_possible);
        if possible {
            self.instants = instants;
        }
        possible
    }
}

impl Oracle for Peer {
    fn arm_from(&mut self, event: Scheduled, base: Moment, delay: Delay) {
        let (new, base_instant) = (Clock::variable(self.count), self.instant(base));
        self.count += 1;
        let least = base.after_ns + delay.least_ns() as i64;
        assert!(self.add([Constraint::new_diff_ge(new, base_instant, least)]));
        if let Some(most) = delay.most_ns() {
            assert!(self.add([Constraint::new_diff_le(new, base_instant, base.after_ns + most as i64)]));
        }
        self.events.insert(event, new);
    }

    fn disarm(&mut self, event: Scheduled) {
        self.events.remove(&event);
    }

    fn elapse(&mut self, event: Scheduled, awaited: &BTreeSet<Scheduled>) -> bool {
        let next = self.events[&event];
        let others: Vec<Variable> =
            awaited.iter().map(|other| self.events[other]).filter(|other| *other != next).collect();
        let possible = self.add(others.into_iter().map(|other| Constraint::new_diff_le(next, other, 0)));
        if possible {
            self.now = next;
        }
        possible
    }

    fn at_most(&mut self, one: Moment, other: Moment) -> bool {
        let (one_instant, other_instant) = (self.instant(one), self.instant(other));
        let bound = other.after_ns - one.after_ns;
        // The crate takes no constraint on a clock and itself.
        if one_instant.as_clock() == other_instant.as_clock() {
            return bound >= 0;
        }
        self.add([Constraint::new_diff_le(one_instant, other_instant, bound)])
    }

    fn compare(&self, zone: &Zone) {
        for from in moments(zone) {
            for to in moments(zone).into_iter().filter(|to| *to != from) {
                let most = self.instants.get_bound(self.instant(to), self.instant(from)).constant();
                assert_eq!(zone.distance(from, to).most_ns, most, "from {from:?} to {to:?} in {zone:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_zone_has_the_bounds_that_clock_zones_has(
        steps in steps(Sizes { constant: 1_000_000, width: 700_000, unbounded: 20 }, STEPS_MAX),
    ) {
        let (mut driver, mut oracle) = (Driver::default(), Peer::new());
        steps.iter().for_each(|step| driver.take(step, &mut oracle));
    }
}
