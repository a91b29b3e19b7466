//! Multicast groups: joining and leaving them, and sending to them.
//!
//! A datagram to a group goes to each host that may be reached, as if one were sent to each: in a channel of its own, which
//! loses, repeats and delays it by itself. Of the sockets of a host, one at most is bound where the group's datagrams come.

use super::prepared::SendToGroup;
use crate::id::{NodeId, ProcessId, SocketId};
use crate::operation::{Failure, OperationKey, Outcome};
use crate::unit::learn::Diagnostic;
use crate::world::components::{Bindings, Component};
use crate::world::events::{Happened, Told};
use crate::world::step::{Change, Writes};
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use netcheck_models::event::Event;
use netcheck_models::host::group::Group;
use smallvec::smallvec;

impl System {
    /// A program sends to a multicast group where packets have delays and keep an order.
    pub(in crate::world) fn unordered(&self, node: NodeId, key: OperationKey) -> Diagnostic {
        let (name, line) = self.learner.place_of(node, key);
        Diagnostic(format!(
            "{name} sends to a multicast group at {line}, which is not modelled where delayed packets keep an order\n  \
             say `udp(delay)` without `window` and `reorder`: then the order follows from the delays"
        ))
    }
}

impl View<'_> {
    /// Appends a datagram to the channels that lead to the members of its group now.
    pub(super) fn send_to_group(self, state: &[u32], send: &SendToGroup) -> Lookup<Change> {
        let SendToGroup { socket, from, to, datagram, .. } = *send;
        let mut change = Change { events: self.known.unbound, ..Change::quiet(Writes::new()) };
        let mut told = Told::new();
        for &(host, port) in &send.hosts {
            let Some(binding) = self.route(state, port, from, to) else { continue };
            if self.is_deaf(state, binding) {
                continue;
            }
            if self.is_cut_off_from(state, self.process_of(socket.unit), host) {
                change.events = self.event(Event::CutOff)?;
                continue;
            }
            let channel = self.channel(socket, binding.socket)?;
            let perturbed = self.perturbed(state, channel.rules, (socket.unit, binding.socket.unit))?;
            let link = self.dispatch(channel.component.of(state), datagram, perturbed)?;
            let write = change.writes.len() as u32;
            told.push(Happened { write, events: smallvec![Event::Departed], remaining: None });
            change.writes.push((channel.component, link));
        }
        if !told.is_empty() {
            change.events = self.tells(told)?;
        }
        Ok(change)
    }

    pub(super) fn join(self, state: &[u32], at: (SocketId, u16), group: Group) -> Lookup<(Outcome, Writes)> {
        self.change_groups(state, at, |groups| match groups.binary_search(&group) {
            Ok(_) => Err(Failure::AddressInUse),
            Err(place) => {
                groups.insert(place, group);
                Ok(())
            }
        })
    }

    pub(super) fn leave(self, state: &[u32], at: (SocketId, u16), group: Group) -> Lookup<(Outcome, Writes)> {
        self.change_groups(state, at, |groups| match groups.binary_search(&group) {
            Ok(place) => {
                groups.remove(place);
                Ok(())
            }
            Err(_) => Err(Failure::AddressNotAvailable),
        })
    }

    /// The outcome of a change of the groups that a socket has joined.
    fn change_groups(
        self,
        state: &[u32],
        (socket, port): (SocketId, u16),
        change: impl FnOnce(&mut Vec<Group>) -> Result<(), Failure>,
    ) -> Lookup<(Outcome, Writes)> {
        let component = self.component(Component::Port(self.process_of(socket.unit), port))?;
        let mut bindings: Bindings = self.ports.get(component.of(state)).clone();
        let binding = bindings.iter_mut().find(|binding| binding.socket == socket);
        match change(&mut binding.expect("a socket that is used is bound").groups) {
            Ok(()) => Ok((Outcome::Done, smallvec![(component, self.bindings(bindings)?)])),
            Err(failure) => Ok((Outcome::Failed(failure), Writes::new())),
        }
    }

    /// Whether a host is a member of a group.
    pub(in crate::world) fn is_member(self, state: &[u32], host: ProcessId, group: Group) -> bool {
        let mut ports = self.components.ports_of(host).iter();
        ports.any(|port| self.ports.get(port.of(state)).iter().any(|binding| binding.groups.contains(&group)))
    }
}
