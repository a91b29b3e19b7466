//! The instants of the steps of one execution in dense time.
//!
//! While an execution is run again, the instants of its steps stay in the zone. Nothing awaits these instants, so the same
//! steps are possible; at the end the zone holds all constraints on them. A step whose distance to an instant that is kept
//! is known exactly needs none of its own: later constraints narrow both alike. So a zone holds one instant for all steps
//! between which no time passes, or a time that is known, and executions in which all is known hold only the start.

use super::names::step_event;
use crate::world::system::System;
use netcheck_models::time::{Delay, Execution, MILLISECOND_NS, Moment, Schedule, StepId, Time, Zone};

/// Executions of more steps are shown without instants: their zones would be too large.
const STEPS_MAX: usize = 400;

/// The instants of an execution that is run again.
pub struct Instants {
    /// Of the start and of each step, when it takes place.
    at: Vec<Instant>,
}

/// An instant, told by one that the zone holds.
#[derive(Clone, Copy)]
struct Instant {
    /// The step whose instant the zone holds.
    kept: u32,
    /// How long after that, in nanoseconds.
    after_ns: i64,
}

impl Instants {
    /// The start of an execution of so many steps; `None` in quiet time, or if these are too many.
    pub fn begin(system: &mut System, state: &mut Vec<u32>, steps: usize) -> Option<Instants> {
        let mut begun = (system.has_delay() && steps <= STEPS_MAX).then_some(Instants { at: Vec::new() })?;
        begun.step(system, state);
        Some(begun)
    }

    /// A step has led to a state.
    pub fn step(&mut self, system: &mut System, state: &mut Vec<u32>) {
        let step = self.at.len() as u32;
        let known = self.known(system, state).unwrap_or_else(|| {
            keep(system, state, step);
            Instant { kept: step, after_ns: 0 }
        });
        self.at.push(known);
    }

    /// The present, if its distance to an instant that is kept is known.
    fn known(&self, system: &System, state: &[u32]) -> Option<Instant> {
        let zone = system.view().zone_at(state);
        self.kept().rev().find_map(|kept| {
            let since = zone.distance(Moment::of(step_event(kept)), Moment::NOW);
            let after_ns = since.least_ns.filter(|least_ns| since.most_ns == Some(*least_ns))?;
            Some(Instant { kept, after_ns })
        })
    }

    /// The steps whose instants the zone holds, in their order.
    fn kept(&self) -> impl DoubleEndedIterator<Item = u32> {
        (0..self.at.len() as u32).filter(|&step| self.at[step as usize].kept == step)
    }

    /// The earliest instant of the present, in nanoseconds since the start.
    pub(crate) fn now_ns(&self, system: &System, state: &[u32]) -> u64 {
        let since = system.view().zone_at(state).distance(Moment::of(step_event(0)), Moment::NOW);
        since.least_ns.and_then(|ns| u64::try_from(ns).ok()).unwrap_or(0)
    }

    /// The least schedule of the steps, by whole milliseconds where that is possible. With `wanted` instants, in
    /// nanoseconds since the start, the schedule that has these: or the first step that cannot take place then.
    pub fn schedule(&self, system: &System, state: &[u32], wanted: &[Option<u64>]) -> Result<Schedule, usize> {
        let zone = system.view().zone_at(state);
        let mut execution = Execution::new();
        let steps: Vec<StepId> =
            std::iter::once(StepId::START).chain(self.at[1..].iter().map(|_| execution.step())).collect();
        let moment = |step: u32| Moment::of(step_event(step));
        for later in self.kept() {
            for earlier in self.kept().take_while(|&earlier| earlier < later) {
                let span = zone.distance(moment(earlier), moment(later));
                let (earlier, later) = (steps[earlier as usize], steps[later as usize]);
                execution.at_most(earlier, later, -span.least_ns.unwrap_or(0));
                if let Some(most_ns) = span.most_ns {
                    execution.at_most(later, earlier, most_ns);
                }
            }
        }
        for (&step, &Instant { kept, after_ns }) in steps.iter().zip(&self.at) {
            let kept = steps[kept as usize];
            if step != kept {
                execution.at_most(step, kept, after_ns);
                execution.at_most(kept, step, -after_ns);
            }
        }
        let mut known = execution.clone();
        for (index, (&step, wanted)) in steps[1..].iter().zip(wanted).enumerate() {
            let Some(wanted) = wanted.and_then(|ns| i64::try_from(ns).ok()) else { continue };
            known.at_most(step, StepId::START, wanted);
            known.at_most(StepId::START, step, -wanted);
            if known.schedule(MILLISECOND_NS).is_none() {
                return Err(index);
            }
        }
        Ok(known.schedule(MILLISECOND_NS).expect("an execution that has happened has a schedule"))
    }
}

/// Keeps the present instant as that of a step.
fn keep(system: &mut System, state: &mut Vec<u32>, step: u32) {
    let mut zone: Zone = system.view().zone_at(state).clone();
    zone.arm(step_event(step), Delay::NONE);
    let value = system.zones.intern(&zone);
    system.zone.expect("time is dense").set(state, value);
}
