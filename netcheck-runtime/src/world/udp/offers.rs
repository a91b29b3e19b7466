//! The steps that operations on UDP sockets offer.

use super::Prepared;
use super::operation::ReceiveMode;
use super::prepared::Send;
use crate::id::{OutcomeId, SocketId};
use crate::operation::{Failure, Outcome};
use crate::world::components::{Binding, Component};
use crate::world::enabled::{Asker, Enabled, Losable};
use crate::world::step::{Change, Class, Writes};
use crate::world::tables::{Lookup, Missing, View};
use netcheck_models::event::Event;
use netcheck_models::host::overlap;
use smallvec::smallvec;
use std::net::SocketAddr;

pub(crate) fn offers(
    view: View<'_>,
    state: &[u32],
    asker: Asker,
    prepared: &Prepared,
    enabled: &mut Enabled,
) -> Lookup<()> {
    match *prepared {
        Prepared::Bind { socket, address } => {
            let (outcome, writes) = view.bind(state, socket, address)?;
            let bound = if let Outcome::Bound(local) = outcome { Some(local) } else { None };
            let outcome = view.outcome(outcome)?;
            for change in view.with_astray(state, socket, bound, writes)? {
                view.offer(enabled, asker, outcome, Class::Immediate, change)?;
            }
            Ok(())
        }
        Prepared::Connect { socket, local, peer } => {
            let (outcome, writes) = view.connect(state, socket, local, peer)?;
            view.answer(enabled, asker, outcome, writes)
        }
        Prepared::Send(ref send) if view.has_arrivals() => {
            let host = send.host.as_slice();
            for change in view.send_copies(state, (send.socket, send.to, send.datagram), host.iter().copied())? {
                view.offer(enabled, asker, view.known.done, Class::Immediate, change)?;
            }
            Ok(())
        }
        Prepared::SendToGroup(ref send) if view.has_arrivals() => {
            let hosts = send.hosts.iter().map(|(host, _)| *host);
            for change in view.send_copies(state, (send.socket, send.to, send.datagram), hosts)? {
                view.offer(enabled, asker, view.known.done, Class::Immediate, change)?;
            }
            Ok(())
        }
        Prepared::Receive { socket, mode, waits, .. } if view.has_arrivals() => {
            view.take_arrived(state, asker, (socket, mode, waits), enabled)
        }
        Prepared::Send(send) => {
            let change = view.send(state, send)?;
            view.offer(enabled, asker, view.known.done, Class::Immediate, change).map(|_| ())
        }
        Prepared::SendToGroup(_) if view.has_late_datagrams() => {
            Err(Box::new(Missing::Unordered(asker.node, asker.key)))
        }
        Prepared::SendToGroup(ref send) => {
            let change = view.send_to_group(state, send)?;
            view.offer(enabled, asker, view.known.done, Class::Immediate, change).map(|_| ())
        }
        Prepared::Join { socket, port, group } => {
            let (outcome, writes) = view.join(state, (socket, port), group)?;
            view.answer(enabled, asker, outcome, writes)
        }
        Prepared::Leave { socket, port, group } => {
            let (outcome, writes) = view.leave(state, (socket, port), group)?;
            view.answer(enabled, asker, outcome, writes)
        }
        Prepared::Receive { inbox, mode, waits, .. } => view.arriving(state, asker, (inbox, mode, waits), enabled),
    }
}

impl View<'_> {
    /// Appends a datagram to the channel that leads to its destination now.
    fn send(self, state: &[u32], Send { socket, from, to, host, port, datagram }: Send) -> Lookup<Change> {
        let mut change = Change { events: self.known.unbound, ..Change::quiet(Writes::new()) };
        let binding = port.and_then(|port| self.route(state, port, from, to));
        let channel = match (binding, host) {
            (Some(binding), _) if self.is_deaf(state, binding) => None,
            (Some(&Binding { socket: receiver, .. }), _) => {
                Some((self.channel(socket, receiver)?, receiver.unit, self.known.departed))
            }
            (None, Some(host)) => {
                let channel = self.astray(state, socket, (host, to))?;
                channel.map(|channel| (channel, self.root_of(state, host), self.known.astray))
            }
            (None, None) => None,
        };
        let is_cut_off = host.is_some_and(|host| self.is_cut_off_from(state, self.process_of(socket.unit), host));
        if is_cut_off && channel.is_some() {
            change.events = self.event(Event::CutOff)?;
        } else if let Some((channel, receiver, events)) = channel {
            let perturbed = self.perturbed(state, channel.rules, (socket.unit, receiver))?;
            let link = self.dispatch(channel.component.of(state), datagram, perturbed)?;
            change.writes.push((channel.component, link));
            change.events = events;
        }
        Ok(change)
    }

    fn bind(self, state: &[u32], socket: SocketId, address: SocketAddr) -> Lookup<(Outcome, Writes)> {
        let process = self.process_of(socket.unit);
        let ip = address.ip();
        if !self.has_address(process, ip) && !ip.is_multicast() {
            return Ok((Outcome::Failed(Failure::AddressNotAvailable), Writes::new()));
        }
        let holder = socket.unit;
        let at = |port: u16| -> Lookup<Option<(Outcome, Writes)>> {
            let component = self.component(Component::Port(process, port))?;
            let mut bindings = self.ports.get(component.of(state)).clone();
            if bindings.iter().any(|binding| overlap(binding.ip, ip)) {
                return Ok(None);
            }
            bindings.push(Binding { ip, socket, peer: None, groups: Vec::new(), holders: smallvec![holder] });
            bindings.sort_by_key(|binding| (binding.socket, binding.ip));
            let writes = smallvec![(component, self.bindings(bindings)?)];
            Ok(Some((Outcome::Bound(SocketAddr::new(ip, port)), writes)))
        };
        let bound = match address.port() {
            0 => self.ephemeral_ports(socket).find_map(|port| at(port).transpose()).transpose()?,
            port => at(port)?,
        };
        if let (0, Some((Outcome::Bound(local), _))) = (address.port(), &bound) {
            self.gives(local.port() == self.first_ephemeral_port(socket))?;
        }
        Ok(bound.unwrap_or((Outcome::Failed(Failure::AddressInUse), Writes::new())))
    }

    fn connect(
        self,
        state: &[u32],
        socket: SocketId,
        local: SocketAddr,
        peer: SocketAddr,
    ) -> Lookup<(Outcome, Writes)> {
        let host = self.host_of(socket.unit);
        // A socket at the address of a group stays there.
        let ip = if local.ip().is_multicast() { local.ip() } else { host.addresses.source(local.ip(), peer.ip()) };
        let process = self.process_of(socket.unit);
        let component = self.component(Component::Port(process, local.port()))?;
        let mut bindings = self.ports.get(component.of(state)).clone();
        for binding in bindings.iter_mut().filter(|binding| binding.socket == socket) {
            (binding.ip, binding.peer) = (ip, Some(peer));
        }
        let value = self.bindings(bindings)?;
        Ok((Outcome::Bound(SocketAddr::new(ip, local.port())), smallvec![(component, value)]))
    }

    /// Offers each datagram that a receive can return.
    fn arriving(
        self,
        state: &[u32],
        asker: Asker,
        (inbox, mode, waits): (u32, ReceiveMode, bool),
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let done = self.known.done;
        let answer = |datagram: OutcomeId| if mode == ReceiveMode::Ready { done } else { datagram };
        let head = self.head(inbox);
        if let Some((head, peeked)) = head.and_then(|head| Some((head, head.of(state).checked_sub(1)?))) {
            let kept = if mode == ReceiveMode::Take { 0 } else { peeked + 1 };
            let outcome = answer(OutcomeId(peeked));
            let change = Change { events: self.known.kept, ..Change::quiet(smallvec![(head, kept)]) };
            self.offer(enabled, asker, outcome, Class::Immediate, change)?;
            return Ok(());
        }
        let left = self.budget(state);
        let mut is_known = false;
        for index in 0..self.inlets(inbox).len() {
            let channel = self.inlets(inbox)[index];
            let link = channel.component.of(state);
            if link == 0 {
                continue;
            }
            let arrivals = self.arrivals(channel, link)?;
            let mut arrives = false;
            is_known |= self.links.get(link).has_known();
            for arrival in arrivals.deliveries.iter().filter(|arrival| left.allows(arrival.faults)) {
                let mut writes: Writes = smallvec![(channel.component, arrival.link)];
                if let (Some(head), false) = (head, mode == ReceiveMode::Take) {
                    writes.push((head, arrival.datagram.0 + 1));
                }
                let class = match waits {
                    true => Class::Delivery {
                        required: arrivals.lose_in_flight.is_none(),
                        may_wait: self.has_late_datagrams(),
                    },
                    false => Class::Immediate,
                };
                let outcome = answer(arrival.datagram);
                let change = Change { writes, faults: arrival.faults, events: arrival.events };
                arrives |= self.offer(enabled, asker, outcome, class, change)?;
            }
            if let (true, true, Some(lost)) = (arrives, waits, arrivals.lose_in_flight)
                && !enabled.losable.iter().any(|other| other.channel == channel.component)
            {
                let mover = self.automata.mover(asker.node, asker.key);
                enabled.losable.push(Losable { mover, channel: channel.component, lost });
            }
        }
        if !waits && !is_known {
            self.immediate(enabled, asker, self.known.would_block, Writes::new())?;
        }
        Ok(())
    }
}
