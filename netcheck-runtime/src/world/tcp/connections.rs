//! Connections, by the addresses of their ends, and the errors of those that are broken.

use crate::id::{ConnectionId, ProcessId};
use crate::operation::{Failure, Outcome, Side};
use crate::world::components::ComponentId;
use ahash::AHashMap;
use netcheck_models::host::unix;
use netcheck_models::tcp::Breakage;
use std::net::SocketAddr;

/// Connections by the processes and addresses of their ends, the connecting end first.
#[derive(Default)]
pub struct Connections {
    ends: Vec<[(ProcessId, SocketAddr); 2]>,
    ids: AHashMap<[(ProcessId, SocketAddr); 2], ConnectionId>,
}

impl Connections {
    pub(crate) fn id(&mut self, ends: [(ProcessId, SocketAddr); 2]) -> ConnectionId {
        let next = ConnectionId(self.ends.len() as u32);
        let id = *self.ids.entry(ends).or_insert(next);
        if id == next {
            self.ends.push(ends);
        }
        id
    }

    pub(crate) fn find(&self, ends: [(ProcessId, SocketAddr); 2]) -> Option<ConnectionId> {
        self.ids.get(&ends).copied()
    }

    /// The process and the address of an end.
    pub fn end(&self, connection: ConnectionId, side: Side) -> (ProcessId, SocketAddr) {
        self.ends[connection.0 as usize][side as usize]
    }

    /// Whether the ends of a connection are Unix domain sockets.
    pub fn is_unix(&self, connection: ConnectionId) -> bool {
        unix::is_unix(self.end(connection, Side::Server).1.ip())
    }

    /// The processes at both ends of a connection.
    pub fn processes(&self, connection: ConnectionId) -> [ProcessId; 2] {
        self.ends[connection.0 as usize].map(|(process, _)| process)
    }
}

/// One end of a connection, with the connection's component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionEnd {
    pub(crate) connection: ConnectionId,
    pub component: ComponentId,
    pub side: Side,
}

impl ConnectionEnd {
    pub fn peer(self) -> Side {
        match self.side {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }
}

/// The error that a call on a broken connection returns.
pub(super) fn broken(breakage: Breakage) -> Outcome {
    Outcome::Failed(match breakage {
        Breakage::Reset => Failure::ConnectionReset,
        Breakage::Pipe => Failure::BrokenPipe,
        Breakage::TimedOut => Failure::TimedOut,
    })
}
