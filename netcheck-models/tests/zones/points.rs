//! Zones against the sets of all their integer points.

use crate::steps::{Driver, Oracle, Sizes, Step, moments, steps};
use netcheck_models::time::{Delay, Moment, Scheduled, Zone};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// All valuations, listed. A delay without an upper bound ends at `horizon`.
struct Points {
    points: BTreeSet<BTreeMap<Scheduled, i64>>,
    horizon: i64,
}

fn instant(point: &BTreeMap<Scheduled, i64>, moment: Moment) -> i64 {
    moment.event.map_or(0, |event| point[&event]) + moment.after_ns
}

impl Points {
    fn new(horizon: i64) -> Self {
        Points { points: BTreeSet::from([BTreeMap::new()]), horizon }
    }

    fn replace(&mut self, points: BTreeSet<BTreeMap<Scheduled, i64>>) -> bool {
        let possible = !points.is_empty();
        if possible {
            self.points = points;
        }
        possible
    }
}

impl Oracle for Points {
    fn arm_from(&mut self, event: Scheduled, base: Moment, delay: Delay) {
        let (least, most) = (delay.least_ns() as i64, delay.most_ns().map_or(self.horizon, |most| most as i64));
        let armed = self.points.iter().flat_map(|point| {
            (least..=most).map(move |delay| {
                let mut point = point.clone();
                point.insert(event, instant(&point, base) + delay);
                point
            })
        });
        self.points = armed.collect();
    }

    fn disarm(&mut self, event: Scheduled) {
        let points = std::mem::take(&mut self.points).into_iter();
        let without =
            |point: BTreeMap<Scheduled, i64>| point.into_iter().filter(|(other, _)| *other != event).collect();
        self.points = points.map(without).collect();
    }

    fn elapse(&mut self, event: Scheduled, awaited: &BTreeSet<Scheduled>) -> bool {
        let first = self.points.iter().filter(|point| awaited.iter().all(|other| point[&event] <= point[other]));
        let passed = first.map(|point| point.iter().map(|(&other, at)| (other, at - point[&event])).collect());
        let passed = passed.collect();
        self.replace(passed)
    }

    fn at_most(&mut self, one: Moment, other: Moment) -> bool {
        let left = self.points.iter().filter(|point| instant(point, one) <= instant(point, other)).cloned();
        let left = left.collect();
        self.replace(left)
    }

    fn compare(&self, zone: &Zone) {
        let moments = moments(zone);
        // Each bound is attained, so the zone is canonical.
        for &from in &moments {
            for &to in &moments {
                let most = self.points.iter().map(|point| instant(point, to) - instant(point, from)).max();
                let most = most.filter(|most| *most <= self.horizon / 2);
                assert_eq!(zone.distance(from, to).most_ns, most, "from {from:?} to {to:?} in {zone:?}");
            }
        }
        // Each integer point near the bounds of the zone is a point of the oracle.
        let mut near: Vec<BTreeMap<Scheduled, i64>> = vec![BTreeMap::new()];
        for &event in zone.events() {
            let span = zone.distance(Moment::NOW, Moment::of(event));
            let (first, last) = match (span.least_ns, span.most_ns) {
                (Some(least), Some(most)) => (least, most.min(least + 3)),
                (Some(least), None) => (least, least + 3),
                (None, Some(most)) => (most - 3, most),
                (None, None) => (-2, 2),
            };
            let grown = near.iter().flat_map(|point| {
                (first..=last).map(move |at| {
                    let mut point = point.clone();
                    point.insert(event, at);
                    point
                })
            });
            near = grown.filter(|point| is_in(point, zone, event)).collect();
        }
        for point in near {
            assert!(self.points.contains(&point), "{point:?} is in {zone:?}, and cannot be reached");
        }
    }
}

/// Whether the bounds between an event and those before it admit a point.
fn is_in(point: &BTreeMap<Scheduled, i64>, zone: &Zone, event: Scheduled) -> bool {
    let others = point.keys().map(|&other| Moment::of(other)).chain([Moment::NOW]);
    others.into_iter().all(|other| {
        let (span, ns) = (zone.distance(other, Moment::of(event)), point[&event] - instant(point, other));
        span.least_ns.is_none_or(|least| least <= ns) && span.most_ns.is_none_or(|most| ns <= most)
    })
}

/// Steps in which few delays have no upper bound, which would make too many points.
fn agree(steps: Vec<Step>, unbounded_max: usize, horizon: i64) {
    let (mut driver, mut oracle) = (Driver::default(), Points::new(horizon));
    let mut unbounded = 0;
    for step in steps {
        if let Step::Arm { delay, .. } | Step::ArmFrom { delay, .. } = &step
            && delay.most_ns().is_none()
        {
            unbounded += 1;
            if unbounded > unbounded_max {
                continue;
            }
        }
        driver.take(&step, &mut oracle);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Each operation has exactly the integer points that it should have, and the tightest bounds for them.
    #[test]
    fn bounded_zones_have_the_right_points(steps in steps(Sizes { constant: 3, width: 2, unbounded: 0 }, 14)) {
        agree(steps, 0, i64::MAX);
    }

    /// Constants add up to less than half of the horizon: 8 operations with a time after, a least delay and a width.
    #[test]
    fn zones_with_an_unbounded_event_have_the_right_points(
        steps in steps(Sizes { constant: 2, width: 1, unbounded: 12 }, 8),
    ) {
        agree(steps, 1, 90);
    }

    #[test]
    fn zones_with_two_unbounded_events_have_the_right_points(
        steps in steps(Sizes { constant: 1, width: 1, unbounded: 30 }, 7),
    ) {
        agree(steps, 2, 46);
    }
}
