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
pub(crate) enum Place {
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

/// A value of [`Place::Handle`]: nobody can join the task any more.
pub(crate) const HANDLE_GONE: u32 = 1;

/// A value of [`Place::Handle`]: the task was asked to end.
pub(crate) const ABORTED: u32 = 2;

/// A position in a state vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PlaceId(pub(crate) u32);

impl PlaceId {
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
pub(crate) struct Places {
    places: Vec<Place>,
    ids: AHashMap<Place, PlaceId>,
    ports: Vec<PlaceId>,
    streams: Vec<PlaceId>,
    astray: Vec<PlaceId>,
    timers: Vec<(UnitId, PlaceId)>,
}

impl Places {
    pub(crate) fn id(&mut self, place: Place) -> PlaceId {
        if let Some(&id) = self.ids.get(&place) {
            return id;
        }
        let id = PlaceId(self.places.len() as u32);
        self.places.push(place);
        self.ids.insert(place, id);
        match place {
            Place::Port(..) => self.ports.push(id),
            Place::Astray { .. } => self.astray.push(id),
            Place::StreamPort(..) | Place::Connection(_) | Place::Hung(_) => self.streams.push(id),
            Place::Timers(unit) => self.timers.push((unit, id)),
            _ => {}
        }
        id
    }

    pub(crate) fn place(&self, id: PlaceId) -> Place {
        self.places[id.0 as usize]
    }

    /// The ports at which datagram sockets are or were bound.
    pub(crate) fn ports(&self) -> &[PlaceId] {
        &self.ports
    }

    /// The datagrams that go to no socket.
    pub(crate) fn astray(&self) -> &[PlaceId] {
        &self.astray
    }

    /// All that there is of TCP: ports, connections, and connects that hang.
    pub(crate) fn streams(&self) -> &[PlaceId] {
        &self.streams
    }

    /// The timers of each unit that has any.
    pub(crate) fn timers(&self) -> &[(UnitId, PlaceId)] {
        &self.timers
    }

    /// The id of a place that may never have been used: then its value is 0 everywhere.
    pub(crate) fn find(&self, place: Place) -> Option<PlaceId> {
        self.ids.get(&place).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (PlaceId, Place)> + '_ {
        (0u32..).map(PlaceId).zip(self.places.iter().copied())
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
