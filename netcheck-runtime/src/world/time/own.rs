//! The part of a zone that belongs to some processes.
//!
//! Processes that never meet have nothing to do with each other's instants: a zone of all is then the product of the
//! zones of each, and each is relative to a present of its own. So time can pass for some processes alone: their part is
//! taken out of the zone, and is put back beside the rest when their time has passed.
//!
//! A part of a canonical zone allows its events just what the whole zone does; and the product has all that both parts
//! have. Whatever a step of a process does to the zone by itself (it schedules an event from now on, takes one out,
//! narrows the distance of two of its own) leaves a product a product, so that nothing is lost where one is taken apart.

use super::names::{MONITORS, Marked, component_of, is_copy, is_mark, marked};
use crate::id::{Mover, ProcessId, UnitId};
use crate::world::components::{Component, ComponentId};
use crate::world::step::{Move, Transition};
use crate::world::tables::{Lookup, View};
use netcheck_models::time::{Scheduled, Zone};
use smallvec::SmallVec;
use std::borrow::Cow;

/// The processes for which time passes, and their part of the zone.
pub(in crate::world) struct Own<'z> {
    /// `None`: all processes.
    processes: Option<SmallVec<[ProcessId; 8]>>,
    zone: Cow<'z, Zone>,
    /// The zone of the others, if it has any event.
    rest: Option<Zone>,
}

impl Own<'_> {
    /// The part of the zone.
    pub(in crate::world) fn zone(&self) -> &Zone {
        &self.zone
    }

    pub(in crate::world) fn has(&self, process: ProcessId) -> bool {
        self.processes.as_ref().is_none_or(|processes| processes.contains(&process))
    }

    /// The component of the zone, and the number of the value in which this is the part of these processes.
    pub(in crate::world) fn write(&self, view: View<'_>, part: &Zone) -> Lookup<(ComponentId, u32)> {
        match &self.rest {
            None => view.zone_write(part),
            Some(rest) => view.zone_write(&part.product(rest)),
        }
    }
}

impl<'a> View<'a> {
    /// The write that leaves only the part of the zone that belongs to some processes, if there is more.
    pub(crate) fn zone_of(
        self,
        state: &[u32],
        is_own: &dyn Fn(ProcessId) -> bool,
    ) -> Lookup<Option<(ComponentId, u32)>> {
        if !self.has_delay() {
            return Ok(None);
        }
        let zone = self.zone_at(state);
        let stays = |event: Scheduled| self.scheduled_by(event).is_none_or(is_own);
        match zone.events().iter().all(|&event| stays(event)) {
            true => Ok(None),
            false => self.zone_write(&zone.projected(stays)).map(Some),
        }
    }

    /// The processes of the movers for which `own` holds, with their part of the zone.
    pub(in crate::world) fn own_time(self, state: &[u32], own: &dyn Fn(Mover) -> bool) -> Own<'a> {
        let zone = self.zone_at(state);
        let mut processes: SmallVec<[ProcessId; 8]> = SmallVec::new();
        let mut is_all = true;
        for (unit, _) in self.live_units(state) {
            match own(Mover { unit, task: None }) {
                true => processes.push(self.process_of(unit)),
                false => is_all = false,
            }
        }
        if is_all {
            return Own { processes: None, zone: Cow::Borrowed(zone), rest: None };
        }
        let is_own = |event: Scheduled| self.scheduled_by(event).is_none_or(|process| processes.contains(&process));
        if zone.events().iter().all(|&event| is_own(event)) {
            return Own { processes: Some(processes), zone: Cow::Borrowed(zone), rest: None };
        }
        let (part, rest) = (zone.projected(is_own), zone.projected(|event| !is_own(event)));
        Own { processes: Some(processes), zone: Cow::Owned(part), rest: Some(rest) }
    }

    /// The process for which an event is scheduled: of a copy, the one that it is under way to. `None`: all processes.
    fn scheduled_by(self, event: Scheduled) -> Option<ProcessId> {
        if event.owner >= MONITORS {
            return None;
        }
        if is_mark(event) {
            return Some(match marked(event.owner) {
                Marked::Process(process) => process,
                Marked::Unit(unit) => self.process_of(unit),
            });
        }
        match is_copy(event) {
            true => self.process_at_end(component_of(event)),
            false => Some(self.process_of(UnitId(event.owner / 2))),
        }
    }

    /// The process that a component of the network leads to. `None`: the component is not of the network.
    fn process_at_end(self, component: ComponentId) -> Option<ProcessId> {
        match self.components.component(component) {
            Component::Astray { to: (process, _), .. } => Some(process),
            Component::Channel { to, .. } => Some(self.process_of(to.unit)),
            // Whichever end: both processes meet.
            Component::Connection(connection) => Some(self.connections.processes(connection)[0]),
            _ => None,
        }
    }

    /// The process of a step in dense time; of a step of the network, the one that it leads to.
    pub(crate) fn process_of_step(self, transition: &Transition) -> Option<ProcessId> {
        match &transition.step {
            Move::Unit { unit, .. }
            | Move::Hang { unit, .. }
            | Move::Dial { unit, .. }
            | Move::Cut { unit, .. }
            | Move::Heal { unit, .. }
            | Move::Settle { unit, .. } => Some(self.process_of(*unit)),
            Move::Arrive { channel, .. } => self.process_at_end(*channel),
            Move::Park(units) => units.first().map(|unit| self.process_of(*unit)),
            Move::Part { units } => units.first().map(|unit| self.process_of(*unit)),
            Move::LoseInFlight | Move::Forget => {
                transition.writes.iter().find_map(|(written, _)| self.process_at_end(*written))
            }
            // With segments all processes are one group.
            Move::Pass { .. } | Move::Reach { .. } | Move::Delay { .. } => None,
        }
    }
}
