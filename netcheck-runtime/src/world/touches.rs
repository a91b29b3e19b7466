//! Resources, and the sets of resources that a step affects and depends on.
//!
//! The `depends` module of each kind of component fills these sets for its operations and effects.

use super::components::ComponentId;
use super::system::System;
use super::tables::Tables;
use crate::id::{ConnectionId, ProcessId, SocketId, TaskId, UnitId};
use crate::operation::{Operation, Side};
use crate::unit::automaton::EdgeId;
use crate::unit::identity::causality::ObjectId;
use netcheck_models::host::ephemeral;
use smallvec::SmallVec;

/// A resource: two steps are dependent if one affects a resource that the other depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Resource {
    /// The bindings of a port change.
    Bound(ComponentId),
    /// The bindings of a port are read.
    Routed(ComponentId),
    /// A socket of the process may be bound.
    Binding(ProcessId),
    /// A socket of the process may be closed, on any port.
    Releasing(ProcessId),
    /// A socket on a port is closed.
    Freed(ComponentId),
    /// A socket of the process asks for a port of this block, or for any and prefers this block.
    Ephemeral(ProcessId, u32),
    /// The Unix domain sockets for datagrams of a process change.
    Mailboxes(ComponentId),
    /// The multicast groups of which a process is a member change.
    Joined(ProcessId),
    /// A datagram to a multicast group may come to a process.
    ToGroup(ProcessId),
    /// A datagram is added for a port.
    Appended(ComponentId),
    /// A datagram for a port is taken.
    Taken(ComponentId),
    /// A datagram leaves a socket; the order of dispatches matters.
    Dispatched(SocketId),
    /// A process has waited for the first time.
    Waited(UnitId),
    /// A unit ends.
    Ended(UnitId),
    /// A unit tests, without waiting, whether another unit has ended: the test fails as long as that one has not.
    AskedFor(UnitId),
    /// A unit is aborted by another one.
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
    /// A program reads the clock, or sets a timer for an instant that it has read: what it does may depend on the time. No
    /// step depends on that.
    Reading,
    /// A call may fail at any instant at which it is waited for. No step depends on that.
    Failing,
    /// The time beyond the horizon, of which nothing is known.
    Later,
    /// A fault region is entered or left.
    Scoped(ProcessId),
    /// A datagram is sent by or to a process with fault regions.
    InScope(ProcessId),
    /// A unit uses timers.
    Timed(UnitId),
    /// A timer that this tracked task has made is waited for, set again or asked for its deadline.
    TimersOf(UnitId, TaskId),
    /// The sockets that are bound to a port or listen there change.
    Listening(ComponentId),
    /// A socket connects to a port.
    Dialed(ComponentId),
    /// A connection is accepted on a port.
    Unqueued(ComponentId),
    /// The connections in the backlog of a port are reset.
    Unlisted(ComponentId),
    /// Bytes, the end of the stream, or an error become readable at the other end.
    Sent(ConnectionId, Side),
    /// An end has read, so that the other end has more room to write.
    Read(ConnectionId, Side),
    /// An end is read, or tested for readability, without waiting: the call fails as long as nothing can be read.
    TriedIn(ConnectionId, Side),
    /// An end is written to, or tested for writability, without waiting: the call fails as long as there is no room.
    TriedOut(ConnectionId, Side),
    /// An accept on a port does not wait: it fails as long as the backlog is empty.
    TriedAccept(ComponentId),
    /// A connection from a port of this block of ephemeral ports of a process is closed or broken at one end, so that
    /// its addresses may become free.
    Vacated(ProcessId, u32),
    /// A connection from a port of this block is reset by the end that was accepted.
    Reset(ProcessId, u32),
    /// A connect returns, or tests whether a connection from a port of this block still exists.
    Redialed(ProcessId, u32),
    /// A connection from a port of this block is closed, of which its client has not been told.
    HungUp(ProcessId, u32),
    /// The end that was accepted makes a call on a connection from a port of this block, or closes it.
    UsedByServer(ProcessId, u32),
    /// An end accepts no more bytes.
    Closed(ConnectionId, Side),
    /// A call is made on a connection to a port, or a connect to the port returns.
    Used(ComponentId),
    /// A call is made on a connection to a process, or a connect to it.
    Reached(ProcessId),
    /// The host of a process loses its power, and datagrams under way from it are lost. In which states a receive depends on that
    /// is told by [`Footprints::under_way`](crate::reduction::footprint::Footprints::under_way).
    Silenced(ProcessId),
    /// The link from a process to another one is cut, or heals.
    Reach(ProcessId, ProcessId),
    /// Something goes from a process to another one, or is taken that has come from there, where the link may be cut.
    Carried(ProcessId, ProcessId),
    /// Streams of a process may be closed because another task ends the task that holds them.
    Torn(ProcessId),
    /// A monitor sees a step.
    Monitor(u32),
    /// A tracked task uses an object that tasks share.
    Object(UnitId, ObjectId),
    /// A tracked task of a unit moves.
    Moves(UnitId),
    /// A unit ends, and its tracked tasks with it.
    Over(UnitId),
}

impl Resource {
    /// Whether other resources express the dependence between tracked tasks more precisely: the end of a unit aborts
    /// each of its live tasks, and a task is woken through an object that it shares with its waker.
    fn is_told_more_exactly(self) -> bool {
        match self {
            Resource::Moves(_) | Resource::Over(_) => true,
            Resource::Object(_, object) => object.task().is_some(),
            _ => false,
        }
    }

    /// Adds the processes whose ports, sockets, connections, timers or tasks the resource is about.
    pub(crate) fn processes(self, tables: &Tables, processes: &mut impl Extend<ProcessId>) {
        use Resource as R;
        let of_unit = |unit: UnitId| [tables.process_of(unit)];
        match self {
            R::Bound(port) | R::Routed(port) | R::Freed(port) | R::Appended(port) | R::Taken(port) => {
                processes.extend(tables.components.component(port).process_of_port());
            }
            R::Listening(port) | R::Dialed(port) | R::Unqueued(port) | R::Unlisted(port) | R::Used(port) => {
                processes.extend(tables.components.component(port).process_of_port());
            }
            R::Mailboxes(port) | R::TriedAccept(port) => {
                processes.extend(tables.components.component(port).process_of_port())
            }
            R::Binding(process) | R::Releasing(process) | R::KilledWith(process) | R::AliveIn(process) => {
                processes.extend([process]);
            }
            R::Joined(process) | R::ToGroup(process) | R::Silenced(process) => processes.extend([process]),
            R::Scoped(process) | R::InScope(process) | R::Reached(process) | R::Torn(process) => {
                processes.extend([process]);
            }
            R::Ephemeral(process, _) | R::Vacated(process, _) | R::Reset(process, _) | R::Redialed(process, _) => {
                processes.extend([process]);
            }
            R::HungUp(process, _) | R::UsedByServer(process, _) => processes.extend([process]),
            R::Dispatched(socket) => processes.extend(of_unit(socket.unit)),
            R::Waited(unit) | R::Ended(unit) | R::AskedFor(unit) | R::Killed(unit) | R::Alive(unit) => {
                processes.extend(of_unit(unit));
            }
            R::Timed(unit) | R::TimersOf(unit, _) | R::Object(unit, _) | R::Moves(unit) | R::Over(unit) => {
                processes.extend(of_unit(unit));
            }
            R::Sent(connection, _) | R::Read(connection, _) | R::Closed(connection, _) => {
                processes.extend(tables.connections.processes(connection));
            }
            R::TriedIn(connection, _) | R::TriedOut(connection, _) => {
                processes.extend(tables.connections.processes(connection));
            }
            R::Reach(from, to) | R::Carried(from, to) => processes.extend([from, to]),
            R::Budget | R::Clock | R::Reading | R::Failing | R::Later | R::Monitor(_) => {}
        }
    }

    /// Whether the resource concerns the end, the join or the abort of a unit or task.
    pub(crate) fn is_of_lifecycle(self) -> bool {
        match self {
            Resource::Ended(_) | Resource::AskedFor(_) | Resource::Killed(_) | Resource::KilledWith(_) => true,
            Resource::Alive(_) | Resource::AliveIn(_) | Resource::Moves(_) | Resource::Over(_) => true,
            Resource::Object(_, object) => object.is_of_task(),
            _ => false,
        }
    }
}

/// The resources that a step affects and depends on.
#[derive(Default)]
pub(crate) struct Touches {
    pub(crate) affects: Vec<Resource>,
    pub(crate) depends_on: Vec<Resource>,
    /// The ends among them for which the step waits alone.
    pub(crate) waits: Vec<Resource>,
    /// Resources whose order relative to the step makes a difference, in addition to those in `depends_on`.
    races: Vec<Resource>,
    /// A resource in `depends_on` whose order relative to the step makes no difference.
    pub(crate) unseen: Option<Resource>,
    /// The resources on which the last operation also depends in some states.
    pub(crate) sometimes: Vec<(When, Resource)>,
}

/// The states in which an operation depends on a resource, of those on which it does not always depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// The thing that the operation asks for is not there or not free.
    Contended,
    /// A connect has no connection yet, and is not refused.
    Unmade,
    /// A connect has its connection, and the program does not know yet.
    Made,
    /// The same, and the connection has not been accepted.
    Unaccepted,
}

impl When {
    pub(crate) const ALL: [When; 4] = [When::Contended, When::Unmade, When::Made, When::Unaccepted];
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

    pub(crate) fn depends_when(&mut self, when: When, resource: Resource) -> &mut Self {
        self.sometimes.push((when, resource));
        self
    }

    /// The resources that the last operation depends on in these states.
    pub(crate) fn when(&self, when: When) -> Vec<Resource> {
        self.sometimes.iter().filter(|(of, _)| *of == when).map(|(_, resource)| *resource).collect()
    }

    /// The step waits for an end alone.
    pub(crate) fn waits(&mut self, end: Resource) -> &mut Self {
        self.waits.push(end);
        self
    }

    pub(crate) fn races(&mut self, resource: Resource) -> &mut Self {
        self.races.push(resource);
        self
    }

    /// The resources whose order relative to the step makes a difference, without ends for which the step waits alone.
    pub(crate) fn raced_for(&self) -> impl Iterator<Item = Resource> {
        let is_raced = |resource: &Resource| {
            !self.waits.contains(resource) && self.unseen != Some(*resource) && !resource.is_told_more_exactly()
        };
        self.depends_on.iter().copied().filter(is_raced).chain(self.races.iter().copied())
    }

    /// A step of a tracked task uses a shared object. Waking another task does not affect that task's own object: the
    /// step of the woken task depends on the object at which its waker is registered.
    pub(crate) fn object(&mut self, unit: UnitId, task: TaskId, object: ObjectId) {
        self.depends_on(Resource::Object(unit, object));
        if object.task().is_none_or(|moved| moved == task) {
            self.affects(Resource::Object(unit, object));
        }
    }

    /// The resources that the effects of an edge affect and depend on.
    pub(crate) fn effects(&mut self, system: &mut System, unit: UnitId, edge: EdgeId) {
        for index in 0..system.learner.automata.edge(edge).effects.len() {
            let effect = system.learner.automata.edge(edge).effects[index].clone();
            self.effect(system, unit, edge, &effect);
        }
    }

    /// The resources that decide whether the calls complete at once that an edge begins and the program itself polls:
    /// those that the calls depend on when they are tried. Whether a timer is due changes by time and by its unit's steps.
    pub(crate) fn begun(&mut self, system: &mut System, unit: UnitId, edge: EdgeId) {
        let edge = system.learner.automata.edge(edge);
        let calls = edge.begun.calls.iter().filter(|call| !matches!(call.operation, Operation::Time(_)));
        let tried: SmallVec<[Operation; 2]> = calls.filter_map(|call| call.operation.tried()).collect();
        for operation in tried {
            let prepared = system.prepare(unit, operation, 0);
            self.operation(system, unit, &prepared);
        }
    }

    /// A socket asks for a port: another socket that prefers its block may be given the port that this one would get.
    pub(super) fn asks_for_port(&mut self, system: &System, socket: SocketId, port: u16) {
        let block = if port == 0 { Some(system.preferred_ports(socket)) } else { ephemeral::owner(port) };
        if let Some(block) = block {
            let ports = Resource::Ephemeral(system.process_of(socket.unit), block);
            self.affects(ports).depends_on(ports);
        }
    }
}
