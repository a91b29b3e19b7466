//! The links over which the operations of a unit go in a state.

use super::way;
use crate::id::{ConnectionId, ProcessId, UnitId};
use crate::operation::Side;
use crate::world::components::{Component, ComponentId};
use crate::world::prepared::{Prepared, PreparedOffer};
use crate::world::tables::{Lookup, View};
use crate::world::{tcp, udp};
use netcheck_models::host::reach::Way;
use netcheck_models::host::unix;
use smallvec::SmallVec;
use std::net::SocketAddr;

/// Links, each as often as it is used.
type Links = SmallVec<[Way; 4]>;

/// The links over which something goes that a unit asks for, or that it holds.
#[derive(Default)]
pub(super) struct Traffic {
    /// Something is sent, or arrives, that is lost, or waits, if the link is cut.
    pub(super) sent: Links,
    /// Something has come that a cut may have held up.
    pub(super) taken: Links,
    /// Something gets through, or comes to the unit or to its peer, when the link heals.
    pub(super) waiting: Links,
}

impl View<'_> {
    /// The traffic of a unit with these offers.
    pub(super) fn traffic(self, state: &[u32], unit: UnitId, offers: &[PreparedOffer]) -> Lookup<Traffic> {
        let mut traffic = Traffic::default();
        for offer in offers {
            match &offer.prepared {
                Prepared::Udp(prepared) => self.datagrams(state, unit, prepared, &mut traffic),
                Prepared::Tcp(prepared) => self.calls(state, unit, prepared, &mut traffic)?,
                _ => {}
            }
        }
        self.held_ends(state, unit, &mut traffic);
        if self.has_arrivals() {
            self.copies_in_flight(state, unit, &mut traffic)?;
        }
        let own = |links: &mut Links| links.retain(|(from, to)| from != to);
        [&mut traffic.sent, &mut traffic.taken, &mut traffic.waiting].into_iter().for_each(own);
        Ok(traffic)
    }

    fn datagrams(self, state: &[u32], unit: UnitId, prepared: &udp::Prepared, traffic: &mut Traffic) {
        let process = self.process_of(unit);
        // In dense time, what is sent to a host may arrive at a socket that is bound by then.
        let arrives = |from: SocketAddr, to: SocketAddr, port: ComponentId| {
            self.has_arrivals()
                || self.route(state, port, from, to).is_some_and(|binding| !self.is_deaf(state, binding))
        };
        let mut send = |host: ProcessId| {
            traffic.sent.push(way(process, host));
            traffic.waiting.push(way(process, host));
        };
        match prepared {
            udp::Prepared::Send(datagram) => {
                let to =
                    datagram.host.zip(datagram.port).filter(|&(_, port)| arrives(datagram.from, datagram.to, port));
                to.into_iter().for_each(|(host, _)| send(host));
            }
            udp::Prepared::SendToGroup(datagram) => {
                let hosts = datagram.hosts.iter().filter(|&&(_, port)| arrives(datagram.from, datagram.to, port));
                hosts.for_each(|&(host, _)| send(host));
            }
            udp::Prepared::Receive { inbox, .. } => {
                if self.head(*inbox).is_some_and(|head| head.of(state) != 0) {
                    // It was peeked at, and has come.
                    return;
                }
                for channel in self.inlets(*inbox).iter().filter(|channel| channel.component.of(state) != 0) {
                    if let Component::Channel { from, .. } = self.components.component(channel.component) {
                        traffic.taken.push(way(self.process_of(from.unit), process));
                    }
                }
            }
            udp::Prepared::Bind { .. }
            | udp::Prepared::Connect { .. }
            | udp::Prepared::Join { .. }
            | udp::Prepared::Leave { .. } => {}
        }
    }

    /// In dense time: the links of the copies in flight to the process of a unit. Of several units, only the first tells of them.
    fn copies_in_flight(self, state: &[u32], unit: UnitId, traffic: &mut Traffic) -> Lookup<()> {
        let process = self.process_of(unit);
        for (other, node) in self.live_units(state).take_while(|(other, _)| *other != unit) {
            if self.process_of(other) == process && !self.prepared_offers(node)?.is_empty() {
                return Ok(());
            }
        }
        for &component in self.components.astray().iter().filter(|component| component.of(state) != 0) {
            match self.components.component(component) {
                Component::Astray { from, to: (host, _) } if host == process => {
                    let way = way(self.process_of(from.unit), host);
                    traffic.sent.extend(self.is_stopped_in_flight(state, component).then_some(way));
                    traffic.waiting.push(way);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn calls(self, state: &[u32], unit: UnitId, prepared: &tcp::Prepared, traffic: &mut Traffic) -> Lookup<()> {
        let own = self.process_of(unit);
        match prepared {
            tcp::Prepared::Open(open) if !unix::is_unix(open.peer.ip()) => {
                if let (Some((host, _)), false) = (open.to, self.is_answered(state, open.socket)?) {
                    let both = [way(own, host), way(host, own)];
                    traffic.sent.extend(both);
                    traffic.waiting.extend(both);
                }
            }
            tcp::Prepared::Write { end, .. } | tcp::Prepared::Shutdown { end, .. } => {
                let connection = self.connection_at(state, *end);
                if !self.connections.is_unix(end.connection)
                    && !connection.is_dead(end.side)
                    && !connection.is_finished(end.side)
                {
                    let (peer, _) = self.connections.end(end.connection, end.peer());
                    traffic.sent.push(way(own, peer));
                    // The host of a closed end answers.
                    traffic.sent.extend((!connection.is_held(end.peer())).then_some(way(peer, own)));
                    // Its acknowledgement.
                    traffic.sent.extend(self.declares_retries().then_some(way(peer, own)));
                }
            }
            // A failure is told to the other end; a cut before it is another fault.
            &tcp::Prepared::Accept { port, local, fails, .. } if self.budget(state).allows(2) => {
                let is_told = self.may_tell_a_failure(state, unit, fails, |failures| failures.open);
                let client = self.first_client(state, port, local).filter(|_| is_told);
                traffic.sent.extend(client.map(|client| way(own, client)));
            }
            &tcp::Prepared::Read { end, fails, resets, .. } if self.budget(state).allows(2) => {
                let is_told = self.may_tell_a_failure(state, unit, fails, |failures| failures.read)
                    || self.may_reset_now(state, unit, resets);
                let goes_over_a_link = !self.connections.is_unix(end.connection);
                if is_told && goes_over_a_link && !self.connection_at(state, end).is_dead(end.side) {
                    let (peer, _) = self.connections.end(end.connection, end.peer());
                    traffic.sent.push(way(own, peer));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The process whose connection is the first one that waits to be accepted at a port.
    fn first_client(self, state: &[u32], port: ComponentId, local: SocketAddr) -> Option<ProcessId> {
        let first = ConnectionId(*self.backlog_at(state, port, local)?.waiting().first()?);
        (!self.connections.is_unix(first)).then(|| self.connections.end(first, Side::Client).0)
    }

    /// The connections of which a unit holds an end: it may read there, or close it, with effects that depend on what has come. A
    /// host that may lose its power forgets of those in its backlogs as well what has come, and answers when it is back what comes
    /// on old ones.
    fn held_ends(self, state: &[u32], unit: UnitId, traffic: &mut Traffic) {
        let process = self.process_of(unit);
        for &id in self.components.streams().iter().filter(|id| id.of(state) != 0) {
            let Component::Connection(connection) = self.components.component(id) else { continue };
            let held = self.held.get(id.of(state));
            let processes = self.connections.processes(connection);
            for (own, peer) in [(Side::Client, Side::Server), (Side::Server, Side::Client)] {
                let from_peer = way(processes[peer as usize], processes[own as usize]);
                let is_unheld = processes[own as usize] == process && held.holders[own as usize].is_none();
                let loses_power = processes[own as usize] == process && self.declared.loses_power(process);
                let is_queued = loses_power && is_unheld && held.connection.is_held(own);
                if loses_power && held.connection.is_answered_when_back(own) {
                    traffic.sent.extend([from_peer, (from_peer.1, from_peer.0)]);
                }
                // Where hosts give up, what is sent and not acknowledged matters to both ends, also to one that no unit holds.
                let is_of_host = self.declares_retries() && is_unheld;
                if held.holders[own as usize] != Some(unit) && !is_queued && !is_of_host {
                    continue;
                }
                if self.declares_retries() && held.connection.may_be_held_up(own) {
                    traffic.taken.push((from_peer.1, from_peer.0));
                }
                if held.connection.may_be_held_up(peer) {
                    traffic.taken.push(from_peer);
                }
                if held.connection.waits_for_heal() {
                    traffic.waiting.extend([from_peer, (from_peer.1, from_peer.0)]);
                }
            }
        }
    }
}
