//! Ready-made monitors against what they claim, read off whole traces.

use core::time::Duration;
use netcheck_models::monitor::{Monitor, Trace};
use random::Random;

/// An event: a cause, an effect, both or neither.
type Event = (bool, bool);

fn traces() -> impl Iterator<Item = Vec<(u64, Event)>> {
    let mut random = Random::new(7);
    (0..4_000).map(move |_| {
        let mut at = 0;
        let length = random.below(6);
        (0..length)
            .map(|_| {
                at += random.below(4);
                (at, (random.one_in(3), random.one_in(3)))
            })
            .collect()
    })
}

fn accepts(monitor: &Monitor<Event>, events: &[(u64, Event)], end: u64) -> bool {
    let packets = events.iter().map(|&(at, event)| (Duration::from_millis(at), event));
    let trace = Trace::new(packets).expect("instants do not go back").starting_at(Duration::ZERO);
    monitor.validate(&trace.ending_at(Duration::from_millis(end))).is_accepted()
}

#[test]
fn an_effect_follows_each_cause_in_time() {
    let (mut accepted, mut rejected) = (0, 0);
    for events in traces() {
        for within in 0..4 {
            let end = events.last().map_or(0, |(at, _)| *at) + 10;
            let is_answered = |(index, (at, _)): (usize, &(u64, Event))| {
                events[index..].iter().any(|(later, (_, effect))| *effect && *later <= at + within)
            };
            let causes = events.iter().enumerate().filter(|(_, (_, (cause, _)))| *cause);
            let expected = causes.clone().all(is_answered);
            let limit = Duration::from_millis(within);
            let monitor = Monitor::leads_to("in time", |event: &Event| event.0, |event| event.1, limit);
            assert_eq!(accepts(&monitor, &events, end), expected, "{events:?} within {within}");
            accepted += usize::from(expected);
            rejected += usize::from(!expected);
        }
    }
    assert!(accepted > 1_000 && rejected > 1_000, "{accepted} {rejected}");
}

#[test]
fn one_event_comes_only_after_another() {
    let monitor = Monitor::precedes("in order", |event: &Event| event.0, |event| event.1);
    for events in traces() {
        let first = events.iter().position(|(_, (first, _))| *first);
        let then = events.iter().position(|(_, (_, then))| *then);
        let expected = then.is_none_or(|then| first.is_some_and(|first| first <= then));
        let end = events.last().map_or(0, |(at, _)| *at);
        assert_eq!(accepts(&monitor, &events, end), expected, "{events:?}");
    }
}

#[test]
fn a_condition_holds_of_every_event_or_of_none() {
    let (always, never) =
        (Monitor::always("always", |event: &Event| event.0), Monitor::never("never", |event: &Event| event.0));
    for events in traces() {
        let end = events.last().map_or(0, |(at, _)| *at);
        assert_eq!(accepts(&always, &events, end), events.iter().all(|(_, event)| event.0));
        assert_eq!(accepts(&never, &events, end), !events.iter().any(|(_, event)| event.0));
    }
}

#[test]
fn a_claim_is_shown_by_the_line_that_makes_it() {
    let monitor = Monitor::never("never", |event: &Event| event.0);
    let line = line!() - 1;
    let trace = Trace::new([(Duration::ZERO, (true, false))]).expect("one packet");
    let text = monitor.validate(&trace).text(&trace);
    assert!(text.contains(&format!("claims.rs:{line})")), "{text}");
}
