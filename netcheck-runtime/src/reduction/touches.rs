//! What operations and effects touch: the resources that they do and mind.

use crate::id::{ConnectionId, NodeId, ProcessId, SocketId, TaskId, UnitId};
use crate::operation::{Effect, Input, Operation, Outcome, Side, Stream};
use crate::state::menu::Action;
use crate::state::place::{Place, PlaceId};
use crate::state::system::System;
use crate::state::tcp::connections::ConnectionEnd;
use crate::unit::automaton::{Edge, EdgeId};
use crate::unit::identity::causality::ObjectId;

/// What can be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Resource {
    /// Who is bound to a port changes.
    Bound(PlaceId),
    /// Somebody looks who is bound to a port.
    Routed(PlaceId),
    /// A socket of the process may be bound.
    Binding(ProcessId),
    /// A socket of the process may be closed, on any port.
    Releasing(ProcessId),
    /// A socket on a port is closed.
    Freed(PlaceId),
    /// A socket of the process asks for any port, and prefers one of these.
    Ephemeral(ProcessId, u32),
    /// A datagram is added for a port.
    Appended(PlaceId),
    /// A datagram for a port is taken.
    Taken(PlaceId),
    /// A datagram leaves a socket: the order matters.
    Dispatched(SocketId),
    /// A process has first waited.
    Waited(UnitId),
    /// A unit ends.
    Ended(UnitId),
    /// A unit looks whether another one has ended, without waiting: it matters that it has not yet.
    AskedFor(UnitId),
    /// A unit is asked by another one to end.
    Killed(UnitId),
    /// The isolated tasks of a process are ended with it.
    KilledWith(ProcessId),
    /// A unit moves.
    Alive(UnitId),
    /// An isolated task of a process moves.
    AliveIn(ProcessId),
    /// The fault budget is used.
    Budget,
    /// The time since the start passes.
    Clock,
    /// A fault region is entered or left.
    Scoped(ProcessId),
    /// A datagram is sent by or to a process with fault regions.
    InScope(ProcessId),
    /// A unit uses timers.
    Timed(UnitId),
    /// Who listens on a port, or is bound to it, changes.
    Listening(PlaceId),
    /// Somebody connects to a port.
    Dialed(PlaceId),
    /// A connection is accepted on a port.
    Unqueued(PlaceId),
    /// Connections to a port that nobody has accepted are reset.
    Unlisted(PlaceId),
    /// Something can be read at the other end: bytes, the end, or an error.
    Sent(ConnectionId, Side),
    /// An end has read: there is more room.
    Read(ConnectionId, Side),
    /// An end is read, or asked whether it can be, without waiting: it matters that nothing is there yet.
    TriedIn(ConnectionId, Side),
    /// An end is written to, or asked whether it can be, without waiting: it matters that there is no room yet.
    TriedOut(ConnectionId, Side),
    /// An accept on a port does not wait: it matters that nobody has connected yet.
    TriedAccept(PlaceId),
    /// An end does not take bytes any more.
    Closed(ConnectionId, Side),
    /// A call is made on a connection to a port.
    Used(PlaceId),
    /// A call is made on a connection to a process.
    Reached(ProcessId),
    /// Streams of a process may be closed because a task that holds them is ended by another one.
    Torn(ProcessId),
    /// A tracked task uses what tasks share.
    Object(UnitId, ObjectId),
    /// A tracked task of a unit moves.
    Moves(UnitId),
    /// A unit ends, and its tracked tasks with it.
    Over(UnitId),
}

impl Resource {
    /// Whether other resources tell more exactly which tracked tasks have to do with each other: the end of a unit is
    /// the abortion of each task that is there, and a task is woken through an object that it shares with its waker.
    fn is_told_more_exactly(self) -> bool {
        match self {
            Resource::Moves(_) | Resource::Over(_) => true,
            Resource::Object(_, object) => object.task().is_some(),
            _ => false,
        }
    }

    /// Whether it is of ending, joining and aborting.
    pub(super) fn is_of_lifecycle(self) -> bool {
        match self {
            Resource::Ended(_) | Resource::AskedFor(_) | Resource::Killed(_) | Resource::KilledWith(_) => true,
            Resource::Alive(_) | Resource::AliveIn(_) | Resource::Moves(_) | Resource::Over(_) => true,
            Resource::Object(_, object) => object.is_of_task(),
            _ => false,
        }
    }
}

/// Resources that something does and minds.
#[derive(Default)]
pub(super) struct Touches {
    pub(super) does: Vec<Resource>,
    pub(super) minds: Vec<Resource>,
    /// What of that is an end, and is waited for with nothing else.
    pub(super) waits: Vec<Resource>,
    /// What is seen besides what is minded.
    races: Vec<Resource>,
    /// What is minded, and not seen.
    pub(super) unseen: Option<Resource>,
    /// What the last action minds besides, in states in which it is contended.
    pub(super) when_contended: Vec<Resource>,
}

impl Touches {
    pub(super) fn does(&mut self, resource: Resource) -> &mut Self {
        self.does.push(resource);
        self
    }

    pub(super) fn minds(&mut self, resource: Resource) -> &mut Self {
        self.minds.push(resource);
        self
    }

    /// An end is waited for, and nothing else.
    pub(super) fn waits(&mut self, end: Resource) -> &mut Self {
        self.waits.push(end);
        self
    }

    pub(super) fn races(&mut self, resource: Resource) -> &mut Self {
        self.races.push(resource);
        self
    }

    /// What is seen, but for ends that are waited for: when it happens makes a difference.
    pub(super) fn raced_for(&self) -> impl Iterator<Item = Resource> {
        let is_raced = |resource: &Resource| {
            !self.waits.contains(resource) && self.unseen != Some(*resource) && !resource.is_told_more_exactly()
        };
        self.minds.iter().copied().filter(is_raced).chain(self.races.iter().copied())
    }

    /// A step of a tracked task uses what tasks share. Whom it wakes minds what its waker was found at.
    pub(super) fn object(&mut self, unit: UnitId, task: TaskId, object: ObjectId) {
        self.minds(Resource::Object(unit, object));
        if object.task().is_none_or(|moved| moved == task) {
            self.does(Resource::Object(unit, object));
        }
    }

    /// What an offer touches.
    pub(super) fn action(&mut self, system: &mut System, unit: UnitId, action: &Action) {
        let process = system.process_of(unit);
        let port = |system: &mut System, process: ProcessId, port: u16| system.places.id(Place::Port(process, port));
        match action {
            Action::Run | Action::Choose { .. } | Action::Select { .. } => {}
            Action::Start { .. } => {
                if !system.units[unit.0 as usize].is_task {
                    for before in system.processes[process.0 as usize].after.clone() {
                        self.minds(Resource::Waited(UnitId(before.0)));
                    }
                }
            }
            Action::Bind { socket, address } => {
                let number = if address.port() == 0 { system.first_ephemeral_port(*socket) } else { address.port() };
                self.asks_for_port(system, *socket, address.port() == 0);
                let port = port(system, process, number);
                self.does(Resource::Bound(port)).minds(Resource::Bound(port)).minds(Resource::Routed(port));
                self.does(Resource::Binding(process)).minds(Resource::Releasing(process)).minds(Resource::Freed(port));
                if system.has_delay() && system.is_limited() {
                    // What has arrived before may have been out of order.
                    self.does(Resource::Budget).minds(Resource::Budget);
                }
            }
            Action::Connect { local, .. } => {
                let port = port(system, process, local.port());
                self.does(Resource::Bound(port)).minds(Resource::Bound(port)).minds(Resource::Routed(port));
            }
            Action::Send { socket, host, port, .. } => {
                self.does(Resource::Dispatched(*socket)).minds(Resource::Dispatched(*socket));
                if let (Some(host), Some(port)) = (host, port) {
                    self.does(Resource::Routed(*port)).does(Resource::Appended(*port)).minds(Resource::Bound(*port));
                    if system.demands.scope {
                        for process in [process, *host] {
                            self.does(Resource::InScope(process)).minds(Resource::Scoped(process));
                        }
                    }
                }
            }
            Action::Receive { socket, port: number, .. } => {
                let receiver = system.process_of(socket.unit);
                let port = port(system, receiver, *number);
                self.does(Resource::Taken(port)).minds(Resource::Taken(port)).minds(Resource::Appended(port));
                if system.is_limited() && system.declared.udp.is_some() {
                    self.does(Resource::Budget).minds(Resource::Budget);
                }
            }
            Action::BindStream { socket, address, .. } | Action::Listen { socket, address, .. } => {
                self.asks_for_port(system, *socket, address.port() == 0);
                if address.port() != 0 {
                    self.listening(system.places.id(Place::StreamPort(process, address.port())));
                }
            }
            Action::Open { .. } => self.open(system, unit, action),
            &Action::Accept { port, fails, waits, .. } => {
                if !waits {
                    self.does(Resource::TriedAccept(port));
                }
                self.does(Resource::Unqueued(port)).minds(Resource::Unqueued(port)).minds(Resource::Listening(port));
                self.when_contended.push(Resource::Dialed(port));
                if fails {
                    // It resets who is first in the backlog.
                    self.does(Resource::Unlisted(port));
                    self.when_contended.push(Resource::Used(port));
                    self.failure(system, unit);
                }
            }
            &Action::Read { end, fails, resets, waits, .. } => {
                if !waits {
                    self.does(Resource::TriedIn(end.connection, end.side));
                }
                self.does(Resource::Read(end.connection, end.side));
                self.minds(Resource::TriedOut(end.connection, end.peer()));
                self.minds(Resource::Sent(end.connection, end.peer()));
                self.stream(system, unit, end, fails || resets);
            }
            &Action::Write { end, fails, resets, waits, .. } => {
                if !waits {
                    self.does(Resource::TriedOut(end.connection, end.side));
                }
                self.sends(end);
                self.minds(Resource::Closed(end.connection, end.peer()));
                self.when_contended.push(Resource::Read(end.connection, end.peer()));
                self.stream(system, unit, end, fails || resets);
            }
            &Action::Ready { end, read, write, waits } => {
                if read && !waits {
                    self.does(Resource::TriedIn(end.connection, end.side));
                }
                if write && !waits {
                    self.does(Resource::TriedOut(end.connection, end.side));
                }
                if read {
                    self.minds(Resource::Sent(end.connection, end.peer()));
                }
                if write {
                    self.minds(Resource::Closed(end.connection, end.peer()));
                    self.when_contended.push(Resource::Read(end.connection, end.peer()));
                }
                self.stream(system, unit, end, false);
            }
            &Action::TakeError { end } => {
                self.minds(Resource::Closed(end.connection, end.peer()));
                self.minds(Resource::Sent(end.connection, end.peer()));
                self.stream(system, unit, end, false);
            }
            &Action::Shutdown { end, fails } => {
                self.sends(end);
                self.minds(Resource::Closed(end.connection, end.peer()));
                self.stream(system, unit, end, fails);
            }
            Action::Timer { .. } => {
                self.does(Resource::Timed(unit));
                // With delays time passes for everybody while packets are in flight: a timer can be
                // due, and not yet taken, because of another's.
                if system.demands.clock || system.has_delay() {
                    self.does(Resource::Clock).minds(Resource::Clock);
                }
            }
            Action::Clock | Action::Deadline { .. } => {
                self.minds(Resource::Clock);
            }
            Action::Join { unit: child, waits: true, .. } => {
                self.minds(Resource::Ended(*child));
            }
            Action::Join { unit: child, waits: false, .. } | Action::IsEnded { unit: child, .. } => {
                self.does(Resource::AskedFor(*child)).minds(Resource::Ended(*child));
            }
        }
    }

    /// Something can be read at the other end afterwards.
    fn sends(&mut self, end: ConnectionEnd) {
        self.does(Resource::Sent(end.connection, end.side)).minds(Resource::TriedIn(end.connection, end.peer()));
    }

    /// The connection is closed or broken at this end; bytes that nobody has read make a difference.
    fn breaks(&mut self, end: ConnectionEnd) {
        self.sends(end);
        self.does(Resource::Closed(end.connection, end.side)).minds(Resource::TriedOut(end.connection, end.peer()));
        self.minds(Resource::Sent(end.connection, end.peer()));
    }

    fn listening(&mut self, port: PlaceId) {
        self.does(Resource::Listening(port)).minds(Resource::Listening(port)).minds(Resource::Dialed(port));
    }

    /// Whoever prefers the same ephemeral ports may get the one that would have been given.
    fn asks_for_port(&mut self, system: &System, socket: SocketId, is_any: bool) {
        if is_any {
            let ports = Resource::Ephemeral(system.process_of(socket.unit), system.preferred_ports(socket));
            self.does(ports).minds(ports);
        }
    }

    fn open(&mut self, system: &mut System, unit: UnitId, action: &Action) {
        let &Action::Open { socket, local, peer, to, fails, hangs } = action else { return };
        self.asks_for_port(system, socket, local.is_none());
        if let Some(local) = local {
            let own = system.process_of(unit);
            self.listening(system.places.id(Place::StreamPort(own, local.port())));
        }
        if let Some((host, port)) = to {
            self.does(Resource::Dialed(port)).minds(Resource::Dialed(port)).minds(Resource::TriedAccept(port));
            self.minds(Resource::Listening(port)).minds(Resource::Torn(host));
            self.when_contended.push(Resource::Unqueued(port));
            if let Some(end) = system.tell(|view| view.first_end(socket, local, (host, peer))) {
                for side in [Side::Client, Side::Server] {
                    self.when_contended.push(Resource::Closed(end.connection, side));
                }
            }
        }
        if fails || hangs {
            self.failure(system, unit);
        }
    }

    /// A connect that nobody waits for: it goes through, or not, and is closed.
    fn give_up(&mut self, system: &mut System, unit: UnitId, effect: &Effect) {
        let &Effect::GiveUp { socket, local, peer } = effect else { return };
        let to = system.tell(|view| view.dialed(view.process_of(unit), peer));
        let open = Action::Open { socket, local, peer, to, fails: false, hangs: false };
        self.open(system, unit, &open);
        let contended = std::mem::take(&mut self.when_contended);
        self.minds.extend(contended);
        if let Some(end) = to.and_then(|(host, _)| system.tell(|view| view.first_end(socket, local, (host, peer)))) {
            self.close(system, end);
        }
    }

    /// What every call on a stream minds, and its failures do.
    fn stream(&mut self, system: &System, unit: UnitId, end: ConnectionEnd, fails: bool) {
        let (peer, _) = system.connections.end(end.connection, end.peer());
        self.does(Resource::Reached(peer)).minds(Resource::Torn(peer));
        self.use_port(system, end);
        if let Some(port) = listening_port(system, end) {
            self.when_contended.push(Resource::Unlisted(port));
        }
        if fails {
            self.breaks(end);
            self.minds(Resource::Closed(end.connection, end.peer()));
            self.failure(system, unit);
        }
    }

    /// Who connected may still be in a backlog: its calls are seen by who closes that.
    fn use_port(&mut self, system: &System, end: ConnectionEnd) {
        if let Some(port) = listening_port(system, end) {
            self.does(Resource::Used(port));
        }
    }

    /// That another failure uses up the budget does not matter to one that need not happen.
    fn failure(&mut self, system: &System, unit: UnitId) {
        if system.is_limited() {
            self.does(Resource::Budget);
        }
        if system.demands.scope {
            let process = system.process_of(unit);
            self.does(Resource::InScope(process)).minds(Resource::Scoped(process));
        }
    }

    fn close(&mut self, system: &System, end: ConnectionEnd) {
        let (peer, _) = system.connections.end(end.connection, end.peer());
        self.does(Resource::Reached(peer));
        self.use_port(system, end);
        self.breaks(end);
    }

    fn close_listener(&mut self, port: PlaceId) {
        self.listening(port);
        self.does(Resource::Unlisted(port)).minds(Resource::Used(port));
    }

    /// Streams of other tasks of a process are closed.
    fn tear(&mut self, process: ProcessId) {
        self.does(Resource::Torn(process)).minds(Resource::Reached(process));
    }

    /// What happens with a step, without a choice.
    pub(super) fn effects(&mut self, system: &mut System, unit: UnitId, edge: EdgeId) {
        let process = system.process_of(unit);
        for index in 0..system.learner.automata.edge(edge).effects.len() {
            match system.learner.automata.edge(edge).effects[index] {
                Effect::Arm { .. } | Effect::ArmAt { .. } | Effect::Rearm { .. } => {
                    self.does(Resource::Timed(unit));
                }
                Effect::Close { socket } => match port_of(system, edge, socket) {
                    Some(port) => _ = self.does(Resource::Freed(port)).minds(Resource::Bound(port)),
                    None => _ = self.does(Resource::Releasing(process)).minds(Resource::Binding(process)),
                },
                Effect::CloseStream { stream } => {
                    let end = system.tell(|view| view.end_of(process, stream));
                    self.close(system, end);
                }
                Effect::EndStream { stream } => {
                    let end = system.tell(|view| view.end_of(process, stream));
                    self.sends(end);
                    self.minds(Resource::Closed(end.connection, end.peer()));
                    self.use_port(system, end);
                }
                Effect::CloseListener { local, .. } => {
                    let port = system.places.id(Place::StreamPort(process, local.port()));
                    self.close_listener(port);
                }
                ref effect @ Effect::GiveUp { .. } => {
                    let effect = effect.clone();
                    self.give_up(system, unit, &effect);
                }
                Effect::Abort { child } => {
                    self.does(Resource::Killed(child)).minds(Resource::Alive(child));
                }
                Effect::Scope { .. } => {
                    self.does(Resource::Scoped(process)).minds(Resource::InScope(process));
                }
                Effect::Claim { .. }
                | Effect::Linger { .. }
                | Effect::Disarm { .. }
                | Effect::Spawn { .. }
                | Effect::Detach { .. } => {}
            }
        }
    }

    /// What the end of a unit does: all that it holds is let go.
    pub(super) fn end(&mut self, system: &mut System, unit: UnitId, edge: EdgeId) {
        let process = system.process_of(unit);
        self.does(Resource::Ended(unit)).minds(Resource::AskedFor(unit));
        // When a process ends, nobody of it is left to bind anything.
        if system.units[unit.0 as usize].is_task {
            self.does(Resource::Releasing(process)).minds(Resource::Binding(process));
            if system.demands.scope {
                self.does(Resource::Scoped(process)).minds(Resource::InScope(process));
            }
        }
        let holdings = Holdings::at(system, edge);
        for stream in holdings.streams {
            let end = system.tell(|view| view.end_of(process, stream));
            self.close(system, end);
        }
        for (_, port) in holdings.listeners {
            let port = system.places.id(Place::StreamPort(process, port));
            self.close_listener(port);
        }
        if !system.units[unit.0 as usize].is_task {
            self.does(Resource::KilledWith(process)).minds(Resource::AliveIn(process));
            if !holdings.children.is_empty() {
                self.tear(process);
            }
        }
    }
}

/// The port that a datagram socket is bound to, if its unit has bound it itself.
fn port_of(system: &mut System, edge: EdgeId, socket: SocketId) -> Option<PlaceId> {
    let automata = &system.learner.automata;
    let Edge { source, input, .. } = *automata.edge(edge);
    let bound = |node: NodeId, input: Input| match (
        &automata.node(node).offer(input)?.operation,
        automata.outcome(input.outcome),
    ) {
        (Operation::Bind { socket: bound, .. }, Outcome::Bound(local)) if *bound == socket => Some(local.port()),
        _ => None,
    };
    let number =
        bound(source, input).or_else(|| automata.backwards(source).find_map(|(node, input)| bound(node, input)))?;
    let process = system.process_of(socket.unit);
    Some(system.places.id(Place::Port(process, number)))
}

/// The port that a connection was made to, for who made it.
fn listening_port(system: &System, end: ConnectionEnd) -> Option<PlaceId> {
    let (host, address) = system.connections.end(end.connection, Side::Server);
    let is_client = end.side == Side::Client;
    system.places.find(Place::StreamPort(host, address.port())).filter(|_| is_client)
}

/// What a unit holds after a step, read off its history.
#[derive(Default)]
struct Holdings {
    streams: Vec<Stream>,
    /// Listeners and bound sockets, with their ports.
    listeners: Vec<(SocketId, u16)>,
    /// Isolated tasks that it has not seen the end of.
    children: Vec<UnitId>,
}

impl Holdings {
    fn at(system: &System, edge: EdgeId) -> Self {
        let automata = &system.learner.automata;
        let Edge { source, input, .. } = *automata.edge(edge);
        let (root, mut steps) = automata.history(source);
        steps.push((source, input));
        let mut holdings = Holdings { streams: system.learner.streams_of(root), ..Holdings::default() };
        for (node, input) in steps {
            let operation = automata.node(node).offer(input).map(|offer| offer.operation.itself());
            if let Some(operation) = operation {
                holdings.take(operation, automata.outcome(input.outcome));
            }
            let edge = automata.find(node, input).expect("a history consists of edges");
            automata.edge(edge).effects.iter().for_each(|effect| holdings.leave(effect));
        }
        holdings
    }

    fn take(&mut self, operation: &Operation, outcome: &Outcome) {
        match (operation, outcome) {
            (Operation::Open { socket, peer, .. }, Outcome::Connected { local }) => {
                self.listeners.retain(|(bound, _)| bound != socket);
                self.streams.push(Stream { local: *local, peer: *peer, side: Side::Client });
            }
            (Operation::Accept { .. }, Outcome::Accepted { local, peer }) => {
                self.streams.push(Stream { local: *local, peer: *peer, side: Side::Server });
            }
            (Operation::BindStream { socket, .. } | Operation::Listen { socket, .. }, Outcome::Bound(local)) => {
                self.listeners.retain(|(bound, _)| bound != socket);
                self.listeners.push((*socket, local.port()));
            }
            (Operation::Join { child, .. }, Outcome::Ended { .. } | Outcome::Cancelled) => {
                self.children.retain(|spawned| spawned != child)
            }
            _ => {}
        }
    }

    fn leave(&mut self, effect: &Effect) {
        match effect {
            Effect::CloseStream { stream } => self.streams.retain(|held| held != stream),
            Effect::CloseListener { socket, .. } => self.listeners.retain(|(held, _)| held != socket),
            Effect::Spawn { child, streams, .. } => {
                self.streams.retain(|held| !streams.contains(held));
                self.children.push(*child);
            }
            _ => {}
        }
    }
}
