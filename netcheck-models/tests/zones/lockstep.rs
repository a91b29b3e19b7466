//! Both times satisfy one interface: where all delays are exact, a zone does what countdowns do.

use netcheck_models::time::{Countdowns, Delay, Moment, Scheduled, Time, Zone};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Arm { timer: u32, after_ns: u64 },
    Disarm { timer: u32 },
    Elapse { timer: u32 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..6u32, 0..5u64).prop_map(|(timer, after_ns)| Step::Arm { timer, after_ns }),
        1 => (0..6u32).prop_map(|timer| Step::Disarm { timer }),
        3 => (0..6u32).prop_map(|timer| Step::Elapse { timer }),
    ];
    prop::collection::vec(step, 0..40)
}

/// Takes a step in some time, and tells the timers that are due afterwards. A timer that is due is taken out; one that
/// cannot be next changes nothing.
fn take<T: Time>(
    time: &mut T,
    step: &Step,
    name: impl Fn(u32) -> T::Event,
    delay: impl Fn(u64) -> T::Delay,
) -> Vec<u32> {
    match *step {
        Step::Arm { timer, after_ns } => time.arm(name(timer), delay(after_ns)),
        Step::Disarm { timer } => time.disarm(name(timer)),
        Step::Elapse { timer } if time.due(|_| true).contains(&name(timer)) => {
            *time = time.elapse_until(name(timer), |_| true).expect("the timer is due");
            time.disarm(name(timer));
        }
        Step::Elapse { .. } => {}
    }
    let due = time.due(|_| true);
    (0..6).filter(|timer| due.contains(&name(*timer))).collect()
}

fn scheduled(number: u32) -> Scheduled {
    Scheduled { owner: 0, number }
}

proptest! {
    #[test]
    fn with_exact_delays_a_zone_counts_down(steps in steps()) {
        let (mut quiet, mut dense) = (Countdowns::default(), Zone::default());
        for step in &steps {
            let before = (quiet.clone(), dense.clone());
            let due = take(&mut quiet, step, |timer| timer, |ns| ns);
            prop_assert_eq!(&due, &take(&mut dense, step, scheduled, Delay::exactly));
            for timer in 0..6 {
                let remaining_ns = quiet.get(timer).map(|armed| armed.remaining_ns);
                prop_assert_eq!(remaining_ns.is_some(), dense.is_scheduled(scheduled(timer)));
                if let Some(ns) = remaining_ns {
                    let distance = dense.distance(Moment::NOW, Moment::of(scheduled(timer)));
                    prop_assert_eq!(distance.exactly(), Some(ns));
                    let passed = quiet.elapse_until(timer, |_| true).is_some();
                    prop_assert_eq!(passed, dense.elapse_until(scheduled(timer), |_| true).is_some());
                    prop_assert_eq!(passed, due.contains(&timer));
                }
            }
            prop_assert_eq!(quiet.covers(&before.0), dense.covers(&before.1));
        }
    }
}

#[test]
fn time_passes_beyond_a_timer_that_is_not_awaited() {
    let (mut quiet, mut dense) = (Countdowns::default(), Zone::default());
    for (timer, ns) in [(0, 3), (1, 8)] {
        Time::arm(&mut quiet, timer, ns);
        dense.arm(scheduled(timer), Delay::exactly(ns));
    }
    let quiet = quiet.elapse_until(1, |timer| timer == 1).expect("only timer 1 is awaited");
    let dense = dense.elapse_until(scheduled(1), |timer| timer == scheduled(1)).expect("only timer 1 is awaited");
    assert_eq!(quiet.due(|_| true)[..], [0, 1]);
    // A countdown knows that its deadline is over; a zone still knows how long ago it was.
    assert_eq!(quiet.remaining_ns(0), -1);
    assert_eq!(dense.distance(Moment::NOW, Moment::of(scheduled(0))).exactly(), Some(-5));
}

#[test]
#[should_panic(expected = "is awaited, and may be over")]
fn a_zone_does_not_await_what_may_be_over() {
    let mut zone = Zone::default();
    zone.arm(scheduled(0), Delay::exactly(3));
    zone.arm(scheduled(1), Delay::between(2, 4));
    let zone = zone.elapse_until(scheduled(1), |event| event == scheduled(1)).expect("only one is awaited");
    zone.due(|_| true);
}
