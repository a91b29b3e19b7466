//! Random sequences of operations on a zone, which oracles follow.

use netcheck_models::time::{Delay, Moment, Scheduled, Time, Zone};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The events of all sequences: of two owners, so that names of one component are not neighbours.
pub const EVENTS: u32 = 7;

pub fn event(number: u32) -> Scheduled {
    Scheduled { owner: number % 2, number }
}

/// An operation. An event is a number below [`EVENTS`]; as a moment, [`EVENTS`] is now.
#[derive(Clone, Debug)]
pub enum Step {
    /// Schedules an event from now; it is awaited, or time passes beyond it.
    Arm {
        event: u32,
        delay: Delay,
        awaited: bool,
    },
    /// Schedules an event from a moment, and awaits it if it is not over.
    ArmFrom {
        event: u32,
        base: u32,
        after_ns: i64,
        delay: Delay,
        awaited: bool,
    },
    Disarm {
        event: u32,
    },
    Elapse {
        event: u32,
    },
    AtMost {
        one: u32,
        other: u32,
        after_ns: i64,
    },
}

/// Sizes of the numbers in random operations.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub constant: u64,
    pub width: u64,
    /// The percentage of delays that have no upper bound.
    pub unbounded: u32,
}

fn delay(sizes: Sizes) -> impl Strategy<Value = Delay> {
    (0..=sizes.constant, 0..=sizes.width, 0..100u32).prop_map(move |(least, width, kind)| match kind {
        kind if kind < sizes.unbounded => Delay::at_least(least),
        kind if kind < 40 => Delay::exactly(least),
        _ => Delay::between(least, least.saturating_add(width)),
    })
}

pub fn step(sizes: Sizes) -> impl Strategy<Value = Step> {
    let after = i64::try_from(sizes.constant).unwrap_or(i64::MAX);
    let (one, other) = (0..EVENTS, 0..=EVENTS);
    prop_oneof![
        5 => (one.clone(), delay(sizes), prop::bool::weighted(0.8))
            .prop_map(|(event, delay, awaited)| Step::Arm { event, delay, awaited }),
        1 => (one.clone(), other.clone(), -after..=after, delay(sizes), any::<bool>())
            .prop_map(|(event, base, after_ns, delay, awaited)| Step::ArmFrom { event, base, after_ns, delay, awaited }),
        1 => one.clone().prop_map(|event| Step::Disarm { event }),
        5 => one.prop_map(|event| Step::Elapse { event }),
        1 => (other.clone(), other, -after..=after)
            .prop_map(|(one, other, after_ns)| Step::AtMost { one, other, after_ns }),
    ]
}

pub fn steps(sizes: Sizes, most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(sizes), most / 2..=most)
}

/// Events that an oracle is told. Moments are events and a time after them; `None` is now.
pub trait Oracle {
    fn arm_from(&mut self, event: Scheduled, base: Moment, delay: Delay);
    fn disarm(&mut self, event: Scheduled);
    /// `false` if the event cannot come next; then nothing has changed.
    fn elapse(&mut self, event: Scheduled, awaited: &BTreeSet<Scheduled>) -> bool;
    /// `false` if there is no valuation left; then nothing has changed.
    fn at_most(&mut self, one: Moment, other: Moment) -> bool;
    /// Whether the zone has to be equal to the oracle; otherwise it may be larger.
    fn is_exact(&self) -> bool {
        true
    }
    /// Panics if the oracle does not agree with the zone.
    fn compare(&self, zone: &Zone);
}

/// A zone and its awaited events.
#[derive(Default)]
pub struct Driver {
    pub zone: Zone,
    pub awaited: BTreeSet<Scheduled>,
}

impl Driver {
    fn moment(&self, number: u32) -> Option<Moment> {
        let moment = if number == EVENTS { Moment::NOW } else { Moment::of(event(number)) };
        moment.event.is_none_or(|event| self.zone.is_scheduled(event)).then_some(moment)
    }

    /// Makes the zone the next one, if there is one, as the oracle has to see it as well. A successor that only an
    /// inexact zone has is not taken.
    fn becomes(&mut self, next: Option<Zone>, possible: bool, is_exact: bool) -> bool {
        let agrees = if is_exact { next.is_some() == possible } else { next.is_some() || !possible };
        assert!(agrees, "the zone {:?} has another successor than the oracle: {next:?}", self.zone);
        if let Some(next) = next.filter(|_| possible) {
            self.zone = next;
        }
        possible
    }

    /// Takes a step, if it makes sense, and compares with the oracle.
    pub fn take(&mut self, step: &Step, oracle: &mut impl Oracle) {
        match *step {
            Step::Arm { event: number, delay, awaited } => {
                self.arm(event(number), Moment::NOW, delay, oracle);
                if awaited {
                    self.awaited.insert(event(number));
                }
            }
            Step::ArmFrom { event: number, base, after_ns, delay, awaited } => {
                let Some(base) = self.moment(base) else { return };
                self.arm(event(number), base.plus_ns(after_ns), delay, oracle);
                if awaited {
                    let moment = Moment::of(event(number));
                    let to_come = self.zone.at_most(Moment::NOW, moment);
                    if self.becomes(to_come, oracle.at_most(Moment::NOW, moment), oracle.is_exact()) {
                        self.awaited.insert(event(number));
                    }
                }
            }
            Step::Disarm { event: number } => {
                self.zone.disarm(event(number));
                oracle.disarm(event(number));
                self.awaited.remove(&event(number));
            }
            Step::Elapse { event: number } => {
                if !self.awaited.contains(&event(number)) {
                    return;
                }
                let passed = self.zone.elapse_until(event(number), |event| self.awaited.contains(&event));
                let is_due = self.zone.due(|event| self.awaited.contains(&event)).contains(&event(number));
                assert_eq!(is_due, passed.is_some());
                if self.becomes(passed, oracle.elapse(event(number), &self.awaited), oracle.is_exact()) {
                    self.awaited.remove(&event(number));
                }
            }
            Step::AtMost { one, other, after_ns } => {
                let (Some(one), Some(other)) = (self.moment(one), self.moment(other)) else { return };
                let narrowed = self.zone.at_most(one, other.plus_ns(after_ns));
                self.becomes(narrowed, oracle.at_most(one, other.plus_ns(after_ns)), oracle.is_exact());
            }
        }
        oracle.compare(&self.zone);
    }

    fn arm(&mut self, event: Scheduled, base: Moment, delay: Delay, oracle: &mut impl Oracle) {
        if base == Moment::NOW {
            self.zone.arm(event, delay);
        } else {
            self.zone.arm_from(event, base, delay);
        }
        oracle.arm_from(event, base, delay);
        self.awaited.remove(&event);
    }
}

/// Now and the scheduled events.
pub fn moments(zone: &Zone) -> Vec<Moment> {
    [Moment::NOW].into_iter().chain(zone.events().iter().map(|&event| Moment::of(event))).collect()
}
