//! Laws of all zones.

use crate::steps::{Driver, EVENTS, Oracle, Sizes, event, moments, steps};
use netcheck_models::time::{Comparison, Delay, Moment, Scheduled, Time, Zone};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// An oracle that believes the zone.
#[derive(Default)]
struct Credulous(Zone);

impl Oracle for Credulous {
    fn arm_from(&mut self, event: Scheduled, base: Moment, delay: Delay) {
        self.0.arm_from(event, base, delay);
    }

    fn disarm(&mut self, event: Scheduled) {
        self.0.disarm(event);
    }

    fn elapse(&mut self, event: Scheduled, awaited: &BTreeSet<Scheduled>) -> bool {
        self.0.elapse_until(event, |event| awaited.contains(&event)).map(|next| self.0 = next).is_some()
    }

    fn at_most(&mut self, one: Moment, other: Moment) -> bool {
        self.0.at_most(one, other).map(|next| self.0 = next).is_some()
    }

    fn compare(&self, zone: &Zone) {
        assert_eq!(&self.0, zone);
    }
}

const SIZES: Sizes = Sizes { constant: 6, width: 5, unbounded: 20 };

/// A zone that some operations lead to, with its awaited events.
pub fn zones() -> impl Strategy<Value = (Zone, BTreeSet<Scheduled>)> {
    steps(SIZES, 16).prop_map(|steps| {
        let (mut driver, mut oracle) = (Driver::default(), Credulous::default());
        steps.iter().for_each(|step| driver.take(step, &mut oracle));
        (driver.zone, driver.awaited)
    })
}

pub type Narrowing = (prop::sample::Index, prop::sample::Index, i64);

/// The zone after some constraints, as far as they leave anything.
pub fn narrowed(zone: &Zone, narrowings: &[Narrowing]) -> Zone {
    let moments = moments(zone);
    let mut narrowed = zone.clone();
    for (one, other, ns) in narrowings {
        let next = narrowed.at_most(*one.get(&moments), other.get(&moments).plus_ns(*ns));
        narrowed = next.unwrap_or(narrowed);
    }
    narrowed
}

pub fn narrowings() -> impl Strategy<Value = Vec<Narrowing>> {
    prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), -6..6i64), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The bounds that a zone has already change nothing, and any tighter one changes it.
    #[test]
    fn a_zone_is_canonical((zone, _) in zones()) {
        for from in moments(&zone) {
            for to in moments(&zone) {
                let Some(most_ns) = zone.distance(from, to).most_ns else { continue };
                prop_assert_eq!(zone.at_most(to, from.plus_ns(most_ns)), Some(zone.clone()));
                let tighter = zone.at_most(to, from.plus_ns(most_ns - 1));
                prop_assert!(tighter.is_none_or(|tighter| zone.includes(&tighter) && !tighter.includes(&zone)));
            }
        }
    }

    #[test]
    fn inclusion_is_a_partial_order((zone, _) in zones(), a in narrowings(), b in narrowings(), c in narrowings()) {
        let a = narrowed(&zone, &a);
        let (b, c) = (narrowed(&a, &b), narrowed(&zone, &c));
        prop_assert!(zone.includes(&zone) && zone.includes(&a) && a.includes(&b) && zone.includes(&b));
        for (one, other) in [(&zone, &a), (&a, &b), (&a, &c), (&b, &c)] {
            prop_assert_eq!(one.includes(other) && other.includes(one), one == other);
            // Each zone is the set of its valuations: a valuation of a zone belongs to all zones that include it.
            let least = pinned(other);
            prop_assert!(!one.includes(other) || least.is_none_or(|least| one.includes(&least)));
        }
        prop_assert!(!c.includes(&a) || c.includes(&b));
    }

    /// A zone that includes another one can do all that this one can, and still includes it then.
    #[test]
    fn a_zone_that_includes_another_does_what_it_does((zone, awaited) in zones(), narrowings in narrowings()) {
        let less = narrowed(&zone, &narrowings);
        let is_awaited = |event: Scheduled| awaited.contains(&event);
        for event in less.due(is_awaited) {
            let later = zone.elapse_until(event, is_awaited);
            let less_later = less.elapse_until(event, is_awaited).expect("it is due");
            prop_assert!(later.is_some_and(|later| later.includes(&less_later)));
        }
        for event in less.events() {
            let (mut more, mut less) = (zone.clone(), less.clone());
            more.disarm(*event);
            less.disarm(*event);
            prop_assert!(more.includes(&less));
        }
    }

    /// After an event came next, it is now, and no awaited event lies in the past. If some event is awaited, one is due.
    #[test]
    fn the_next_event_is_now_and_the_others_are_to_come((zone, awaited) in zones()) {
        let is_awaited = |event: Scheduled| awaited.contains(&event);
        let due = zone.due(is_awaited);
        prop_assert_eq!(due.is_empty(), awaited.is_empty());
        for event in due {
            let later = zone.elapse_until(event, is_awaited).expect("it is due");
            prop_assert_eq!(later.distance(Moment::NOW, Moment::of(event)).exactly(), Some(0));
            for &other in &awaited {
                let wait = later.distance(Moment::NOW, Moment::of(other)).least_ns;
                prop_assert!(wait.is_some_and(|ns| ns >= 0));
            }
            // Distances between events are not changed, but narrowed.
            for one in zone.events() {
                for other in zone.events() {
                    let span = |zone: &Zone| zone.distance(Moment::of(*one), Moment::of(*other));
                    prop_assert!(span(&later).most_ns.unwrap_or(i64::MAX) <= span(&zone).most_ns.unwrap_or(i64::MAX));
                }
            }
        }
    }

    #[test]
    fn a_comparison_tells_the_outcomes_that_are_possible((zone, _) in zones(), ns in -8..8i64) {
        for one in moments(&zone) {
            for other in moments(&zone).into_iter().map(|other| other.plus_ns(ns)) {
                let equal = zone.at_most(one, other).and_then(|zone| zone.at_most(other, one)).is_some();
                let less = zone.at_most(one.plus_ns(1), other).is_some();
                let greater = zone.at_most(other.plus_ns(1), one).is_some();
                prop_assert_eq!(zone.compare(one, other), Comparison { less, equal, greater });
                let exactly = zone.distance(other, one).exactly();
                prop_assert_eq!(exactly == Some(0), equal && !less && !greater);
            }
        }
    }

    #[test]
    fn the_earliest_instants_are_a_valuation((zone, _) in zones()) {
        let is_bounded = zone.earliest().iter().all(|(_, at)| at.is_some());
        prop_assert_eq!(pinned(&zone).is_some(), is_bounded);
    }

    #[test]
    fn a_free_event_is_one_that_takes_any_delay_from_now((zone, _) in zones()) {
        for &event in zone.events() {
            let mut fresh = zone.clone();
            fresh.disarm(event);
            fresh.arm(event, Delay::ANY);
            prop_assert_eq!(zone.is_free(event), fresh == zone);
        }
    }

    /// A zone is the product of its parts if and only if they have nothing but now in common.
    #[test]
    fn a_product_has_its_factors_as_parts((one, _) in zones(), (other, _) in zones()) {
        let other = other.renamed(|event| Scheduled { owner: event.owner + 1, number: event.number + EVENTS });
        let product = one.product(&other);
        prop_assert_eq!(&product, &other.product(&one));
        let is_own = |event: Scheduled| one.is_scheduled(event);
        prop_assert_eq!(product.projected(is_own), one.clone());
        prop_assert_eq!(product.projected(|event| !is_own(event)), other.clone());
        prop_assert_eq!(one.product(&Zone::default()), one.clone());
        let factors = one.projected(|event| event.owner == 0).product(&one.projected(|event| event.owner == 1));
        prop_assert!(factors.includes(&one));
        // Canonical, and no more than the conjunction of both.
        for from in moments(&one) {
            for to in moments(&other) {
                let over_now = one.distance(from, Moment::NOW).most_ns.zip(other.distance(Moment::NOW, to).most_ns);
                prop_assert_eq!(product.distance(from, to).most_ns, over_now.map(|(there, on)| there + on));
            }
        }
    }

    #[test]
    fn a_projection_is_the_zone_without_the_rest((zone, _) in zones(), kept in prop::collection::btree_set(0..EVENTS, 0..5)) {
        let is_kept = |event: Scheduled| kept.contains(&event.number);
        let mut disarmed = zone.clone();
        zone.events().iter().filter(|event| !is_kept(**event)).for_each(|&event| disarmed.disarm(event));
        prop_assert_eq!(zone.projected(is_kept), disarmed);
    }

    #[test]
    fn a_renaming_changes_names_only((zone, awaited) in zones(), names in Just((0..EVENTS).collect::<Vec<u32>>()).prop_shuffle()) {
        let there = |number: u32| Scheduled { owner: 9, number: names[number as usize] };
        let back = |new: Scheduled| event(names.iter().position(|name| *name == new.number).expect("a name") as u32);
        let renamed = zone.renamed(|event| there(event.number));
        prop_assert_eq!(&renamed.renamed(back), &zone);
        for event in zone.due(|event| awaited.contains(&event)) {
            let later = zone.elapse_until(event, |event| awaited.contains(&event)).expect("it is due");
            let renamed_later = renamed.elapse_until(there(event.number), |event| awaited.contains(&back(event)));
            prop_assert_eq!(renamed_later, Some(later.renamed(|event| there(event.number))));
        }
    }

    /// Copies of one packet: in whatever order they were named, the sorted zone is the same, unless it cannot tell them
    /// apart; and it is a renaming of the zone.
    #[test]
    fn sorting_copies_forgets_the_order_of_their_names(
        sent in prop::collection::vec((0..4u64, 0..4u64), 2..5),
        names in Just(vec![0, 1, 2, 3]).prop_shuffle(),
    ) {
        let copies = |names: &[u32]| {
            let mut zone = Zone::default();
            for (index, (least, width)) in sent.iter().enumerate() {
                zone.arm(event(names[index]), Delay::between(*least, least + width));
                // A timer that separates the instants at which they were sent.
                zone.arm(event(6), Delay::exactly(1));
                zone = zone.elapse_until(event(6), |event| event.number == 6).expect("only it is awaited");
            }
            zone.arm(event(5), Delay::exactly(3));
            zone
        };
        let zone = copies(&names);
        let alike: Vec<Scheduled> = zone.events().iter().copied().filter(|event| event.number < 4).collect();
        let first = copies(&[0, 1, 2, 3]).renamed(|event| match event.number {
            number if number < 4 => alike[number as usize],
            _ => event,
        });
        let sorted = zone.sorted(&alike);
        prop_assert_eq!(&sorted, &first.sorted(&alike));
        prop_assert_eq!(&sorted.sorted(&alike), &sorted);
        let instants = |zone: &Zone| {
            let mut spans: Vec<_> = alike.iter().map(|event| zone.distance(Moment::NOW, Moment::of(*event))).collect();
            spans.sort_by_key(|span| (span.least_ns, span.most_ns));
            spans
        };
        prop_assert_eq!(instants(&sorted), instants(&zone));
    }
}

/// The zone with each event at its earliest instant, as its only valuation.
pub fn pinned(zone: &Zone) -> Option<Zone> {
    let mut pinned = zone.clone();
    for (event, at_ns) in zone.earliest() {
        let at = Moment::NOW.plus_ns(at_ns?);
        pinned = pinned.at_most(Moment::of(event), at)?.at_most(at, Moment::of(event))?;
    }
    Some(pinned)
}

/// One copy is known to come before another, and each may come at any instant of the interval.
#[test]
fn sorting_tells_copies_apart_by_their_order() {
    let zone_with = |first: u32, second: u32| {
        let mut zone = Zone::default();
        (0..3).for_each(|copy| zone.arm(event(copy), Delay::between(0, 10)));
        zone.at_most(Moment::of(event(first)), Moment::of(event(second))).expect("it may come first")
    };
    let alike = [0, 1, 2].map(event);
    let sorted = zone_with(0, 1).sorted(&alike);
    for (first, second) in [(0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        assert_eq!(zone_with(first, second).sorted(&alike), sorted);
    }
}

#[test]
fn a_zone_shows_its_bounds() {
    let mut zone = Zone::default();
    zone.arm(event(0), Delay::exactly(10));
    zone.arm(event(2), Delay::at_least(5));
    assert_eq!(format!("{zone:?}"), "{0.0 - now: 10..=10, 0.2 - now: 5..=, 0.2 - 0.0: -5..=}");
}

#[test]
fn an_interval_ticks_from_the_instant_of_its_last_tick() {
    let (tick, copy) = (event(0), event(1));
    let mut zone = Zone::default();
    zone.arm(tick, Delay::exactly(10));
    zone.arm(copy, Delay::between(12, 15));
    // The tick is not polled before the copy arrives.
    let mut zone = zone.elapse_until(copy, |event| event == copy).expect("only the copy is awaited");
    let deadline = Moment::of(tick);
    assert_eq!(zone.compare(deadline, Moment::NOW), Comparison { less: true, equal: false, greater: false });
    zone.arm_from(tick, deadline, Delay::exactly(10));
    zone.disarm(copy);
    let wait = zone.distance(Moment::NOW, deadline);
    assert_eq!((wait.least_ns, wait.most_ns), (Some(5), Some(8)));
    assert_eq!(wait.exactly(), None);
}

#[test]
#[should_panic(expected = "is not scheduled")]
fn a_moment_of_an_event_that_is_not_scheduled_is_refused() {
    let _ = Zone::default().distance(Moment::NOW, Moment::of(event(0)));
}
