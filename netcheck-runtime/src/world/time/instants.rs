//! The instants of the steps of one execution in dense time.
//!
//! While an execution is run again, the instant of each step stays in the zone. Nothing awaits these instants, so the same
//! steps are possible; at the end the zone holds all constraints on them.

use super::names::step_event;
use crate::world::system::System;
use netcheck_models::time::{Delay, Execution, MILLISECOND_NS, Moment, Schedule, StepId, Time, Zone};

/// Executions of more steps are shown without instants: their zones would be too large.
const STEPS_MAX: usize = 400;

/// The instants of an execution that is run again.
pub struct Instants {
    steps: u32,
}

impl Instants {
    /// The start of an execution of so many steps; `None` in quiet time, or if these are too many.
    pub fn begin(system: &mut System, state: &mut Vec<u32>, steps: usize) -> Option<Instants> {
        let begun = (system.has_delay() && steps <= STEPS_MAX).then_some(Instants { steps: 0 })?;
        keep(system, state, 0);
        Some(begun)
    }

    /// A step has led to a state.
    pub fn step(&mut self, system: &mut System, state: &mut Vec<u32>) {
        self.steps += 1;
        keep(system, state, self.steps);
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
            std::iter::once(StepId::START).chain((0..self.steps).map(|_| execution.step())).collect();
        let moment = |step: StepId| Moment::of(step_event(step.number()));
        for (index, &later) in steps.iter().enumerate() {
            for &earlier in &steps[..index] {
                let span = zone.distance(moment(earlier), moment(later));
                execution.at_most(earlier, later, -span.least_ns.unwrap_or(0));
                if let Some(most_ns) = span.most_ns {
                    execution.at_most(later, earlier, most_ns);
                }
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
