//! The faults that hold for a packet or for a call: those that fault regions set anew, or those that the check declares.
//!
//! A region counts for the whole process, but an isolated task may be in regions of its own: then these count for the
//! task. Of several regions in which a unit is, the one that was entered last counts, for UDP and for TCP each.

use super::operation::Region;
use super::regions::Regions;
use crate::id::{ProcessId, UnitId};
use crate::world::components::Component;
use crate::world::tables::{Lookup, Missing, Tables};
use crate::world::tcp::failures::Failures;
use netcheck_models::udp::{Perturbation, Perturbed};

impl Tables {
    /// Whether faults that the check declares may happen to a process now: a unit of it is inside a `faults::scope`, or no
    /// program has any.
    pub(in crate::world) fn is_in_scope(&self, state: &[u32], process: ProcessId) -> bool {
        if !self.demands.scope {
            return true;
        }
        let units = (0u32..).map(UnitId).zip(&self.units).filter(|(_, of)| of.process == process);
        units.into_iter().any(|(unit, _)| self.regions_of(state, unit).scopes > 0)
    }

    fn regions_of(&self, state: &[u32], unit: UnitId) -> &Regions {
        self.regions.get(self.components.find(Component::Scope(unit)).map_or(0, |component| component.of(state)))
    }

    /// A list that a region of the unit sets anew, or else one of its process's root.
    fn set_anew<'a, T>(&'a self, state: &[u32], unit: UnitId, of: fn(&'a Region) -> Option<T>) -> Option<T> {
        self.demands.regions?;
        let root = self.root_of(state, self.process_of(unit));
        [unit, root].into_iter().find_map(|unit| {
            let entered = &self.regions_of(state, unit).entered;
            entered.iter().rev().find_map(|(_, region)| of(region))
        })
    }

    /// The failures of TCP that regions set anew for the calls of a unit; `None`: those that the check declares.
    pub(in crate::world) fn failures_in_region(&self, state: &[u32], unit: UnitId) -> Option<Failures> {
        let failures = self.set_anew(state, unit, |region| region.tcp)?;
        Some(if self.declared.ignores_regions { Failures::default() } else { failures })
    }

    /// The perturbation that regions set anew for the packets of a unit; `None`: that which the check declares.
    fn perturbation_in_region(&self, state: &[u32], unit: UnitId) -> Option<&Perturbation> {
        self.set_anew(state, unit, |region| region.udp.as_ref())
    }

    /// How a packet is perturbed that one unit sends now and another one is to receive, on the sending and on the
    /// receiving side.
    pub(in crate::world) fn perturbed(
        &self,
        state: &[u32],
        rules: usize,
        (from, to): (UnitId, UnitId),
    ) -> Lookup<(Perturbed, Perturbed)> {
        let of = &self.rules[rules].rules;
        let (sends, receives) = (of.send.is_some(), of.receive.is_some());
        if !self.demands.has_regions() {
            return Ok((sends.into(), receives.into()));
        }
        let in_scope = |unit: UnitId| self.is_in_scope(state, self.process_of(unit));
        let group = self.declared.udp_between(self.process_of(from), self.process_of(to));
        let each_once = group.is_none_or(|udp| udp.direction.is_none());
        let by_receiver = self.perturbation_in_region(state, to);
        let by_sender = self.perturbation_in_region(state, from).or(by_receiver.filter(|_| each_once));
        let in_region = |perturbation: &Perturbation| -> Lookup<Perturbed> {
            match of.in_region(perturbation) {
                _ if self.declared.ignores_regions => Ok(Perturbed::No),
                Some(perturbed) => Ok(perturbed),
                None => Err(Missing::Region { rules, perturbation: perturbation.clone() }.into()),
            }
        };
        // A channel that nothing perturbs has its only stage on the sending side.
        let on_send = match by_sender {
            Some(region) if sends || !receives => in_region(region)?,
            _ => (sends && (in_scope(from) || each_once && in_scope(to))).into(),
        };
        let on_receive = match by_receiver {
            Some(region) if receives => in_region(region)?,
            _ => (receives && in_scope(to)).into(),
        };
        Ok((on_send, on_receive))
    }
}
