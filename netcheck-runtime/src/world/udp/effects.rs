//! Effects of this kind: closing UDP sockets, and dropping datagrams that no unit will receive.

use super::operation::Effect;
use crate::id::{SocketId, UnitId};
use crate::unit::automaton::EdgeId;
use crate::world::components::{Binding, Component, ComponentId};
use crate::world::tables::{Lookup, View};
use smallvec::SmallVec;
use std::net::IpAddr;

pub(crate) fn effect(
    view: View<'_>,
    (unit, _): (UnitId, EdgeId),
    &Effect::Close { socket }: &Effect,
    next: &mut Vec<u32>,
) -> Lookup<()> {
    view.let_go_of(|other| other == socket, unit, next)
}

impl View<'_> {
    /// Clears the timers and the datagrams that a parked daemon will never use again. Its sockets, streams and
    /// listeners stay, because other units may bind a port, connect and write.
    pub(in crate::world) fn forget_datagrams(self, unit: UnitId, next: &mut Vec<u32>) {
        self.clear(Component::Timers(unit), next);
        for &port in self.components.ports() {
            for binding in self.ports.get(port.of(next)) {
                if !self.is_deaf(next, binding) {
                    continue;
                }
                self.held_for(binding.socket).for_each(|component| component.set(next, 0));
            }
        }
    }

    /// The components that hold datagrams for a socket, in flight or arrived.
    fn held_for(self, socket: SocketId) -> impl Iterator<Item = ComponentId> {
        let into = self.tables.inlets_of(socket).iter().map(|channel| channel.component);
        into.chain(self.head_of(socket)).chain(self.components.find(Component::Buffer(socket)))
    }

    /// The components that hold datagrams for sockets at a port. Of copies of datagrams in flight, those with a place in the zone
    /// are left out, and with them all from the same socket.
    pub(crate) fn held_at(self, state: &[u32], port: ComponentId) -> SmallVec<[ComponentId; 4]> {
        let sockets = self.tables.ports.get(port.of(state)).iter().map(|binding| binding.socket);
        let held = sockets.flat_map(|socket| self.held_for(socket));
        let mut held: SmallVec<[ComponentId; 4]> = held.filter(|component| component.of(state) != 0).collect();
        let in_flight = self.tables.components.astray().iter().copied().filter(|component| component.of(state) != 0);
        held.extend(in_flight.filter(|&component| {
            let Component::Astray { to: (process, to), .. } = self.components.component(component) else {
                return false;
            };
            self.components.find(Component::Port(process, to.port())) == Some(port)
                && self.may_stay_in_flight(state, component)
        }));
        held
    }

    /// Releases the timers and UDP sockets of a unit.
    pub(in crate::world) fn release_datagrams(self, unit: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        self.clear(Component::Timers(unit), next);
        self.let_go_of(|_| true, unit, next)
    }

    /// Removes one holder of some sockets. A socket without holders is closed, and the datagrams in flight to it
    /// vanish, unless `delay` leads them astray.
    fn let_go_of(self, which: impl Fn(SocketId) -> bool, unit: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        let mut closed: SmallVec<[(SocketId, (ComponentId, IpAddr)); 4]> = SmallVec::new();
        let is_held = |binding: &Binding| which(binding.socket) && binding.holders.contains(&unit);
        self.change_bindings(next, is_held, |port, binding| {
            binding.holders.retain(|holder| *holder != unit);
            if binding.holders.is_empty() {
                closed.push((binding.socket, (port, binding.ip)));
            }
        })?;
        for (socket, bound) in closed {
            self.lead_astray(socket, bound, next)?;
            self.held_for(socket).for_each(|component| component.set(next, 0));
        }
        Ok(())
    }

    /// Changes the bindings for which `is_concerned` holds, at all ports, and removes bindings without holders.
    pub(in crate::world) fn change_bindings(
        self,
        next: &mut Vec<u32>,
        is_concerned: impl Fn(&Binding) -> bool,
        mut change: impl FnMut(ComponentId, &mut Binding),
    ) -> Lookup<()> {
        for component in self.tables.components.ports() {
            let known = self.tables.ports.get(component.of(next));
            if !known.iter().any(&is_concerned) {
                continue;
            }
            let mut bindings = known.clone();
            bindings.iter_mut().filter(|binding| is_concerned(binding)).for_each(|binding| change(*component, binding));
            bindings.retain(|binding| !binding.holders.is_empty());
            component.set(next, self.bindings(bindings)?);
        }
        Ok(())
    }
}
