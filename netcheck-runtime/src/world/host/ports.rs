//! The ports of a process: the addresses that may be bound, and the socket that receives a datagram.

use crate::id::{NodeId, ProcessId, UnitId};
use crate::world::components::{Binding, ComponentId};
use crate::world::tables::View;
use netcheck_models::host::group::Group;
use netcheck_models::host::takes;
use std::net::{IpAddr, SocketAddr};

impl<'a> View<'a> {
    /// Whether every holder of a socket is a parked daemon.
    pub(crate) fn is_deaf(self, state: &[u32], binding: &Binding) -> bool {
        let node = |unit: UnitId| NodeId(self.unit_component(unit).of(state));
        binding.holders.iter().all(|&unit| [NodeId::PARKED, NodeId::PARKED_IN_ACCEPT].contains(&node(unit)))
    }

    /// The socket that receives a datagram; `None` if no socket does, or the host is no member of the group.
    pub(crate) fn route(
        self,
        state: &[u32],
        port: ComponentId,
        from: SocketAddr,
        to: SocketAddr,
    ) -> Option<&'a Binding> {
        let bindings = self.tables.ports.get(port.of(state));
        let matches = |binding: &&Binding| takes(binding.ip, to.ip()) && binding.peer.is_none_or(|peer| peer == from);
        let binding = bindings.iter().find(matches)?;
        let host = self.components.component(port).process_of_port()?;
        let is_reached = !to.ip().is_multicast() || self.is_member(state, host, Group::reached(from, to));
        is_reached.then_some(binding)
    }

    /// Whether a process may bind an address.
    pub(crate) fn has_address(&self, process: ProcessId, ip: IpAddr) -> bool {
        self.processes[process.0 as usize].host.addresses.may_bind(ip)
    }
}
