//! Instants that are too old to be told apart: whatever a zone allows that has forgotten how old they are, it has allowed
//! before, but for how old they are.

use crate::laws::{narrowed, narrowings, pinned, zones};
use crate::steps::{event, moments};
use netcheck_models::time::{Delay, Moment, Scheduled, Time, Zone};
use proptest::prelude::*;

const REACH: i64 = 4;

/// The events whose age is forgotten, and the others that a program may ask about.
fn is_kept(event: Scheduled) -> bool {
    event.number < 4
}

fn is_asked_for(event: Scheduled) -> bool {
    event.number == 4
}

fn aged(zone: &Zone) -> Option<Zone> {
    zone.aged(is_kept, is_asked_for, REACH)
}

/// The valuations that an observer of the distances between some moments, up to the reach, takes for `point`, and in which
/// all lie as there but for the instants that age.
fn looks_as(zone: &Zone, point: &Zone) -> Option<Zone> {
    let is_observed = |moment: Moment| moment.event.is_none_or(|event| is_kept(event) || is_asked_for(event));
    let may_age = |moment: Moment| moment.event.is_some_and(is_kept);
    let mut alike = zone.clone();
    for from in moments(point) {
        for to in moments(point) {
            let distance_ns = point.distance(from, to).exactly().expect("a point");
            let are_observed = is_observed(from) && is_observed(to);
            if are_observed && distance_ns.abs() <= REACH || !may_age(from) && !may_age(to) {
                let later = from.plus_ns(distance_ns);
                alike = alike.at_most(to, later)?.at_most(later, to)?;
            } else if are_observed && distance_ns > 0 {
                alike = alike.at_most(from.plus_ns(REACH + 1), to)?;
            }
        }
    }
    Some(alike)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn what_is_forgotten_can_not_be_told((zone, _) in zones(), past in 0..40i64, narrowings in narrowings(), oldest in 1..60i64) {
        // Time has passed, beyond all that is scheduled.
        let mut zone = zone;
        zone.arm(event(6), Delay::exactly(past.unsigned_abs()));
        let zone = zone.elapse_until(event(6), |other| other == event(6)).expect("nothing is awaited");
        let Some(aged) = aged(&zone) else { return Ok(()) };
        prop_assert!(aged.includes(&zone) && !zone.includes(&aged));
        prop_assert_eq!(aged.aged(is_kept, is_asked_for, REACH), None);
        for from in moments(&aged) {
            for to in moments(&aged) {
                let Some(most_ns) = aged.distance(from, to).most_ns else { continue };
                prop_assert_eq!(aged.at_most(to, from.plus_ns(most_ns)), Some(aged.clone()), "it is canonical");
            }
        }
        let mut point = narrowed(&aged, &narrowings);
        for &event in aged.events() {
            let young = point.at_most(Moment::NOW.plus_ns(-oldest - 20 * i64::from(event.number)), Moment::of(event));
            point = young.unwrap_or(point);
        }
        if let Some(point) = pinned(&point) {
            prop_assert!(looks_as(&zone, &point).is_some(), "{point:?} of {aged:?} is new in {zone:?}");
        }
    }
}

#[test]
fn an_old_instant_is_forgotten_once_it_is_far_from_all_others() {
    let mut zone = Zone::default();
    zone.arm(event(0), Delay::NONE);
    zone.arm(event(6), Delay::between(3, 5));
    let mut ages = Vec::new();
    for _ in 0..4 {
        zone = zone.elapse_until(event(6), |other| other == event(6)).expect("it comes");
        zone.arm(event(6), Delay::between(3, 5));
        zone = aged(&zone).unwrap_or(zone);
        let age = zone.distance(Moment::of(event(0)), Moment::NOW);
        ages.push((age.least_ns, age.most_ns));
    }
    assert_eq!(ages, [(Some(3), Some(5)), (Some(5), None), (Some(5), None), (Some(5), None)]);
}

#[test]
fn of_two_old_instants_the_older_one_is_forgotten_if_they_lie_far_apart() {
    let at = |older_ns: u64, newer_ns: u64| {
        let mut zone = Zone::default();
        zone.arm(event(0), Delay::NONE);
        zone.arm(event(6), Delay::exactly(older_ns));
        zone = zone.elapse_until(event(6), |other| other == event(6)).expect("it comes");
        zone.arm(event(1), Delay::NONE);
        zone.arm(event(6), Delay::exactly(newer_ns));
        zone = zone.elapse_until(event(6), |other| other == event(6)).expect("it comes");
        zone.disarm(event(6));
        aged(&zone).unwrap_or(zone)
    };
    assert_eq!(at(10, 20), at(30, 7), "both are forgotten");
    assert_ne!(at(10, 3), at(10, 4), "the newer one is known");
    assert_eq!(at(10, 3), at(20, 3));
    assert_ne!(at(4, 20), at(4, 21), "they lie near each other");
}
