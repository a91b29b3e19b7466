//! Digitization: zones find the orders of events that an explorer finds which counts time in whole units.

use netcheck_models::time::{Delay, Moment, Scheduled, Time, Zone};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// An event, by its number.
pub type Number = u32;

/// An event that happens at most once, and what it brings about.
#[derive(Clone, Debug)]
pub struct Spec {
    pub delay: Delay,
    pub schedules: Vec<Number>,
    pub disarms: Vec<Number>,
}

/// Events; those that no other event schedules are scheduled at the start.
pub type System = Vec<Spec>;

/// Events that have happened, the first one first.
pub type Order = Vec<Number>;

pub fn name(number: Number) -> Scheduled {
    Scheduled { owner: 0, number }
}

pub fn initial(system: &System) -> Vec<Number> {
    let later: BTreeSet<Number> = system.iter().flat_map(|spec| spec.schedules.iter().copied()).collect();
    (0..system.len() as Number).filter(|number| !later.contains(number)).collect()
}

/// All orders, from the least to the longest, by zones.
pub fn by_zones(system: &System) -> BTreeSet<Order> {
    let mut zone = Zone::default();
    initial(system).into_iter().for_each(|number| zone.arm(name(number), system[number as usize].delay));
    let mut orders = BTreeSet::new();
    explore_zone(system, &zone, &mut Vec::new(), &mut orders);
    orders
}

fn explore_zone(system: &System, zone: &Zone, order: &mut Order, orders: &mut BTreeSet<Order>) {
    orders.insert(order.clone());
    for event in zone.due(|_| true) {
        let mut next = zone.elapse_until(event, |_| true).expect("the event is due");
        next.disarm(event);
        let Spec { schedules, disarms, .. } = &system[event.number as usize];
        disarms.iter().for_each(|&number| next.disarm(name(number)));
        schedules.iter().for_each(|&number| next.arm(name(number), system[number as usize].delay));
        order.push(event.number);
        explore_zone(system, &next, order, orders);
        order.pop();
    }
}

/// All orders, by letting one unit of time pass after the other.
fn by_units(system: &System) -> BTreeSet<Order> {
    let ages = initial(system).into_iter().map(|number| (number, 0)).collect();
    let (mut seen, mut orders) = (BTreeSet::new(), BTreeSet::new());
    explore_units(system, ages, &mut Vec::new(), &mut seen, &mut orders);
    orders
}

type Ages = BTreeMap<Number, u64>;

fn explore_units(
    system: &System,
    ages: Ages,
    order: &mut Order,
    seen: &mut BTreeSet<(Order, Ages)>,
    orders: &mut BTreeSet<Order>,
) {
    if !seen.insert((order.clone(), ages.clone())) {
        return;
    }
    orders.insert(order.clone());
    let delay = |number: Number| system[number as usize].delay;
    if ages.iter().all(|(&number, &age)| delay(number).most_ns().is_none_or(|most| age < most)) {
        // Without an upper bound, an age above the lower one makes no difference.
        let older = |number: Number, age: u64| match delay(number).most_ns() {
            Some(_) => age + 1,
            None => (age + 1).min(delay(number).least_ns()),
        };
        let passed = ages.iter().map(|(&number, &age)| (number, older(number, age))).collect();
        explore_units(system, passed, order, seen, orders);
    }
    for (&number, _) in ages.iter().filter(|&(&number, &age)| age >= delay(number).least_ns()) {
        let mut next = ages.clone();
        next.remove(&number);
        let Spec { schedules, disarms, .. } = &system[number as usize];
        next.retain(|number, _| !disarms.contains(number));
        next.extend(schedules.iter().map(|&number| (number, 0)));
        order.push(number);
        explore_units(system, next, order, seen, orders);
        order.pop();
    }
}

fn delay(unbounded: bool) -> impl Strategy<Value = Delay> {
    (0..=4u64, 0..=3u64, 0..4u32).prop_map(move |(least, width, kind)| match kind {
        0 if unbounded => Delay::at_least(least),
        1 => Delay::exactly(least),
        _ => Delay::between(least, least + width),
    })
}

/// Each event but the first two is scheduled at the start or by an earlier event, and may disarm one.
pub fn systems(unbounded: bool) -> impl Strategy<Value = System> {
    let event = (delay(unbounded), any::<prop::sample::Index>(), 0..3u32, any::<prop::sample::Index>(), 0..4u32);
    prop::collection::vec(event, 3..=6).prop_map(|events| {
        let count = events.len();
        let spec = |delay: &Delay| Spec { delay: *delay, schedules: Vec::new(), disarms: Vec::new() };
        let mut system: System = events.iter().map(|(delay, ..)| spec(delay)).collect();
        for (number, (_, by, is_later, other, disarms)) in events.iter().enumerate() {
            if number >= 2 && *is_later > 0 {
                system[by.index(number)].schedules.push(number as Number);
            }
            let other = other.index(count);
            if *disarms == 0 && other != number {
                system[number].disarms.push(other as Number);
            }
        }
        system
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn whole_delays_reach_the_orders_that_zones_reach(system in systems(true)) {
        prop_assert_eq!(by_zones(&system), by_units(&system));
    }
}

/// Two timers, and a reply that arms the second one.
const TIMER: Number = 0;
const REPLY: Number = 1;
const ARMED_BY_REPLY: Number = 2;

fn timers_of_10_and_of_7_after_a_reply(delay: Delay) -> System {
    let event = |delay, schedules| Spec { delay, schedules, disarms: Vec::new() };
    vec![
        event(Delay::exactly(10), Vec::new()),
        event(delay, vec![ARMED_BY_REPLY]),
        event(Delay::exactly(7), Vec::new()),
    ]
}

/// A timer is due at 10, and a reply arms a timer of 7. If it arrives at 5, the latter fires at 12, after the timer of
/// 10; if it arrives sooner, it may fire before. A clock that moves only at timers would miss the first of these.
#[test]
fn a_timer_of_7_that_a_reply_arms_fires_before_or_after_a_timer_of_10() {
    let (before, after) = (vec![REPLY, ARMED_BY_REPLY, TIMER], vec![REPLY, TIMER, ARMED_BY_REPLY]);
    let cases = [
        (Delay::between(1, 5), true, true),
        (Delay::ANY, true, true),
        (Delay::exactly(5), false, true),
        (Delay::exactly(2), true, false),
        // Both fire at one instant, in any order.
        (Delay::exactly(3), true, true),
    ];
    for (delay, is_before, is_after) in cases {
        let system = timers_of_10_and_of_7_after_a_reply(delay);
        let orders = by_zones(&system);
        assert_eq!((orders.contains(&before), orders.contains(&after)), (is_before, is_after), "{delay:?}");
        assert_eq!(orders, by_units(&system), "{delay:?}");
    }
}

#[test]
fn a_packet_without_a_longest_delay_may_never_come() {
    let system = timers_of_10_and_of_7_after_a_reply(Delay::at_least(11));
    let orders = by_zones(&system);
    assert_eq!(orders, by_units(&system));
    assert!(orders.contains(&vec![TIMER]) && !orders.contains(&vec![REPLY]));
    let mut zone = Zone::default();
    zone.arm(name(REPLY), Delay::at_least(11));
    zone.arm(name(TIMER), Delay::exactly(20));
    let zone = zone.elapse_until(name(TIMER), |_| true).expect("the reply may take longer");
    assert_eq!(zone.distance(Moment::NOW, Moment::of(name(REPLY))).most_ns, None);
    assert!(!zone.is_free(name(TIMER)) && zone.is_free(name(REPLY)), "it has been under way for more than 11");
}
