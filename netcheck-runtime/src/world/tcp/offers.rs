//! The steps that operations on TCP offer.

use super::Prepared;
use super::connections::{ConnectionEnd, broken};
use super::failures::Failures;
use super::prepared::{Fails, Open};
use crate::id::{ConnectionId, ProcessId, SocketId, UnitId};
use crate::operation::{Failure, Outcome, Side};
use crate::world::components::{Component, ComponentId, HeldConnection, StreamBinding};
use crate::world::enabled::{Asker, Enabled};
use crate::world::step::{Change, Class, Move, Transition, Writes};
use crate::world::tables::{Lookup, View};
use netcheck_models::event::Event;
use netcheck_models::host::{ephemeral, overlap, takes, unix};
use netcheck_models::tcp::{Backlog, Connection, Read, Written};
use smallvec::{SmallVec, smallvec};
use std::net::SocketAddr;

pub(crate) fn offers(
    view: View<'_>,
    state: &[u32],
    asker: Asker,
    prepared: &Prepared,
    enabled: &mut Enabled,
) -> Lookup<()> {
    let mut offers = Offers { asker, enabled };
    let now = |fails: &Fails, of: fn(Failures) -> bool| view.may_fail_now(state, asker.unit, *fails, of);
    match prepared {
        Prepared::BindStream { socket, address, shares } => {
            let (outcome, writes) = view.bind_stream(state, *socket, *address, *shares, None)?;
            offers.add(view, outcome, Class::Immediate, writes)
        }
        Prepared::Listen { socket, address, is_bound, backlog } => {
            let (outcome, writes) = match is_bound {
                true => view.listen(state, *socket, *address, *backlog)?,
                false => view.bind_stream(state, *socket, *address, true, Some(Backlog::new(*backlog)))?,
            };
            offers.add(view, outcome, Class::Immediate, writes)
        }
        Prepared::Open(open) => view.open(state, *open, &mut offers),
        Prepared::Dial(open) => view.dial_unix(state, *open, &mut offers),
        Prepared::Accept { process, port, local, waits, fails } => {
            view.accept(state, (*process, *port, *local), (*waits, now(fails, |failures| failures.open)), &mut offers)
        }
        Prepared::Read { end, max, peeks, waits, fails, resets } => {
            let fails = (now(fails, |failures| failures.read), now(resets, |failures| failures.reset));
            view.read(state, *end, (*max, *peeks, *waits), fails, &mut offers)
        }
        Prepared::Write { end, bytes, waits, fails, resets } => {
            let fails = (now(fails, |failures| failures.write), now(resets, |failures| failures.reset));
            view.write(state, *end, (bytes, *waits), fails, &mut offers)
        }
        Prepared::Ready { end, read, write, waits } => {
            let capacity = view.declared.tcp.streams.capacity;
            let connection = view.connection_at(state, *end);
            let read = *read && connection.is_readable(end.side);
            let write = *write && connection.is_writable(end.side, capacity);
            match read || write || !waits {
                true => offers.add(view, Outcome::Ready { read, write }, view.over_network(), Writes::new()),
                false => Ok(()),
            }
        }
        Prepared::TakeError { end } => {
            let (error, after) = view.connection_at(state, *end).take_error(end.side);
            let writes = view.becomes(state, *end, after)?;
            match error {
                Some(error) => offers.tell(view, broken(error), Class::Immediate, writes, Event::Broken),
                None => offers.add(view, Outcome::Done, Class::Immediate, writes),
            }
        }
        Prepared::Shutdown { end, fails } => {
            let connection = view.connection_at(state, *end);
            let after = connection.shut_down(end.side);
            let fails = now(fails, |failures| failures.close) && !connection.is_dead(end.side);
            let failed = fails.then(|| connection.failed(end.side));
            let write = view.becomes(state, *end, after)?;
            offers.tell(view, Outcome::Done, Class::Immediate, write, Event::Finished)?;
            view.break_at(
                state,
                *end,
                failed.map(|failed| (failed, Vec::new())),
                (fails, false),
                Failure::NotConnected,
                &mut offers,
            )
        }
    }
}

impl View<'_> {
    /// The class of an outcome that comes over the network: where packets take time, it has come.
    fn over_network(self) -> Class {
        if self.has_segments() { Class::Immediate } else { Class::Delivery { required: true, may_wait: false } }
    }

    pub(in crate::world) fn connection_at(&self, state: &[u32], end: ConnectionEnd) -> &Connection {
        &self.held.get(end.component.of(state)).connection
    }

    /// The writes of a step that changes a connection and not its holders.
    fn becomes(self, state: &[u32], end: ConnectionEnd, connection: Connection) -> Lookup<Writes> {
        let held = HeldConnection { connection, ..*self.held.get(end.component.of(state)) };
        Ok(smallvec![(end.component, self.held_connection(held)?)])
    }

    /// Binds a socket, and listens at once if there is a backlog.
    fn bind_stream(
        self,
        state: &[u32],
        socket: SocketId,
        address: SocketAddr,
        shares: bool,
        backlog: Option<Backlog>,
    ) -> Lookup<(Outcome, Writes)> {
        let process = self.process_of(socket.unit);
        let ip = address.ip();
        if !self.has_address(process, ip) {
            return Ok((Outcome::Failed(Failure::AddressNotAvailable), Writes::new()));
        }
        let ports: SmallVec<[u16; 1]> = match address.port() {
            0 => self.ephemeral_ports(socket).collect(),
            port => smallvec![port],
        };
        for port in ports {
            let component = self.component(Component::StreamPort(process, port))?;
            let mut bindings = self.stream_ports.get(component.of(state)).clone();
            let in_the_way =
                |other: &StreamBinding| overlap(other.ip, ip) && !(shares && other.shares && other.backlog.is_none());
            if bindings.iter().any(in_the_way) {
                continue;
            }
            bindings.push(StreamBinding { ip, socket, holder: socket.unit, shares, backlog });
            bindings.sort_by_key(|binding| (binding.socket, binding.ip));
            let value = self.stream_bindings(bindings)?;
            self.gives(address.port() != 0 || port == self.first_ephemeral_port(socket))?;
            let mut writes: Writes = smallvec![(component, value)];
            if unix::is_path(ip) {
                writes.push((self.component(Component::SocketFile(process, address))?, 1));
            }
            return Ok((Outcome::Bound(SocketAddr::new(ip, port)), writes));
        }
        Ok((Outcome::Failed(Failure::AddressInUse), Writes::new()))
    }

    /// A bound socket begins to listen.
    fn listen(self, state: &[u32], socket: SocketId, local: SocketAddr, backlog: usize) -> Lookup<(Outcome, Writes)> {
        let process = self.process_of(socket.unit);
        let component = self.component(Component::StreamPort(process, local.port()))?;
        let mut bindings = self.stream_ports.get(component.of(state)).clone();
        if bindings
            .iter()
            .any(|other| other.socket != socket && other.backlog.is_some() && overlap(other.ip, local.ip()))
        {
            return Ok((Outcome::Failed(Failure::AddressInUse), Writes::new()));
        }
        for binding in bindings.iter_mut().filter(|binding| binding.socket == socket) {
            binding.backlog = Some(Backlog::new(backlog));
        }
        let value = self.stream_bindings(bindings)?;
        Ok((Outcome::Bound(local), smallvec![(component, value)]))
    }

    /// The listener that receives a connect.
    pub(super) fn listener(&self, state: &[u32], port: ComponentId, to: SocketAddr) -> Option<&StreamBinding> {
        let listens = |binding: &&StreamBinding| takes(binding.ip, to.ip()) && binding.backlog.is_some();
        self.stream_ports.get(port.of(state)).iter().find(listens)
    }

    fn open(self, state: &[u32], open: Open, offers: &mut Offers<'_>) -> Lookup<()> {
        let Open { socket, local, peer, to, fails, hangs } = open;
        if self.has_given_up(state, socket) {
            return self.tell_given_up(state, socket, offers);
        }
        if self.components.find(Component::Hung(socket)).is_some_and(|hung| hung.of(state) != 0) {
            return Ok(());
        }
        if to.is_some() && self.has_segments() && !unix::is_unix(peer.ip()) {
            return self.open_over_time(state, open, offers);
        }
        if let Some(answer) = self.connect_answer(state, socket)? {
            return self.tell_answer(state, socket, answer, offers);
        }
        let over: Writes = self.waits_no_more(state, socket).into_iter().collect();
        if self.may_fail_now(state, offers.asker.unit, fails, |failures| failures.open) {
            offers.fail(self, Failure::TimedOut, over.clone(), Event::Failed)?;
        }
        if self.may_fail_now(state, offers.asker.unit, hangs, |failures| failures.hang) {
            let writes = smallvec![(self.component(Component::Hung(socket))?, 1)];
            let Asker { unit, node, key, .. } = offers.asker;
            let step = Move::Hang { unit, node, key };
            let (faults, events) = (Event::Hung.faults(), self.event(Event::Hung)?);
            offers.enabled.moves.push(Transition { step, writes, faults, events, watched: None });
        }
        if to.is_some_and(|(host, _)| self.is_unreachable(state, offers.asker.unit, host)) {
            return Ok(());
        }
        match self.dial(state, offers.asker.unit, (socket, local, peer), to)? {
            Dialed::Failed(Failure::ConnectionRefused) => self.answer_unseen(socket, None, over, offers),
            // A refusal comes over the network as well.
            Dialed::Failed(failure) => {
                let class = Class::Delivery { required: true, may_wait: self.has_segments() };
                offers.tell(self, Outcome::Failed(failure), class, over, Event::Refused)
            }
            Dialed::Full => Ok(()),
            Dialed::Connected { end, mut writes } => {
                writes.extend(over);
                self.answer_unseen(socket, Some(end), writes, offers)
            }
        }
    }

    /// The result of a connect in this state.
    pub(super) fn dial(
        self,
        state: &[u32],
        unit: UnitId,
        (socket, local, peer): (SocketId, Option<SocketAddr>, SocketAddr),
        to: Option<(ProcessId, ComponentId)>,
    ) -> Lookup<Dialed> {
        let Some((host, port)) = to else {
            let is_broadcast = peer.ip() == std::net::Ipv4Addr::BROADCAST;
            let failure = if is_broadcast { Failure::NetworkUnreachable } else { Failure::HostUnreachable };
            return Ok(Dialed::Failed(failure));
        };
        let holders = [Some(unit), None];
        let Some(listener) = self.listener(state, port, peer).cloned() else {
            let process = self.process_of(socket.unit);
            if unix::is_unix(peer.ip()) {
                return Ok(Dialed::Failed(self.nobody_at(state, host, peer)));
            }
            if local != Some(peer) || host != process {
                return Ok(Dialed::Failed(Failure::ConnectionRefused));
            }
            let end = self.connection([(process, peer); 2])?;
            let held = HeldConnection { connection: Connection::to_itself(), holders, ..HeldConnection::default() };
            let mut writes: Writes = smallvec![(end.component, self.held_connection(held)?)];
            self.unbind(state, socket, local, &mut writes)?;
            return Ok(Dialed::Connected { end, writes });
        };
        let backlog = listener.backlog.as_ref().expect("a listener has a backlog");
        if !backlog.has_room() {
            return Ok(Dialed::Full);
        }
        let Some(end) = self.free_end(state, socket, local, (host, peer))? else {
            // A connection with the same four addresses exists.
            return Ok(Dialed::Failed(Failure::AddressNotAvailable));
        };
        let is_unix = unix::is_unix(peer.ip());
        let connection = if is_unix { Connection::unix() } else { Connection::established() };
        let held = HeldConnection { connection, holders, ..HeldConnection::default() };
        let mut bindings = self.stream_ports.get(port.of(state)).clone();
        for binding in bindings.iter_mut().filter(|binding| binding.socket == listener.socket) {
            binding.backlog = Some(backlog.with(end.connection.0));
        }
        let mut writes: Writes =
            smallvec![(end.component, self.held_connection(held)?), (port, self.stream_bindings(bindings)?)];
        self.unbind(state, socket, local, &mut writes)?;
        Ok(Dialed::Connected { end, writes })
    }

    /// The new connection to `peer` from the first local address from which one can be made.
    pub(super) fn free_end(
        self,
        state: &[u32],
        socket: SocketId,
        local: Option<SocketAddr>,
        peer: (ProcessId, SocketAddr),
    ) -> Lookup<Option<ConnectionEnd>> {
        let process = self.process_of(socket.unit);
        let any = if peer.1.is_ipv4() {
            std::net::Ipv4Addr::UNSPECIFIED.into()
        } else {
            std::net::Ipv6Addr::UNSPECIFIED.into()
        };
        let ip = self.host_of(socket.unit).addresses.source(local.map_or(any, |local| local.ip()), peer.1.ip());
        let ports: Box<dyn Iterator<Item = u16>> = match local {
            Some(local) => Box::new(std::iter::once(local.port())),
            None => Box::new(self.ephemeral_ports(socket)),
        };
        for port in ports {
            let own = SocketAddr::new(ip, port);
            let bound = self.components.find(Component::StreamPort(process, port));
            if let (None, Some(bound)) = (local, bound.filter(|bound| bound.of(state) != 0)) {
                let bindings = self.stream_ports.get(bound.of(state));
                self.gives(bindings.iter().all(|binding| binding.socket.unit == socket.unit))?;
                continue;
            }
            let end = self.connection([(process, own), peer])?;
            if end.component.of(state) == 0 {
                let is_of_block = |port| ephemeral::block(port) == ephemeral::block(self.first_ephemeral_port(socket));
                self.gives(local.is_some() || is_of_block(port))?;
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// The connection that a connect makes, unless an earlier connection of the same socket exists.
    pub(crate) fn first_end(
        self,
        socket: SocketId,
        local: Option<SocketAddr>,
        peer: (ProcessId, SocketAddr),
    ) -> Lookup<Option<ConnectionEnd>> {
        self.free_end(&[], socket, local, peer)
    }

    fn accept(
        self,
        state: &[u32],
        (process, port, local): (ProcessId, ComponentId, SocketAddr),
        (waits, fails): (bool, bool),
        offers: &mut Offers<'_>,
    ) -> Lookup<()> {
        let not_yet = |offers: &mut Offers<'_>| match waits {
            true => Ok(()),
            false => offers.add(self, Outcome::WouldBlock, Class::Immediate, Writes::new()),
        };
        let mut bindings = self.stream_ports.get(port.of(state)).clone();
        let Some(binding) = bindings.iter_mut().find(|binding| binding.ip == local.ip() && binding.backlog.is_some())
        else {
            return not_yet(offers);
        };
        let Some((first, rest)) = binding.backlog.as_ref().and_then(Backlog::accept) else {
            return not_yet(offers);
        };
        binding.backlog = Some(rest);
        let bindings = self.stream_bindings(bindings)?;
        let connection = ConnectionId(first);
        let component = self.component(Component::Connection(connection))?;
        let mut held = self.held.get(component.of(state)).clone();
        if fails && self.fails_transiently(state, offers.asker.unit) {
            let writes = smallvec![(component, component.of(state))];
            offers.fail(self, Failure::OutOfMemory, writes, Event::FailedAlone)?;
        } else if fails {
            let failed = held.connection.failed(Side::Server).close(Side::Server, false);
            let held = HeldConnection { connection: failed, ..held };
            let writes = smallvec![(component, self.held_connection(held)?), (port, bindings)];
            offers.fail(self, Failure::ConnectionAborted, writes, Event::Failed)?;
        }
        held.holders[Side::Server as usize] = Some(offers.asker.unit);
        let [(_, peer), (at, local)] = [Side::Client, Side::Server].map(|side| self.connections.end(connection, side));
        debug_assert_eq!(at, process, "a backlog holds connections to its own process");
        let writes = smallvec![(component, self.held_connection(held)?), (port, bindings)];
        offers.tell(self, Outcome::Accepted { local, peer }, self.over_network(), writes, Event::Accepted)
    }

    fn read(
        self,
        state: &[u32],
        end: ConnectionEnd,
        (max, peeks, waits): (usize, bool, bool),
        (fails, resets): (bool, bool),
        offers: &mut Offers<'_>,
    ) -> Lookup<()> {
        let class = if waits { self.over_network() } else { Class::Immediate };
        let connection = self.connection_at(state, end);
        let unread = connection.unread_at(end.side);
        let got = |read: Read| match read {
            Read::Bytes(bytes) => {
                let event = Event::Read { bytes: bytes.len() as u64, left: (unread - bytes.len()) as u64 };
                (Outcome::Bytes(bytes.into()), event)
            }
            Read::End => (Outcome::Bytes([].into()), Event::Ended),
            Read::Failed(breakage) => (broken(breakage), Event::Broken),
        };
        let is_dead = connection.is_dead(end.side);
        let split = self.cuts_segments();
        let broken =
            (!is_dead && (fails || resets)).then(|| (connection.failed(end.side), connection.resets(end.side, split)));
        let mut reads: SmallVec<[_; 2]> = match peeks {
            true => connection.peek(end.side, max).into_iter().collect(),
            false => connection.read(end.side, max, self.declared.tcp.streams.of(connection).split),
        };
        if reads.is_empty() && !waits {
            offers.add(self, Outcome::WouldBlock, class, Writes::new())?;
        }
        for (read, after) in reads.drain(..) {
            let after = if self.demands.driver { after } else { after.untold() };
            let writes = self.becomes(state, end, after)?;
            let (outcome, event) = got(read);
            offers.tell(self, outcome, class, writes, event)?;
        }
        self.break_at(state, end, broken, (fails, resets), Failure::ConnectionReset, offers)
    }

    /// The failures of a call on a stream: the declared failure of the call, and a reset.
    fn break_at(
        self,
        state: &[u32],
        end: ConnectionEnd,
        broken: Option<(Connection, Vec<Connection>)>,
        (fails, resets): (bool, bool),
        failure: Failure,
        offers: &mut Offers<'_>,
    ) -> Lookup<()> {
        let Some((failed, mut reset)) = broken else { return Ok(()) };
        if fails && failure == Failure::ConnectionReset && !self.fails_transiently(state, offers.asker.unit) {
            reset.retain(|reset| *reset != failed);
        }
        if fails && self.fails_transiently(state, offers.asker.unit) {
            let writes = smallvec![(end.component, end.component.of(state))];
            offers.fail(self, Failure::OutOfMemory, writes, Event::FailedAlone)?;
        } else if fails {
            let writes = self.becomes(state, end, failed)?;
            offers.fail(self, failure, writes, Event::Failed)?;
        }
        for reset in reset.into_iter().filter(|_| resets) {
            let writes = self.becomes(state, end, reset)?;
            offers.fail(self, Failure::ConnectionReset, writes, Event::Reset)?;
        }
        Ok(())
    }

    fn write(
        self,
        state: &[u32],
        end: ConnectionEnd,
        (bytes, waits): (&[u8], bool),
        (fails, resets): (bool, bool),
        offers: &mut Offers<'_>,
    ) -> Lookup<()> {
        let connection = self.connection_at(state, end);
        let rules = self.declared.tcp.streams.of(connection);
        let is_dead = connection.is_dead(end.side);
        let broken_ends = (!is_dead && (fails || resets))
            .then(|| (connection.failed_write(end.side), connection.resets(end.side, self.cuts_segments())));
        let outcomes = connection.write(end.side, bytes, rules);
        if outcomes.is_empty() && !waits {
            offers.add(self, Outcome::WouldBlock, Class::Immediate, Writes::new())?;
        }
        for (written, after) in outcomes {
            let (outcome, event) = match written {
                Written::Accepted(count) => {
                    let left = (bytes.len() - count) as u64;
                    (Outcome::Written(count), Event::Wrote { bytes: count as u64, left })
                }
                Written::Failed(breakage) => (broken(breakage), Event::Broken),
            };
            let writes = self.becomes(state, end, after)?;
            offers.tell(self, outcome, Class::Immediate, writes, event)?;
        }
        self.break_at(state, end, broken_ends, (fails, resets), Failure::BrokenPipe, offers)
    }
}

/// The result of a connect.
pub(super) enum Dialed {
    Failed(Failure),
    /// The listener's backlog is full: the connect waits.
    Full,
    Connected {
        end: ConnectionEnd,
        writes: Writes,
    },
}

/// Collects the outcomes of one offer.
pub(super) struct Offers<'a> {
    pub(super) asker: Asker,
    pub(super) enabled: &'a mut Enabled,
}

impl Offers<'_> {
    /// Adds an outcome without events of the network.
    pub(super) fn add(&mut self, view: View<'_>, outcome: Outcome, class: Class, writes: Writes) -> Lookup<()> {
        self.push(view, outcome, class, Change::quiet(writes))
    }

    /// Adds an outcome with an event at the component of its first write.
    pub(super) fn tell(
        &mut self,
        view: View<'_>,
        outcome: Outcome,
        class: Class,
        writes: Writes,
        event: Event,
    ) -> Lookup<()> {
        let change = Change { writes, faults: event.faults(), events: view.event(event)? };
        self.push(view, outcome, class, change)
    }

    /// Adds a failure that may happen now.
    pub(super) fn fail(&mut self, view: View<'_>, failure: Failure, writes: Writes, event: Event) -> Lookup<()> {
        self.tell(view, Outcome::Failed(failure), Class::Failure, writes, event)
    }

    fn push(&mut self, view: View<'_>, outcome: Outcome, class: Class, change: Change) -> Lookup<()> {
        let outcome = view.outcome(outcome)?;
        view.offer(self.enabled, self.asker, outcome, class, change).map(|_| ())
    }
}
