//! Schedules of whole executions against all integer schedules, and against zones.

use crate::orders::{Number, Order, System, by_zones, initial, systems};
use netcheck_models::time::{Execution, StepId};
use proptest::prelude::*;

/// The constraints of an order; with the step of each event, in the order.
fn execution(system: &System, order: &Order) -> (Execution, Vec<StepId>) {
    let mut execution = Execution::new();
    let mut pending: Vec<(Number, StepId)> =
        initial(system).into_iter().map(|number| (number, StepId::START)).collect();
    let mut steps = Vec::new();
    let delay = |number: Number| system[number as usize].delay;
    for &happened in order {
        let step = execution.step();
        steps.push(step);
        let spec = &system[happened as usize];
        let (over, left): (Vec<_>, Vec<_>) =
            pending.into_iter().partition(|(number, _)| *number == happened || spec.disarms.contains(number));
        for (number, scheduled) in over {
            match number == happened {
                true => execution.happened(scheduled, step, delay(number)),
                false => execution.waits(scheduled, step, delay(number)),
            }
        }
        pending = left;
        for &number in &spec.schedules {
            pending.retain(|(other, _)| *other != number);
            pending.push((number, step));
        }
    }
    let last = steps.last().copied().unwrap_or(StepId::START);
    pending.into_iter().for_each(|(number, scheduled)| execution.waits(scheduled, last, delay(number)));
    (execution, steps)
}

/// All integer schedules of an order up to `horizon`.
fn schedules(system: &System, order: &Order, horizon: u64) -> Vec<Vec<u64>> {
    let pending = initial(system).into_iter().map(|number| (number, 0)).collect();
    let mut found = Vec::new();
    enumerate(system, order, horizon, pending, &mut Vec::new(), &mut found);
    found
}

fn enumerate(
    system: &System,
    order: &[Number],
    horizon: u64,
    pending: Vec<(Number, u64)>,
    at: &mut Vec<u64>,
    found: &mut Vec<Vec<u64>>,
) {
    let Some((&happens, rest)) = order.split_first() else {
        found.push(at.clone());
        return;
    };
    let Some(&(_, scheduled)) = pending.iter().find(|(number, _)| *number == happens) else { return };
    for now in at.last().copied().unwrap_or(0)..=horizon {
        let delay = system[happens as usize].delay;
        let is_passed = |&(number, since): &(Number, u64)| {
            system[number as usize].delay.most_ns().is_some_and(|most| since + most < now)
        };
        if pending.iter().any(is_passed) {
            return;
        }
        if scheduled + delay.least_ns() > now {
            continue;
        }
        let spec = &system[happens as usize];
        let mut next: Vec<(Number, u64)> = pending.clone();
        next.retain(|(number, _)| {
            *number != happens && !spec.disarms.contains(number) && !spec.schedules.contains(number)
        });
        next.extend(spec.schedules.iter().map(|&number| (number, now)));
        at.push(now);
        enumerate(system, rest, horizon, next, at, found);
        at.pop();
    }
}

/// The greedy choice among listed schedules.
fn least(mut schedules: Vec<Vec<u64>>, unit: u64) -> Vec<u64> {
    for step in 0..schedules[0].len() {
        let possible = || schedules.iter().map(|schedule| schedule[step]);
        let whole = possible().filter(|at| at % unit == 0).min();
        let at = whole.or(possible().min()).expect("there is a schedule");
        schedules.retain(|schedule| schedule[step] == at);
    }
    schedules.remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The least schedule, the ranges of all steps and their distances are those of the enumerated schedules.
    #[test]
    fn a_schedule_is_the_least_one_of_all(system in systems(false)) {
        for order in by_zones(&system) {
            let all = schedules(&system, &order, 45);
            prop_assert!(!all.is_empty(), "no schedule of {order:?}");
            let (execution, steps) = execution(&system, &order);
            for unit in 1..=3 {
                let schedule = execution.schedule(unit).expect("zones have found the order");
                let at: Vec<u64> = schedule.steps()[1..].iter().map(|timed| timed.at_ns).collect();
                prop_assert_eq!(at, least(all.clone(), unit), "in units of {}", unit);
                for (index, &step) in steps.iter().enumerate() {
                    let instants = || all.iter().map(|schedule| schedule[index]);
                    prop_assert_eq!(Some(schedule.of(step).earliest_ns), instants().min());
                    prop_assert_eq!(schedule.of(step).latest_ns, instants().max());
                }
            }
            for pair in steps.windows(2) {
                let at = |schedule: &Vec<u64>, step: StepId| schedule[step.number() as usize - 1] as i64;
                let distances = || all.iter().map(|schedule| at(schedule, pair[1]) - at(schedule, pair[0]));
                let span = execution.distance(pair[0], pair[1]);
                prop_assert_eq!((span.least_ns, span.most_ns), (distances().min(), distances().max()));
            }
        }
    }

    /// An order has a schedule if and only if zones find it.
    #[test]
    fn zones_find_the_orders_that_have_a_schedule(system in systems(true)) {
        let orders = by_zones(&system);
        for order in &orders {
            prop_assert!(execution(&system, order).0.schedule(1).is_some(), "no schedule of {order:?}");
            for next in 0..system.len() as Number {
                let mut longer = order.clone();
                longer.push(next);
                let is_pending = !orders.contains(&longer) && is_scheduled(&system, order, next);
                prop_assert!(!is_pending || execution(&system, &longer).0.schedule(1).is_none(), "{longer:?}");
            }
        }
    }
}

/// Whether an event is scheduled after an order.
fn is_scheduled(system: &System, order: &Order, event: Number) -> bool {
    let mut scheduled = initial(system).contains(&event);
    for &happened in order {
        let spec = &system[happened as usize];
        scheduled &= happened != event && !spec.disarms.contains(&event);
        scheduled |= spec.schedules.contains(&event);
    }
    scheduled
}
