//! Resources that operations on TCP affect and depend on.

use super::Prepared;
use super::connections::ConnectionEnd;
use super::operation::{Effect, Side};
use super::prepared::{Fails, Open};
use super::unseen::Answer;
use crate::id::{ProcessId, SocketId, UnitId};
use crate::unit::automaton::{Edge, EdgeId};
use crate::world::components::{Component, ComponentId, StreamBinding};
use crate::world::prepared::Prepared as AnyPrepared;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches, When};
use netcheck_models::host::ephemeral;
use std::net::SocketAddr;

pub(crate) fn operation(touches: &mut Touches, system: &mut System, unit: UnitId, prepared: &Prepared) {
    let process = system.process_of(unit);
    match prepared {
        Prepared::BindStream { socket, address, .. } | Prepared::Listen { socket, address, .. } => {
            touches.asks_for_port(system, *socket, address.port());
            let port = if address.port() == 0 { system.first_ephemeral_port(*socket) } else { address.port() };
            touches.listening(system.components.id(Component::StreamPort(process, port)));
        }
        Prepared::Open(open) => touches.open(system, unit, *open),
        Prepared::Dial(open) => {
            touches.open(system, unit, *open);
            touches.always();
        }
        &Prepared::Accept { port, fails, waits, .. } => {
            if !waits {
                touches.affects(Resource::TriedAccept(port));
            }
            touches
                .affects(Resource::Unqueued(port))
                .depends_on(Resource::Unqueued(port))
                .depends_on(Resource::Listening(port));
            touches.depends_when(When::Contended, Resource::Dialed(port));
            if fails.ever() {
                // The failure resets the first connection in the backlog.
                touches.affects(Resource::Unlisted(port));
                touches.crosses_to_all(system, process);
                touches.depends_when(When::Contended, Resource::Used(port));
                touches.failure(system, unit);
            }
        }
        &Prepared::Read { end, fails, resets, waits, .. } => {
            if !waits {
                touches.affects(Resource::TriedIn(end.connection, end.side));
            }
            touches.affects(Resource::Read(end.connection, end.side));
            touches.depends_on(Resource::TriedOut(end.connection, end.peer()));
            touches.depends_on(Resource::Sent(end.connection, end.peer()));
            touches.stream(system, unit, end, fails.ever() || resets.ever());
        }
        &Prepared::Write { end, fails, resets, waits, .. } => {
            if !waits {
                touches.affects(Resource::TriedOut(end.connection, end.side));
            }
            touches.sends(end);
            touches.depends_on(Resource::Closed(end.connection, end.peer()));
            touches.depends_when(When::Contended, Resource::Read(end.connection, end.peer()));
            touches.stream(system, unit, end, fails.ever() || resets.ever());
        }
        &Prepared::Ready { end, read, write, waits } => {
            if read && !waits {
                touches.affects(Resource::TriedIn(end.connection, end.side));
            }
            if write && !waits {
                touches.affects(Resource::TriedOut(end.connection, end.side));
            }
            if read {
                touches.depends_on(Resource::Sent(end.connection, end.peer()));
            }
            if write {
                touches.depends_on(Resource::Closed(end.connection, end.peer()));
                touches.depends_when(When::Contended, Resource::Read(end.connection, end.peer()));
            }
            touches.stream(system, unit, end, false);
        }
        &Prepared::TakeError { end } => {
            touches.depends_on(Resource::Closed(end.connection, end.peer()));
            touches.depends_on(Resource::Sent(end.connection, end.peer()));
            touches.stream(system, unit, end, false);
        }
        &Prepared::Shutdown { end, fails } => {
            touches.sends(end);
            touches.depends_on(Resource::Closed(end.connection, end.peer()));
            touches.stream(system, unit, end, fails.ever());
        }
    }
}

pub(crate) fn effect(touches: &mut Touches, system: &mut System, (unit, _): (UnitId, EdgeId), effect: &Effect) {
    let process = system.process_of(unit);
    match *effect {
        Effect::CloseStream { stream } => {
            let end = system.tell(|view| view.end_of(process, stream));
            touches.close(system, end);
        }
        Effect::EndStream { stream } => {
            let end = system.tell(|view| view.end_of(process, stream));
            touches.sends(end);
            touches.depends_on(Resource::Closed(end.connection, end.peer()));
            touches.use_port(system, end);
        }
        Effect::CloseListener { local, .. } => {
            let port = system.components.id(Component::StreamPort(process, local.port()));
            touches.close_listener(port);
            touches.crosses_to_all(system, process);
        }
        Effect::GiveUp { socket, local, peer } => touches.give_up(system, unit, (socket, local, peer)),
        // Nobody else knows a pair that is made.
        Effect::Linger { .. } | Effect::Pair { .. } => {}
    }
}

/// Whether the operation depends, in this state, on the resources that are listed for such states.
pub(crate) fn is_when(
    view: View<'_>,
    (state, unit): (&[u32], UnitId),
    prepared: &Prepared,
    when: When,
) -> Lookup<bool> {
    let is_queued = |component: ComponentId| {
        let held = view.held.get(component.of(state));
        held.connection.is_held(Side::Server) && held.holders[Side::Server as usize].is_none()
    };
    let is_unaccepted = |end: &ConnectionEnd| end.side == Side::Client && is_queued(end.component);
    let answer = match prepared {
        Prepared::Open(open) => view.connect_answer(state, open.socket)?,
        _ => None,
    };
    let made = answer.and_then(|answer| if let Answer::Made(made) = answer { Some(made) } else { None });
    match when {
        When::Unmade => return Ok(answer.is_none()),
        When::Made => return Ok(made.is_some()),
        When::Unaccepted => return Ok(made.is_some_and(is_queued)),
        When::Contended if answer.is_some() => return Ok(false),
        When::Contended => {}
    }
    Ok(match prepared {
        &Prepared::Open(Open { socket, local, peer, to: Some((host, port)), .. }) => {
            let is_full = |listener: &StreamBinding| listener.backlog.as_ref().is_some_and(|b| !b.has_room());
            view.listener(state, port, peer).is_some_and(is_full)
                || view.first_end(socket, local, (host, peer))?.is_none_or(|end| end.component.of(state) != 0)
        }
        Prepared::Accept { fails, .. } if view.may_fail_now(state, unit, *fails, |failures| failures.open) => true,
        Prepared::Accept { port, local, .. } => {
            view.backlog_at(state, *port, *local).is_none_or(|backlog| backlog.waiting().is_empty())
        }
        Prepared::Read { end, .. } | Prepared::Shutdown { end, .. } => is_unaccepted(end),
        Prepared::Write { end, bytes, .. } => {
            let capacity = view.declared.tcp.streams.capacity;
            let connection = view.connection_at(state, *end);
            // A read may return the unread bytes together with these bytes, or without them.
            is_unaccepted(end)
                || connection.has_unread(end.side)
                || !connection.can_take(end.side, bytes.len(), capacity)
        }
        Prepared::Ready { end, write, .. } => {
            let capacity = view.declared.tcp.streams.capacity;
            is_unaccepted(end) || *write && !view.connection_at(state, *end).is_writable(end.side, capacity)
        }
        Prepared::TakeError { end } => is_unaccepted(end),
        Prepared::Open(Open { to: None, .. })
        | Prepared::Dial(_)
        | Prepared::BindStream { .. }
        | Prepared::Listen { .. } => false,
    })
}

impl Touches {
    /// After the operation, the other end can read bytes, the end of the stream, or an error.
    fn sends(&mut self, end: ConnectionEnd) {
        self.affects(Resource::Sent(end.connection, end.side))
            .depends_on(Resource::TriedIn(end.connection, end.peer()));
    }

    /// The connection is closed or broken at this end, with an effect that depends on whether bytes are unread; where it
    /// `may_reset`, the other end need not have sent any.
    fn breaks(&mut self, system: &System, end: ConnectionEnd, may_reset: bool) {
        self.sends(end);
        let (process, client) = system.connections.end(end.connection, Side::Client);
        let block = ephemeral::block(client.port());
        self.affects(Resource::Vacated(process, block)).depends_on(Resource::Redialed(process, block));
        if may_reset && end.side == Side::Server {
            self.affects(Resource::Reset(process, block));
        }
        self.affects(Resource::Closed(end.connection, end.side))
            .depends_on(Resource::TriedOut(end.connection, end.peer()));
        self.depends_on(Resource::Sent(end.connection, end.peer()));
    }

    fn listening(&mut self, port: ComponentId) {
        self.affects(Resource::Listening(port))
            .depends_on(Resource::Listening(port))
            .depends_on(Resource::Dialed(port));
    }

    fn open(&mut self, system: &mut System, unit: UnitId, Open { socket, local, to, fails, hangs, .. }: Open) {
        if local.is_none() {
            self.asks_for_port(system, socket, 0);
        }
        if let Some(local) = local {
            let own = system.process_of(unit);
            self.listening(system.components.id(Component::StreamPort(own, local.port())));
        }
        if let Some((host, port)) = to {
            self.crosses_both_ways(system, system.process_of(unit), host);
            self.affects(Resource::Dialed(port)).affects(Resource::Reached(host)).depends_on(Resource::Torn(host));
            self.depends_when(When::Unmade, Resource::Dialed(port))
                .depends_when(When::Unmade, Resource::TriedAccept(port))
                .depends_when(When::Unmade, Resource::Listening(port));
            self.depends_when(When::Contended, Resource::Unqueued(port));
            let first = local.map_or_else(|| system.first_ephemeral_port(socket), |local| local.port());
            let (process, block) = (system.process_of(unit), ephemeral::block(first));
            self.affects(Resource::Redialed(process, block));
            self.depends_when(When::Contended, Resource::Vacated(process, block));
            // A reset that comes before the program knows of the connection is what the connect returns.
            self.affects(Resource::Used(port));
            self.depends_when(When::Made, Resource::Reset(process, block))
                .depends_when(When::Unaccepted, Resource::Unlisted(port));
            self.affects(Resource::Vacated(process, block));
            self.depends_when(When::Made, Resource::Redialed(process, block));
        }
        if fails.ever() || hangs.ever() {
            self.failure(system, unit);
        }
    }

    /// The resources on which the last operation depends in some states become ones on which it depends in all.
    fn always(&mut self) {
        let sometimes = std::mem::take(&mut self.sometimes);
        self.depends_on.extend(sometimes.into_iter().map(|(_, resource)| resource));
    }

    /// A connect that was given up: it may still make a connection, which is then closed.
    fn give_up(
        &mut self,
        system: &mut System,
        unit: UnitId,
        (socket, local, peer): (SocketId, Option<SocketAddr>, SocketAddr),
    ) {
        let to = system.tell(|view| view.dialed(view.process_of(unit), peer));
        let (fails, hangs) = (Fails::default(), Fails::default());
        self.open(system, unit, Open { socket, local, peer, to, fails, hangs });
        self.always();
        if let Some((host, _)) = to {
            self.close_unknown(system, (socket, local), (host, peer));
        }
    }

    /// A unit ends, and connects of its with it: a connection that has been made for one is closed.
    pub(crate) fn hang_up(&mut self, system: &mut System, edge: EdgeId) {
        let Edge { source, input, .. } = *system.learner.automata.edge(edge);
        for offer in system.prepared_offers(source).iter().filter(|offer| offer.key != input.key) {
            let AnyPrepared::Tcp(Prepared::Open(Open { socket, local, peer, to: Some((host, _)), .. })) =
                offer.prepared
            else {
                continue;
            };
            self.close_unknown(system, (socket, local), (host, peer));
        }
    }

    /// The connection is closed that a connect has made and not told of. Where an earlier connection has the first of
    /// the addresses from which it can be made, it has another of the same block, unless all ports of it are in use.
    fn close_unknown(
        &mut self,
        system: &mut System,
        (socket, local): (SocketId, Option<SocketAddr>),
        peer: (ProcessId, SocketAddr),
    ) {
        if let Some(end) = system.tell(|view| view.first_end(socket, local, peer)) {
            self.close(system, end);
        }
        if local.is_none() {
            let process = system.process_of(socket.unit);
            let block = ephemeral::block(system.first_ephemeral_port(socket));
            self.affects(Resource::HungUp(process, block)).depends_on(Resource::UsedByServer(process, block));
        }
    }

    /// The resources that every call on a stream depends on, and those that its failures affect.
    fn stream(&mut self, system: &System, unit: UnitId, end: ConnectionEnd, fails: bool) {
        let (peer, _) = system.connections.end(end.connection, end.peer());
        self.affects(Resource::Reached(peer)).depends_on(Resource::Torn(peer));
        self.crosses_both_ways(system, system.process_of(unit), peer);
        self.use_port(system, end);
        if let Some(port) = listening_port(system, end) {
            self.depends_when(When::Contended, Resource::Unlisted(port));
        }
        if fails {
            self.breaks(system, end, true);
            self.depends_on(Resource::Closed(end.connection, end.peer()));
            self.failure(system, unit);
        }
    }

    /// The connecting end may still be in a backlog: closing the listener depends on its calls. The calls of the other
    /// end depend on the end of a connect: it closes a connection of which only the block of its port is known, unless
    /// the port is the first of the block, which only the socket gets that prefers it.
    fn use_port(&mut self, system: &System, end: ConnectionEnd) {
        if let Some(port) = listening_port(system, end) {
            self.affects(Resource::Used(port));
        }
        let (process, client) = system.connections.end(end.connection, Side::Client);
        if end.side == Side::Server && !ephemeral::is_first_choice(client.port()) {
            let block = ephemeral::block(client.port());
            self.affects(Resource::UsedByServer(process, block)).depends_on(Resource::HungUp(process, block));
        }
    }

    /// A failure affects the budget, but does not depend on it: no failure needs to happen.
    pub(crate) fn failure(&mut self, system: &System, unit: UnitId) {
        self.failure_in(system, system.process_of(unit));
    }

    /// As [`Touches::failure`], of any unit of a process.
    pub(crate) fn failure_in(&mut self, system: &System, process: ProcessId) {
        self.affects(Resource::Failing);
        if system.is_limited() {
            self.affects(Resource::Budget);
        }
        if system.demands.has_regions() {
            self.affects(Resource::InScope(process)).depends_on(Resource::Scoped(process));
        }
    }

    pub(crate) fn close(&mut self, system: &System, end: ConnectionEnd) {
        let (peer, _) = system.connections.end(end.connection, end.peer());
        self.affects(Resource::Reached(peer));
        let (own, _) = system.connections.end(end.connection, end.side);
        self.crosses_both_ways(system, own, peer);
        self.use_port(system, end);
        self.breaks(system, end, system.demands.lingers);
    }

    pub(crate) fn close_listener(&mut self, port: ComponentId) {
        self.listening(port);
        self.affects(Resource::Unlisted(port)).depends_on(Resource::Used(port));
    }

    /// Streams that other tasks of a process hold are closed.
    pub(crate) fn tear(&mut self, process: ProcessId) {
        self.affects(Resource::Torn(process)).depends_on(Resource::Reached(process));
    }
}

/// The port that the connection was made to, if the end is the connecting one.
fn listening_port(system: &System, end: ConnectionEnd) -> Option<ComponentId> {
    let (host, address) = system.connections.end(end.connection, Side::Server);
    let is_client = end.side == Side::Client;
    system.components.find(Component::StreamPort(host, address.port())).filter(|_| is_client)
}
