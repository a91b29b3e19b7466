//! Resources, and what a step affects of them and depends on.
//!
//! Each kind of component says in its `depends` what its operations and effects do here.

use super::components::ComponentId;
use super::system::System;
use crate::id::{ConnectionId, ProcessId, SocketId, TaskId, UnitId};
use crate::operation::Side;
use crate::unit::automaton::EdgeId;
use crate::unit::identity::causality::ObjectId;

/// What can be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Resource {
    /// Who is bound to a port changes.
    Bound(ComponentId),
    /// Somebody looks who is bound to a port.
    Routed(ComponentId),
    /// A socket of the process may be bound.
    Binding(ProcessId),
    /// A socket of the process may be closed, on any port.
    Releasing(ProcessId),
    /// A socket on a port is closed.
    Freed(ComponentId),
    /// A socket of the process asks for any port, and prefers one of these.
    Ephemeral(ProcessId, u32),
    /// A datagram is added for a port.
    Appended(ComponentId),
    /// A datagram for a port is taken.
    Taken(ComponentId),
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
    Listening(ComponentId),
    /// Somebody connects to a port.
    Dialed(ComponentId),
    /// A connection is accepted on a port.
    Unqueued(ComponentId),
    /// Connections to a port that nobody has accepted are reset.
    Unlisted(ComponentId),
    /// Something can be read at the other end: bytes, the end, or an error.
    Sent(ConnectionId, Side),
    /// An end has read: there is more room.
    Read(ConnectionId, Side),
    /// An end is read, or asked whether it can be, without waiting: it matters that nothing is there yet.
    TriedIn(ConnectionId, Side),
    /// An end is written to, or asked whether it can be, without waiting: it matters that there is no room yet.
    TriedOut(ConnectionId, Side),
    /// An accept on a port does not wait: it matters that nobody has connected yet.
    TriedAccept(ComponentId),
    /// A connection from one of these ports of a process, by block of ephemeral ports, is closed or broken at one end:
    /// its addresses may be free again.
    Vacated(ProcessId, u32),
    /// A connect asks whether a connection from one of these ports is still there.
    Redialed(ProcessId, u32),
    /// An end does not take bytes any more.
    Closed(ConnectionId, Side),
    /// A call is made on a connection to a port.
    Used(ComponentId),
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
    pub(crate) fn is_of_lifecycle(self) -> bool {
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
pub(crate) struct Touches {
    pub(crate) affects: Vec<Resource>,
    pub(crate) depends_on: Vec<Resource>,
    /// What of that is an end, and is waited for with nothing else.
    pub(crate) waits: Vec<Resource>,
    /// What is seen besides what is minded.
    races: Vec<Resource>,
    /// What is minded, and not seen.
    pub(crate) unseen: Option<Resource>,
    /// What the last action minds besides, in states in which it is contended.
    pub(crate) when_contended: Vec<Resource>,
}

impl Touches {
    pub(crate) fn affects(&mut self, resource: Resource) -> &mut Self {
        self.affects.push(resource);
        self
    }

    pub(crate) fn depends_on(&mut self, resource: Resource) -> &mut Self {
        self.depends_on.push(resource);
        self
    }

    /// An end is waited for, and nothing else.
    pub(crate) fn waits(&mut self, end: Resource) -> &mut Self {
        self.waits.push(end);
        self
    }

    pub(crate) fn races(&mut self, resource: Resource) -> &mut Self {
        self.races.push(resource);
        self
    }

    /// What is seen, but for ends that are waited for: when it happens makes a difference.
    pub(crate) fn raced_for(&self) -> impl Iterator<Item = Resource> {
        let is_raced = |resource: &Resource| {
            !self.waits.contains(resource) && self.unseen != Some(*resource) && !resource.is_told_more_exactly()
        };
        self.depends_on.iter().copied().filter(is_raced).chain(self.races.iter().copied())
    }

    /// A step of a tracked task uses what tasks share. Whom it wakes minds what its waker was found at.
    pub(crate) fn object(&mut self, unit: UnitId, task: TaskId, object: ObjectId) {
        self.depends_on(Resource::Object(unit, object));
        if object.task().is_none_or(|moved| moved == task) {
            self.affects(Resource::Object(unit, object));
        }
    }

    /// What the effects of an edge affect and depend on.
    pub(crate) fn effects(&mut self, system: &mut System, unit: UnitId, edge: EdgeId) {
        for index in 0..system.learner.automata.edge(edge).effects.len() {
            let effect = system.learner.automata.edge(edge).effects[index].clone();
            self.effect(system, unit, edge, &effect);
        }
    }

    /// A socket asks for a port: whoever prefers the same ephemeral ports may get the one that would have been given.
    pub(super) fn asks_for_port(&mut self, system: &System, socket: SocketId, is_any: bool) {
        if is_any {
            let ports = Resource::Ephemeral(system.process_of(socket.unit), system.preferred_ports(socket));
            self.affects(ports).depends_on(ports);
        }
    }
}
