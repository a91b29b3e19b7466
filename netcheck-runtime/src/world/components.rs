//! What the positions of a state vector stand for: one place per unit and per component.

use crate::id::{ConnectionId, ProcessId, SocketId, UnitId};
use ahash::AHashMap;
use netcheck_models::tcp::{Backlog, Connection};
use smallvec::SmallVec;
use std::net::{IpAddr, SocketAddr};

/// A global state: one interned id per place; zeros at the end are left out.
pub(crate) type StateVector = SmallVec<[u32; 16]>;

/// Equal states are equal vectors: zeros at the end are left out.
pub(crate) fn trim(next: &mut Vec<u32>) {
    while next.last() == Some(&0) {
        next.pop();
    }
}

/// What a position stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Component {
    /// A unit's node.
    Unit(UnitId),
    /// What has become of the handle of an isolated task that has not ended: [`HANDLE_GONE`], [`ABORTED`].
    Handle(UnitId),
    /// The sockets bound to a port of a process.
    Port(ProcessId, u16),
    /// The datagrams under way from one socket to another.
    Channel { from: SocketId, to: SocketId },
    /// The datagrams under way from a socket to an address of a process at which nobody is bound; only with `delay`:
    /// where a datagram goes is then decided when it arrives, and a socket may be bound there by then.
    Astray { from: SocketId, to: (ProcessId, SocketAddr) },
    /// The datagram that was peeked at: the next one of this socket.
    Head(SocketId),
    /// The TCP sockets bound to a port of a process.
    StreamPort(ProcessId, u16),
    /// A TCP connection.
    Connection(ConnectionId),
    /// Whether a socket's connect will never be answered.
    Hung(SocketId),
    /// The armed timers of a unit, with the time that remains.
    Timers(UnitId),
    /// The time since the start, where a program reads it.
    Clock,
    /// How many faults there have been.
    Faults,
    /// How many `faults::scope` regions of a unit are being run.
    Scope(UnitId),
    /// What an observer of the search keeps of the way to a state; no step depends on it.
    Observed,
}

/// A value of [`Component::Handle`]: nobody can join the task any more.
pub(crate) const HANDLE_GONE: u32 = 1;

/// A value of [`Component::Handle`]: the task was asked to end.
pub(crate) const ABORTED: u32 = 2;

/// A position in a state vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ComponentId(pub(crate) u32);

impl ComponentId {
    /// The value at this place.
    pub(crate) fn of(self, state: &[u32]) -> u32 {
        state.get(self.0 as usize).copied().unwrap_or(0)
    }

    /// Sets the value at this place; the caller trims the vector when it is done.
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

/// The places that were met so far, in the order of their first use.
#[derive(Default)]
pub(crate) struct Components {
    components: Vec<Component>,
    ids: AHashMap<Component, ComponentId>,
    ports: Vec<ComponentId>,
    streams: Vec<ComponentId>,
    astray: Vec<ComponentId>,
    timers: Vec<(UnitId, ComponentId)>,
}

impl Components {
    pub(crate) fn id(&mut self, component: Component) -> ComponentId {
        if let Some(&id) = self.ids.get(&component) {
            return id;
        }
        let id = ComponentId(self.components.len() as u32);
        self.components.push(component);
        self.ids.insert(component, id);
        match component {
            Component::Port(..) => self.ports.push(id),
            Component::Astray { .. } => self.astray.push(id),
            Component::StreamPort(..) | Component::Connection(_) | Component::Hung(_) => self.streams.push(id),
            Component::Timers(unit) => self.timers.push((unit, id)),
            _ => {}
        }
        id
    }

    pub(crate) fn component(&self, id: ComponentId) -> Component {
        self.components[id.0 as usize]
    }

    /// The ports at which datagram sockets are or were bound.
    pub(crate) fn ports(&self) -> &[ComponentId] {
        &self.ports
    }

    /// The datagrams that go to no socket.
    pub(crate) fn astray(&self) -> &[ComponentId] {
        &self.astray
    }

    /// All that there is of TCP: ports, connections, and connects that hang.
    pub(crate) fn streams(&self) -> &[ComponentId] {
        &self.streams
    }

    /// The timers of each unit that has any.
    pub(crate) fn timers(&self) -> &[(UnitId, ComponentId)] {
        &self.timers
    }

    /// The id of a place that may never have been used: then its value is 0 everywhere.
    pub(crate) fn find(&self, component: Component) -> Option<ComponentId> {
        self.ids.get(&component).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.components.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ComponentId, Component)> + '_ {
        (0u32..).map(ComponentId).zip(self.components.iter().copied())
    }
}

/// The sockets bound to one port.
pub(crate) type Bindings = SmallVec<[Binding; 1]>;

/// One bound socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Binding {
    pub(crate) ip: IpAddr,
    pub(crate) socket: SocketId,
    pub(crate) peer: Option<SocketAddr>,
    /// The units that hold the socket; the last one that lets go closes it.
    pub(crate) holders: SmallVec<[UnitId; 2]>,
}

/// The TCP sockets bound to one port, without those that are connected.
pub(crate) type StreamBindings = SmallVec<[StreamBinding; 1]>;

/// A bound TCP socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamBinding {
    pub(crate) ip: IpAddr,
    pub(crate) socket: SocketId,
    pub(crate) holder: UnitId,
    /// `SO_REUSEADDR`
    pub(crate) shares: bool,
    /// The queue of a listener.
    pub(crate) backlog: Option<Backlog>,
}

/// A connection, and the units that hold its ends; `None`: it is in a backlog, or closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct HeldConnection {
    pub(crate) connection: Connection,
    pub(crate) holders: [Option<UnitId>; 2],
    /// By end: closing it resets the connection (a linger of zero).
    pub(crate) resets: [bool; 2],
}
