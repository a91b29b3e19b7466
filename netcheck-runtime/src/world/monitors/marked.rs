//! The clocks of monitors in dense time.
//!
//! When a step takes place is no number there, and so neither are the readings of clocks. The instants at which clocks
//! were reset stay in the zone, and a monitor's configurations name them
//! ([`Marked`](netcheck_models::monitor::Marked)). Where a guard or a deadline holds at some instants of the zone and
//! not at others, the step becomes several: one for each part of the zone in which the monitor does one thing. Bounds are
//! whole nanoseconds, so the parts together are the zone, and no execution is left out or added.
//!
//! Deadlines are looked at with each step before which time may have passed; and where nothing more happens, time passes
//! without end.

use super::at::{At, Refusal};
use super::sighting::Sighting;
use super::table::{Answers, Led, Unmarked, Watching};
use super::watch::failed;
use crate::unit::panics;
use crate::world::step::Transition;
use crate::world::system::{Interrupt, System};
use crate::world::tables::{Lookup, Missing, View};
use crate::world::time::names::monitor_mark;
use netcheck_models::monitor::{Asked, Question};
use netcheck_models::time::{Delay, FAR_NS, Moment, Time, Zone};
use smallvec::SmallVec;

/// One part of a step's zone, with the status of a monitor after the step; `None` if the monitor does not see it.
struct Part {
    zone: Zone,
    status: Option<u32>,
}

impl View<'_> {
    /// As [`View::watch`] where time is dense and some monitor has clocks: steps may become several.
    pub(super) fn watch_in_zones(self, state: &[u32], chosen: &mut Vec<Transition>) -> Lookup<()> {
        for step in std::mem::take(chosen) {
            self.split(state, step, chosen)?;
        }
        Ok(())
    }

    /// Adds a step as often as there are parts of its zone in which the monitors do different things.
    fn split(self, state: &[u32], step: Transition, steps: &mut Vec<Transition>) -> Lookup<()> {
        let numbers = self.seen_numbers(state, &step)?;
        let component = self.tables.zone.expect("time is dense");
        let written = step.writes.iter().position(|(other, _)| *other == component);
        let before = written.map_or(component.of(state), |index| step.writes[index].1);
        let mut ways = vec![(self.tables.zones.get(before).clone(), Vec::new())];
        for (monitor, watching) in self.monitors.each().iter().enumerate() {
            let status = watching.component.of(state);
            let mut longer = Vec::new();
            for (zone, watched) in ways {
                for Part { zone, status } in self.parts(monitor, watching, status, &numbers, zone)? {
                    let mut watched = watched.clone();
                    watched.extend(status.map(|status| (watching.component, status)));
                    longer.push((zone, watched));
                }
            }
            ways = longer;
        }
        for (zone, watched) in ways {
            let mut part = step.clone();
            if zone != *self.tables.zones.get(before) {
                let write = self.zone_write(&zone)?;
                match written {
                    Some(index) => part.writes[index] = write,
                    None => part.writes.push(write),
                }
            }
            part.watched = (!watched.is_empty()).then(|| watched.into_boxed_slice());
            steps.push(part);
        }
        Ok(())
    }

    /// The parts of a zone in which one monitor does different things with all that is seen of a step.
    fn parts(
        self,
        monitor: usize,
        watching: &Watching,
        before: u32,
        numbers: &[u32],
        zone: Zone,
    ) -> Lookup<SmallVec<[Part; 1]>> {
        if !watching.is_timed() {
            let status = self.status_after(monitor, watching, before, numbers)?;
            return Ok(smallvec::smallvec![Part { zone, status }]);
        }
        let mut parts: SmallVec<[Part; 1]> = smallvec::smallvec![Part { zone, status: None }];
        for &sighting in numbers {
            let mut longer = SmallVec::new();
            for part in parts {
                let status = part.status.unwrap_or(before);
                match watching.rejection(status) {
                    Some(_) => longer.push(part),
                    None => self.lead((monitor, status, sighting), part, &mut longer)?,
                }
            }
            parts = longer;
        }
        Ok(parts)
    }

    /// Splits a part until the monitor has all answers that it needs.
    fn lead(
        self,
        (monitor, status, sighting): (usize, u32, u32),
        part: Part,
        parts: &mut SmallVec<[Part; 1]>,
    ) -> Lookup<()> {
        let mut open = vec![(Answers::new(), part.zone)];
        while let Some((answers, zone)) = open.pop() {
            match self.monitors.led(monitor, (status, sighting, &answers)) {
                None => return Err(Missing::Marked(Unmarked { monitor, status, sighting, answers }).into()),
                Some(Led::Unseen) => parts.push(Part { zone, status: part.status }),
                Some(Led::To { status, marks }) => {
                    parts.push(Part { zone: renumbered(&zone, monitor, marks), status: Some(*status) });
                }
                Some(Led::Asks(question)) => {
                    for (answer, zone) in answered(&zone, monitor, *question) {
                        let mut answers = answers.clone();
                        answers.push(answer);
                        open.push((answers, zone));
                    }
                }
            }
        }
        Ok(())
    }
}

impl System {
    /// Works out a step of a monitor with clocks in dense time.
    pub(in crate::world) fn mark_step(&mut self, step: &Unmarked) -> Result<(), Interrupt> {
        let Unmarked { monitor, status, sighting: number, ref answers } = *step;
        let watching = &self.monitors.each()[monitor];
        let (from, observer) = (watching.at(status), &*watching.observer.0);
        let marked = match self.monitors.sighting(number).expect("it was numbered") {
            Sighting::SomeTime => Some(observer.pass_marked(from.configurations(), answers)),
            sighting => {
                let step = || {
                    sighting.shown(self, |seen| observer.step_marked(from.configurations(), seen, answers)).flatten()
                };
                panics::catch(step).map_err(|unwound| failed(&watching.observer, unwound))?
            }
        };
        let watching = self.monitors.of(monitor);
        let led = match marked {
            None => Led::Unseen,
            Some(Err(question)) => Led::Asks(question),
            Some(Ok(marked)) => Led::To {
                status: watching.status(marked.to.map(At::Configurations).map_err(Refusal::from)),
                marks: marked.marks.into(),
            },
        };
        watching.marked.insert((status, number, answers.clone()), led);
        Ok(())
    }
}

/// The parts of a zone with the answers to a question there.
fn answered(zone: &Zone, monitor: usize, Question { mark, ns, asked }: Question) -> SmallVec<[(bool, Zone); 2]> {
    let mark = Moment::of(monitor_mark(monitor, mark));
    let Some(ns) = i64::try_from(ns).ok().filter(|&ns| ns < FAR_NS) else {
        // No zone reaches that far.
        return smallvec::smallvec![(asked != Asked::IsSurelyMore, zone.clone())];
    };
    let since = zone.distance(mark, Moment::NOW);
    match asked {
        Asked::IsAtMost => {
            let more = zone.at_most(mark.plus_ns(ns + 1), Moment::NOW);
            let at_most = zone.at_most(Moment::NOW, mark.plus_ns(ns));
            [(false, more), (true, at_most)].into_iter().filter_map(|(is, part)| Some((is, part?))).collect()
        }
        Asked::IsSurelyAtMost => {
            smallvec::smallvec![(since.most_ns.is_some_and(|most_ns| most_ns <= ns), zone.clone())]
        }
        Asked::IsSurelyMore => {
            smallvec::smallvec![(since.least_ns.is_some_and(|least_ns| least_ns > ns), zone.clone())]
        }
    }
}

/// The zone after a step of a monitor: with the marks that it still has, by their new numbers, and perhaps one for now.
fn renumbered(zone: &Zone, monitor: usize, marks: &[Option<u32>]) -> Zone {
    let owner = monitor_mark(monitor, 0).owner;
    let number_of = |before: u32| marks.iter().position(|mark| *mark == Some(before));
    let kept = zone.projected(|event| event.owner != owner || number_of(event.number).is_some());
    let mut renumbered = kept.renamed(|event| match number_of(event.number) {
        Some(number) if event.owner == owner => monitor_mark(monitor, number as u32),
        _ => event,
    });
    if let Some(number) = marks.iter().position(Option::is_none) {
        renumbered.arm(monitor_mark(monitor, number as u32), Delay::NONE);
    }
    renumbered
}
