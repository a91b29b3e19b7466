//! The state that a step leads to: what the model writes, then the effects of the edge.

use crate::id::{NodeId, UnitId};
use crate::operation::Effect;
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::world::place::{HANDLE_GONE, Place, PlaceId, trim};
use crate::world::step::{Step, Transition};
use crate::world::tables::{Lookup, Missing, View};
use crate::world::time;

impl View<'_> {
    /// Writes the successor of `state` by `transition` to `next`.
    pub(crate) fn apply(self, state: &[u32], transition: &Transition, next: &mut Vec<u32>) -> Lookup<()> {
        next.clear();
        next.extend_from_slice(state);
        for &(place, value) in &transition.writes {
            place.set(next, value);
        }
        if transition.faults > 0 && self.is_limited() {
            let place = self.place(Place::Faults)?;
            let used = place.of(next);
            place.set(next, used + transition.faults);
        }
        match &transition.step {
            Step::Unit { unit, place, edge, .. } => self.take(*unit, *place, *edge, next)?,
            Step::Settle | Step::Hang { .. } => {}
            Step::Park(units) => {
                for &unit in units {
                    let place = self.unit_place(unit);
                    let accepts = self.is_in_accept(NodeId(place.of(state)));
                    place.set(next, if accepts { NodeId::PARKED_IN_ACCEPT.0 } else { NodeId::PARKED.0 });
                }
                for &unit in units {
                    self.forget_datagrams(unit, next);
                }
            }
        }
        trim(next);
        Ok(())
    }

    /// The process of a unit that has panicked is gone: the OS closes all that it held.
    pub(crate) fn crash(self, unit: UnitId, state: &[u32], next: &mut Vec<u32>) -> Lookup<()> {
        next.clear();
        next.extend_from_slice(state);
        let panicked = self.unit_place(unit).of(next);
        let root = UnitId(self.process_of(unit).0);
        let place = self.unit_place(root);
        place.set(next, panicked);
        self.end(root, place, next)?;
        trim(next);
        Ok(())
    }

    fn take(self, unit: UnitId, place: PlaceId, edge: EdgeId, next: &mut Vec<u32>) -> Lookup<()> {
        let target = self.automata.edge(edge).target;
        place.set(next, target.0);
        let effects = &self.automata.edge(edge).effects;
        let timers_only = |effect: &Effect| {
            matches!(effect, Effect::Time(time::Effect::Arm { .. }) | Effect::Time(time::Effect::Disarm { .. }))
        };
        if !effects.is_empty() && effects.iter().all(timers_only) {
            // The common case, worked out once for each edge and set of timers.
            let timers = self.place(Place::Timers(unit))?;
            let before = timers.of(next);
            let Some(&after) = self.rearmed.get(&(edge, before)) else {
                self.effects(unit, edge, next)?;
                return Err(Missing::Rearmed { edge, before, after: timers.of(next) }.into());
            };
            timers.set(next, after);
        } else {
            self.effects(unit, edge, next)?;
        }
        match self.automata.node(target).kind {
            NodeKind::Ended { .. } | NodeKind::Gone => self.end(unit, place, next),
            _ => Ok(()),
        }
    }

    fn effects(self, unit: UnitId, edge: EdgeId, next: &mut Vec<u32>) -> Lookup<()> {
        let effects = &self.automata.edge(edge).effects;
        effects.iter().try_for_each(|effect| self.effect(unit, edge, effect, next))
    }

    /// A unit ends: it lets go of its sockets and timers, and a process of all its tasks.
    fn end(self, unit: UnitId, place: PlaceId, next: &mut Vec<u32>) -> Lookup<()> {
        self.release(unit, next)?;
        if self.units[unit.0 as usize].is_task {
            if self.clear(Place::Handle(unit), next) & HANDLE_GONE != 0 {
                place.set(next, NodeId::GONE.0);
            }
            return Ok(());
        }
        let process = self.process_of(unit);
        self.drop_astray(process, next);
        for other in (0..self.units.len() as u32).map(UnitId) {
            if other == unit || self.process_of(other) != process {
                continue;
            }
            let place = self.unit_place(other);
            if place.of(next) != NodeId::ABSENT.0 {
                self.release(other, next)?;
                self.clear(Place::Handle(other), next);
                place.set(next, NodeId::GONE.0);
            }
        }
        Ok(())
    }

    /// Empties a place that may never have been used; returns what was there.
    pub(super) fn clear(self, place: Place, next: &mut Vec<u32>) -> u32 {
        let Some(place) = self.places.find(place) else { return 0 };
        let value = place.of(next);
        place.set(next, 0);
        value
    }

    /// Lets go of everything that a unit holds.
    fn release(self, unit: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        self.clear(Place::Scope(unit), next);
        self.release_streams(unit, next)?;
        self.release_datagrams(unit, next)
    }
}
