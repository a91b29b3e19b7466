//! The monitors' part of a step.

use super::at::Refusal;
use super::observer::Observer;
use super::sighting::Sighting;
use super::sightings::Sightings;
use super::table::{Unwatched, Watching};
use crate::id::UnitId;
use crate::operation::Effect;
use crate::operation::time;
use crate::unit::automaton::EdgeId;
use crate::unit::learn::Diagnostic;
use crate::unit::panics::{self, Unwound};
use crate::world::declared::bit;
use crate::world::step::{Transition, Watched};
use crate::world::system::{Interrupt, System};
use crate::world::tables::{Lookup, Missing, View};
use smallvec::SmallVec;
use std::time::Duration;

impl View<'_> {
    /// Adds to each step what the monitors make of it.
    pub(in crate::world) fn watch(self, state: &[u32], chosen: &mut Vec<Transition>) -> Lookup<()> {
        if self.monitors.is_empty() {
            return Ok(());
        }
        if self.has_delay() && self.monitors.has_timed() {
            return self.watch_in_zones(state, chosen);
        }
        for transition in chosen {
            transition.watched = self.watched(state, transition)?;
        }
        Ok(())
    }

    /// The monitors that see a step, with their statuses after it.
    fn watched(self, state: &[u32], transition: &Transition) -> Lookup<Watched> {
        let numbers = self.seen_numbers(state, transition)?;
        let mut watched = Vec::new();
        for (monitor, watching) in self.monitors.each().iter().enumerate() {
            let status = self.status_after(monitor, watching, watching.component.of(state), &numbers)?;
            watched.extend(status.map(|status| (watching.component, status)));
        }
        Ok((!watched.is_empty()).then(|| watched.into_boxed_slice()))
    }

    /// The numbers of what is seen of a step.
    pub(super) fn seen_numbers(self, state: &[u32], transition: &Transition) -> Lookup<SmallVec<[u32; 4]>> {
        let number = |sighting| match self.monitors.number(&sighting) {
            Some(number) => Ok(number),
            None => Err(Missing::Sighting(sighting).into()),
        };
        self.sightings(state, transition).into_iter().map(number).collect()
    }

    /// The status of a monitor after all that is seen of a step; `None` if it sees nothing of it.
    pub(super) fn status_after(
        self,
        monitor: usize,
        watching: &Watching,
        before: u32,
        numbers: &[u32],
    ) -> Lookup<Option<u32>> {
        let (mut status, mut sees) = (before, false);
        for &sighting in numbers {
            if watching.rejection(status).is_some() {
                break;
            }
            match self.monitors.after(monitor, status, sighting) {
                Some(Some(after)) => (status, sees) = (after, true),
                Some(None) => {}
                None => return Err(Missing::Watched(Unwatched { monitor, status, sighting }).into()),
            }
        }
        Ok(sees.then_some(status))
    }

    /// The first rejection by a step, in words.
    pub(crate) fn rejection(self, transition: &Transition) -> Option<String> {
        transition.watched.iter().flatten().find_map(|(component, status)| {
            let watching = self.monitors.each().iter().find(|watching| watching.component == *component)?;
            Some(watching.rejection(*status)?.to_string())
        })
    }

    /// The monitor that finds the answer of a call in a step to be explained by no order.
    pub(super) fn unexplained(self, transition: &Transition) -> Option<Observer> {
        transition.watched.iter().flatten().find_map(|(component, status)| {
            let watching = self.monitors.each().iter().find(|watching| watching.component == *component)?;
            matches!(watching.rejection(*status), Some(Refusal::Unexplained(_))).then(|| watching.observer.clone())
        })
    }

    /// Whether some monitor has states that it has to leave.
    pub(crate) fn has_hot_monitors(self) -> bool {
        self.monitors.each().iter().any(|watching| watching.observer.0.has_hot())
    }

    /// The monitors that are in states which they have to leave, by number.
    pub(crate) fn hot_monitors(self, state: &[u32]) -> Vec<usize> {
        let is_hot = |watching: &Watching| {
            let status = watching.component.of(state);
            watching.rejection(status).is_none() && watching.observer.0.is_hot(watching.at(status))
        };
        let all = self.monitors.each().iter().enumerate();
        all.filter(|(_, watching)| is_hot(watching)).map(|(number, _)| number).collect()
    }

    /// A monitor with the states in which it may be, in words.
    pub(crate) fn monitor_in_words(self, state: &[u32], number: usize) -> String {
        let watching = &self.monitors.each()[number];
        let observer = &watching.observer;
        let states = observer.0.describe(watching.at(watching.component.of(state)));
        format!("{} is in {}", observer.name(), states.join(" or "))
    }

    /// The first rejection of an end, in words: nothing more will ever happen.
    pub(crate) fn rejected_end(self, state: &[u32]) -> Option<String> {
        self.monitors.each().iter().find_map(|watching| {
            let status = watching.component.of(state);
            if watching.rejection(status).is_some() {
                return None;
            }
            let end = watching.observer.0.end(watching.at(status));
            end.err().map(|rejection| format!("nothing more will happen, and {rejection}"))
        })
    }
}

impl System {
    /// Works out a step of a monitor.
    pub(in crate::world) fn watch_step(&mut self, step: Unwatched) -> Result<(), Interrupt> {
        let Unwatched { monitor, status, sighting: number } = step;
        let watching = &self.monitors.each()[monitor];
        let from = watching.at(status);
        let observer = &*watching.observer.0;
        let sighting = self.monitors.sighting(number).expect("it was numbered");
        let after = match sighting {
            Sighting::Passed { ns } if observer.is_timed() => Some(observer.pass(from, Duration::from_nanos(*ns))),
            sighting => {
                let step = || sighting.shown(self, |seen| observer.step(from, seen)).flatten();
                panics::catch(step).map_err(|unwound| failed(&watching.observer, unwound))?
            }
        };
        if let Some(Err(Refusal::Mistake(mistake))) = after {
            return Err(Interrupt::Diagnostic(Diagnostic(mistake)));
        }
        self.monitors.of(monitor).lead((status, number), after);
        Ok(())
    }

    /// Finds out which monitors see the edges that were learned since the last call; and which of them see that a
    /// datagram is lost, if that is new.
    pub(in crate::world) fn look_at_edges(&mut self) -> Result<u64, Interrupt> {
        let mut losses = self.demands.losses;
        if self.monitors.is_empty() {
            return Ok(losses);
        }
        for index in self.monitors.edges()..self.learner.automata.edges.len() {
            let id = EdgeId(index as u32);
            let edge = self.learner.automata.edge(id);
            if edge.is_refused() {
                self.monitors.add_edge(0);
                continue;
            }
            let node = self.learner.automata.node(edge.source);
            let unit: UnitId = node.unit;
            let mut seen = Sightings::new();
            self.view().see_edge(unit, id, 0, &mut seen);
            let mut seen_by = self.seers(&seen)?;
            // How long a timer with an absolute deadline is armed for depends on the state.
            let is_absolute = |effect: &Effect| matches!(effect, Effect::Time(time::Effect::ArmAt { .. }));
            if edge.effects.iter().any(is_absolute) {
                seen_by = u64::MAX;
            }
            let loss =
                node.offer(edge.input).and_then(|offer| self.view().loss_of_send(unit, offer.operation.itself()));
            if let Some(loss) = loss {
                let lost = self.seers(&[loss])?;
                losses |= lost;
                seen_by |= lost;
            }
            self.monitors.add_edge(seen_by);
        }
        Ok(losses)
    }

    /// The monitors that see links being cut, or cuts heal.
    pub(in crate::world) fn seers_of_cuts(&self) -> Result<u64, Interrupt> {
        let cuts = (0..).zip(self.partitions()).flat_map(|(of, declared)| {
            (0..declared.cuts.len() as u32)
                .flat_map(move |number| [Sighting::Cut((of, number)), Sighting::Healed((of, number))].into_iter())
        });
        self.seers(&cuts.collect::<Vec<_>>())
    }

    /// The monitors that observe one of the sightings, as a set of bits.
    fn seers(&self, sightings: &[Sighting]) -> Result<u64, Interrupt> {
        let mut seers = 0;
        for (monitor, watching) in self.monitors.each().iter().enumerate() {
            for sighting in sightings {
                let observes = || sighting.shown(self, |seen| watching.observer.0.observes(seen)).unwrap_or(false);
                if panics::catch(observes).map_err(|unwound| failed(&watching.observer, unwound))? {
                    seers |= bit(monitor);
                }
            }
        }
        Ok(seers)
    }
}

/// A decoder, or a closure of a rule, has panicked.
pub(super) fn failed(observer: &Observer, unwound: Unwound) -> Interrupt {
    let reason = match unwound {
        Unwound::Panicked(panic) => format!("{} at {}", panic.message, panic.location),
        Unwound::Thrown(_) => "a payload that is no text".to_owned(),
    };
    let name = observer.0.name();
    Interrupt::Diagnostic(Diagnostic(format!(
        "the monitor `{name}` panicked: {reason}\n  \
         its decoder and its rules have to take everything that they are shown: let them return `None` or `false`"
    )))
}
