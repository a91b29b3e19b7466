//! Footprints in one state.

use super::bits::Bits;
use super::footprint::Footprints;
use crate::id::{NodeId, UnitId};
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
