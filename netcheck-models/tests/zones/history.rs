//! Zones against the constraints of the whole history, in numbers that do not overflow.

use crate::steps::{Driver, Oracle, Sizes, moments, steps};
use netcheck_models::time::{Delay, FAR_NS, Moment, Scheduled, Zone};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// All instants that ever were scheduled, and the constraints on them. Nothing is ever forgotten: time passes by another
/// instant becoming the present one.
#[derive(Clone, Default)]
struct History {
    instants: usize,
    /// The difference of two instants, and its upper bound.
    constraints: Vec<(usize, usize, i128)>,
    now: usize,
    events: BTreeMap<Scheduled, usize>,
}

impl History {
    fn instant(&self, moment: Moment) -> usize {
        moment.event.map_or(self.now, |event| self.events[&event])
    }

    /// The tightest bounds of all differences (Floyd and Warshall); `None` if the constraints contradict each other.
    fn closed(&self) -> Option<Vec<Vec<Option<i128>>>> {
        let all = 0..=self.instants;
        let mut bounds = vec![vec![None; self.instants + 1]; self.instants + 1];
        all.clone().for_each(|instant| bounds[instant][instant] = Some(0));
        let tighten = |known: &mut Option<i128>, bound: i128| {
            *known = Some(known.map_or(bound, |known| known.min(bound)));
        };
        self.constraints.iter().for_each(|&(one, other, bound)| tighten(&mut bounds[one][other], bound));
        for over in all.clone() {
            for from in all.clone() {
                for to in all.clone() {
                    if let (Some(there), Some(on)) = (bounds[from][over], bounds[over][to]) {
                        tighten(&mut bounds[from][to], there + on);
                    }
                }
            }
        }
        all.clone().all(|instant| bounds[instant][instant] == Some(0)).then_some(bounds)
    }

    fn if_possible(&mut self, next: History) -> bool {
        let possible = next.closed().is_some();
        if possible {
            *self = next;
        }
        possible
    }
}

/// An oracle that asks for equality, or only that the zone is no smaller.
struct Constraints {
    history: History,
    exact: bool,
}

impl Oracle for Constraints {
    fn arm_from(&mut self, event: Scheduled, base: Moment, delay: Delay) {
        let history = &mut self.history;
        history.instants += 1;
        let (new, base_instant, after) = (history.instants, history.instant(base), i128::from(base.after_ns));
        history.constraints.push((base_instant, new, -(after + i128::from(delay.least_ns()))));
        history.constraints.extend(delay.most_ns().map(|most| (new, base_instant, after + i128::from(most))));
        history.events.insert(event, new);
    }

    fn disarm(&mut self, event: Scheduled) {
        self.history.events.remove(&event);
    }

    fn elapse(&mut self, event: Scheduled, awaited: &BTreeSet<Scheduled>) -> bool {
        let mut next = self.history.clone();
        next.now = next.events[&event];
        next.constraints.extend(awaited.iter().map(|other| (next.now, next.events[other], 0)));
        self.history.if_possible(next)
    }

    fn at_most(&mut self, one: Moment, other: Moment) -> bool {
        let mut next = self.history.clone();
        let bound = i128::from(other.after_ns) - i128::from(one.after_ns);
        next.constraints.push((next.instant(one), next.instant(other), bound));
        self.history.if_possible(next)
    }

    fn is_exact(&self) -> bool {
        self.exact
    }

    fn compare(&self, zone: &Zone) {
        let bounds = self.history.closed().expect("it was possible");
        for from in moments(zone) {
            for to in moments(zone) {
                let most = zone.distance(from, to).most_ns.map(i128::from);
                let exact = bounds[self.history.instant(to)][self.history.instant(from)];
                if self.exact {
                    assert_eq!(most, exact, "from {from:?} to {to:?} in {zone:?}");
                } else {
                    let is_weaker = most.is_none_or(|most| exact.is_some_and(|exact| most >= exact));
                    assert!(is_weaker, "from {from:?} to {to:?} in {zone:?}: {exact:?} is possible");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A zone forgets nothing that matters: it has the bounds that follow from all constraints since the start.
    #[test]
    fn a_zone_has_the_bounds_of_its_history(
        steps in steps(Sizes { constant: 1_000_000_000, width: 500_000_000, unbounded: 20 }, 30),
    ) {
        let mut oracle = Constraints { history: History::default(), exact: true };
        let mut driver = Driver::default();
        steps.iter().for_each(|step| driver.take(step, &mut oracle));
    }

    /// Where bounds are too far away for a zone, it is larger than it should be, and never smaller.
    #[test]
    fn a_zone_with_far_bounds_is_never_too_small(
        steps in steps(Sizes { constant: FAR_NS as u64 / 2, width: FAR_NS as u64, unbounded: 10 }, 20),
    ) {
        let mut oracle = Constraints { history: History::default(), exact: false };
        let mut driver = Driver::default();
        steps.iter().for_each(|step| driver.take(step, &mut oracle));
    }
}
