//! The state vector, and the component at each of its positions.

use crate::id::{ConnectionId, ProcessId, SocketId, UnitId};
use ahash::AHashMap;
use netcheck_models::host::group::Group;
use netcheck_models::tcp::{Backlog, Connection};
use smallvec::SmallVec;
use std::net::{IpAddr, SocketAddr};

/// A global state: the interned value of each component; zeros at the end are left out.
pub type StateVector = SmallVec<[u32; 16]>;

/// Removes the zeros at the end of a state vector, so that equal states are equal vectors.
pub(crate) fn trim(next: &mut Vec<u32>) {
    while next.last() == Some(&0) {
        next.pop();
    }
}

/// A component of the state. Its position in the state vector is its [`ComponentId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// A unit's node.
    Unit(UnitId),
    /// The handle of an isolated task that has not ended: 0, [`HANDLE_GONE`] or [`ABORTED`], as a set of bits.
    Handle(UnitId),
    /// The sockets bound to a port of a process.
    Port(ProcessId, u16),
    /// The datagrams in flight from one socket to another.
    Channel { from: SocketId, to: SocketId },
    /// The datagrams in flight from a socket to an address of a process. Only with `delay`: the receiving socket of a
    /// datagram is then determined when it arrives, and may be bound after the dispatch.
    Astray { from: SocketId, to: (ProcessId, SocketAddr) },
    /// The datagrams that have arrived at a socket, in this order, where each arrival is a step.
    Buffer(SocketId),
    /// The datagram that was peeked at, which is the next one that the socket receives.
    Head(SocketId),
    /// The TCP sockets bound to a port of a process.
    StreamPort(ProcessId, u16),
    /// The Unix domain sockets for datagrams of a process.
    Mailboxes(ProcessId),
    /// Whether the file of a Unix domain socket is there: 1 once a socket was bound to the path.
    SocketFile(ProcessId, SocketAddr),
    /// The files of a process's host, where they can be lost: 0 while they are as declared.
    Storage(ProcessId),
    /// A TCP connection.
    Connection(ConnectionId),
    /// The [connection](dialed) that a socket's connect is to make or has made, until the program knows of it, or
    /// [`REFUSED`].
    Dialed(SocketId),
    /// Whether a socket's connect will never be answered.
    Hung(SocketId),
    /// Where hosts give up: how long a socket's connect has waited for an answer.
    Waited(SocketId),
    /// The armed timers of a unit, each with the time that remains.
    Timers(UnitId),
    /// The time since the start, if a program reads it.
    Clock,
    /// In dense time: the instants of the scheduled events.
    Zone,
    /// Which hosts reach each other, where links may be cut: 0 as long as none was.
    Reach,
    /// The number of faults so far.
    Faults,
    /// Where steps that come out of turn are bounded: whose turn it was last, and how many have.
    Turn,
    /// The fault regions that a unit is in.
    Scope(UnitId),
    /// Where a monitor is.
    Monitor(u32),
    /// The value that an observer of the search keeps for the path to a state; no step depends on it.
    Observed,
}

impl Component {
    /// The process of a port.
    pub(crate) fn process_of_port(self) -> Option<ProcessId> {
        match self {
            Component::Port(process, _) | Component::StreamPort(process, _) => Some(process),
            Component::Mailboxes(process) => Some(process),
            _ => None,
        }
    }
}

/// A value of [`Component::Handle`]: no unit can join the task any more.
pub(crate) const HANDLE_GONE: u32 = 1;

/// The value of a connect that was refused, and the program does not know yet.
pub const REFUSED: u32 = 1;

/// The value of a connect that has this connection.
pub(crate) fn dialed(connection: ConnectionId) -> u32 {
    connection.0 + REFUSED + 1
}

/// The connection of a connect with this value, if it has one.
pub fn connection_dialed(value: u32) -> Option<ConnectionId> {
    value.checked_sub(REFUSED + 1).map(ConnectionId)
}

/// A value of [`Component::Handle`]: the task was asked to end.
pub(crate) const ABORTED: u32 = 2;

/// A position in a state vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(pub u32);

impl ComponentId {
    /// The component's value in a state.
    pub fn of(self, state: &[u32]) -> u32 {
        state.get(self.0 as usize).copied().unwrap_or(0)
    }

    /// Sets the component's value in a state; the caller trims the vector at the end.
    pub(crate) fn set(self, state: &mut Vec<u32>, value: u32) {
        let index = self.0 as usize;
        if index >= state.len() {
            if value == 0 {
                return;
            }
            state.resize(index + 1, 0);
        }
        state[index] = value;
    }
}

/// The components that were used so far, in the order of their first use.
#[derive(Default)]
pub struct Components {
    components: Vec<Component>,
    ids: AHashMap<Component, ComponentId>,
    ports: Vec<ComponentId>,
    /// By process.
    ports_of: Vec<Vec<ComponentId>>,
    streams: Vec<ComponentId>,
    astray: Vec<ComponentId>,
    timers: Vec<(UnitId, ComponentId)>,
}

impl Components {
    pub fn id(&mut self, component: Component) -> ComponentId {
        if let Some(&id) = self.ids.get(&component) {
            return id;
        }
        let id = ComponentId(self.components.len() as u32);
        self.components.push(component);
        self.ids.insert(component, id);
        match component {
            Component::Port(process, _) => {
                let process = process.0 as usize;
                if self.ports_of.len() <= process {
                    self.ports_of.resize_with(process + 1, Vec::new);
                }
                self.ports.push(id);
                self.ports_of[process].push(id);
            }
            Component::Astray { .. } => self.astray.push(id),
            Component::StreamPort(..)
            | Component::Connection(_)
            | Component::Hung(_)
            | Component::Waited(_)
            | Component::Dialed(_) => self.streams.push(id),
            Component::Timers(unit) => self.timers.push((unit, id)),
            _ => {}
        }
        id
    }

    pub fn component(&self, id: ComponentId) -> Component {
        self.components[id.0 as usize]
    }

    /// The ports at which datagram sockets are or were bound.
    pub(crate) fn ports(&self) -> &[ComponentId] {
        &self.ports
    }

    /// The ports among these that belong to a process.
    pub(crate) fn ports_of(&self, process: ProcessId) -> &[ComponentId] {
        self.ports_of.get(process.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The datagrams in flight to addresses at which no socket is bound.
    pub fn astray(&self) -> &[ComponentId] {
        &self.astray
    }

    /// The components of TCP: ports, connections, and connects that hang.
    pub(crate) fn streams(&self) -> &[ComponentId] {
        &self.streams
    }

    /// The timers of each unit that has any.
    pub(crate) fn timers(&self) -> &[(UnitId, ComponentId)] {
        &self.timers
    }

    /// The id of a component; `None` if it was never used, so that its value is 0 in every state.
    pub fn find(&self, component: Component) -> Option<ComponentId> {
        self.ids.get(&component).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.components.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = (ComponentId, Component)> + '_ {
        (0u32..).map(ComponentId).zip(self.components.iter().copied())
    }
}

/// The sockets bound to one port.
pub(crate) type Bindings = SmallVec<[Binding; 1]>;

/// One bound socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    pub(crate) ip: IpAddr,
    pub(crate) socket: SocketId,
    pub(crate) peer: Option<SocketAddr>,
    /// The groups that it has joined, sorted.
    pub(crate) groups: Vec<Group>,
    /// The units that hold the socket; the last one that releases it closes it.
    pub(crate) holders: SmallVec<[UnitId; 2]>,
}

/// The TCP sockets bound to one port, without those that are connected.
pub(crate) type StreamBindings = SmallVec<[StreamBinding; 1]>;

/// A bound TCP socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StreamBinding {
    pub ip: IpAddr,
    pub socket: SocketId,
    pub holder: UnitId,
    /// `SO_REUSEADDR`
    pub(crate) shares: bool,
    /// The queue of a listener.
    pub backlog: Option<Backlog>,
}

/// A connection, and by end the unit that holds it; `None`: the end is in a backlog, or closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HeldConnection {
    pub connection: Connection,
    pub(crate) holders: [Option<UnitId>; 2],
    /// By end: whether closing it resets the connection (a linger of zero).
    pub(crate) resets: [bool; 2],
}
