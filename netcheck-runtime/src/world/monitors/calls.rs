//! The calls on objects of one execution, step by step.

use super::sighting::Sighting;
use super::story::{Event, Story};
use crate::id::ProcessId;
use crate::world::step::Transition;
use crate::world::system::System;

/// The calls of an execution so far.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    events: Vec<Event>,
}

impl Calls {
    /// Sees a step from a state, by its number in the execution.
    pub fn see(&mut self, system: &System, state: &[u32], transition: &Transition, step: usize) {
        if system.monitors.is_empty() {
            return;
        }
        let name = |process: ProcessId| system.processes[process.0 as usize].host.name.clone();
        for sighting in system.view().sightings(state, transition) {
            match sighting {
                Sighting::Invoked { process, unit, invocation } => {
                    self.events.push(Event::Invoked { process: name(process), part: unit.0, invocation, step });
                }
                Sighting::Concluded { process, unit, conclusion } => {
                    self.events.push(Event::Concluded { process: name(process), part: unit.0, conclusion, step });
                }
                _ => {}
            }
        }
    }

    /// The story of the execution, if the answer of a call in its last step is explained by no order.
    pub fn story(&self, system: &System, last: &Transition) -> Option<Story> {
        system.view().unexplained(last)?.0.story(&self.events)
    }
}
