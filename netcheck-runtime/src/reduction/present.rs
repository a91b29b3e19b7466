//! Footprints in one state.
//!
//! **Power failures.** When a host loses its power, any last datagrams of each channel from it are lost that are still under
//! way ([`power`](crate::world::tasks)). So a receive depends on the power failure of a process, and the failure on the
//! receive, where a channel from the one to the other has something under way. Neither needs a resource of their
//! channels in all that they may still do. While the receiver stands still, such a channel gets something only by a send of the
//! process, which the receive depends on anyhow; and while the process stands still, its channels only get shorter.
//!
//! **Links that change no more.** Operations over links that may be cut together depend on each other, since at most so many of
//! these cuts are made ([`reach`](crate::world::reach)). Once so many were made, or no fault is left, a link changes only by the
//! heal of a cut that stops it now, and when that has healed, or stays for ever, never again: cuts are counted, and faults are not
//! given back. So no step from such a state on changes what comes through there ([`Resource::Reach`]), or is a cut that would
//! depend on what goes there ([`Resource::Carried`]), whatever the footprints say, which hold in all states.

use super::bits::Bits;
use super::footprint::Footprints;
use crate::id::{NodeId, ProcessId, UnitId};
use crate::world::components::Component;
use crate::world::prepared::Prepared;
use crate::world::tables::{Lookup, View};
use crate::world::tasks;
use crate::world::touches::Resource;

impl Footprints {
    /// The arrivals at the ports of a unit in a state, if ever more datagrams could be sent there. It may not be known
    /// yet that the unit receives them.
    pub(crate) fn inlets(&self, view: View<'_>, state: &[u32], unit: UnitId) -> Bits {
        let mut inlets = Bits::default();
        if self.may_repeat {
            for component in view.ports_of(state, unit) {
                // No known step affects a resource without a number.
                self.resources.get(&Resource::Appended(component)).into_iter().for_each(|&bit| inlets.insert(bit));
            }
        }
        inlets
    }

    /// The resources that steps of a unit depend on in a state since datagrams are under way that a power failure may lose:
    /// the failures of the senders, and the receives of what the unit has sent itself.
    pub(crate) fn under_way(&self, view: View<'_>, state: &[u32], unit: UnitId) -> Bits {
        let mut resources = Bits::default();
        if !view.declared.has_power_failures() || view.has_delay() {
            return resources;
        }
        // No known step affects a resource without a number.
        let mut add = |resource| self.resources.get(&resource).into_iter().for_each(|&bit| resources.insert(bit));
        let process = view.process_of(unit);
        let may_fail = |of: ProcessId| view.declared.loses_power(of) && view.may_crash_again(state, of);
        let present = view.components.iter().take(state.len()).filter(|(id, _)| id.of(state) != 0);
        for (_, component) in present {
            let Component::Channel { from, to } = component else { continue };
            let [sender, receiver] = [from, to].map(|socket| view.process_of(socket.unit));
            if sender == receiver || !may_fail(sender) {
                continue;
            }
            if to.unit == unit {
                add(Resource::Silenced(sender));
            }
            if sender == process && view.root_of(state, process) == unit {
                view.ports_of(state, to.unit).for_each(|port| add(Resource::Taken(port)));
            }
        }
        resources
    }

    /// The resources of the links that are neither cut any more nor heal from a state on: no step affects or depends on them.
    pub(crate) fn settled_links(&self, view: View<'_>, state: &[u32]) -> Bits {
        let mut settled = Bits::default();
        for resource in view.settled_links(state) {
            // No known step affects a resource without a number.
            self.resources.get(&resource).into_iter().for_each(|&bit| settled.insert(bit));
        }
        settled
    }

    /// The resources of all links that may be cut.
    pub(super) fn links(&self, view: View<'_>) -> Bits {
        let mut links = Bits::default();
        if view.declares_partitions() {
            let is_link = |resource: &Resource| matches!(resource, Resource::Reach(..) | Resource::Carried(..));
            let all = self.resources.iter().filter(|(resource, _)| is_link(resource));
            all.for_each(|(_, &bit)| links.insert(bit));
        }
        links
    }

    /// The processes that have yet to wait before a unit can start.
    pub(crate) fn needs(&self, view: View<'_>, state: &[u32], unit: UnitId, node: NodeId) -> Lookup<Bits> {
        let mut needs = Bits::default();
        if view.automata.node(node).from.is_some() {
            return Ok(needs);
        }
        for offer in view.prepared_offers(node)? {
            let Prepared::Tasks(tasks::Prepared::Start { after }) = &offer.prepared else { continue };
            let process = view.process_of(unit);
            let waiting = after.iter().map(|units| view.has_waited(state, units));
            for (before, has_waited) in view.processes[process.0 as usize].after.iter().zip(waiting) {
                // Of several units that may stand for a process, one has to wait.
                if let (false, [unit]) = (has_waited, &view.processes[before.0 as usize].roots[..]) {
                    let waited = self.resources.get(&Resource::Waited(*unit));
                    needs.insert(*waited.expect("every process has yet to wait at its first node"));
                }
            }
        }
        Ok(needs)
    }
}
