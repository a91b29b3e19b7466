//! How a program's stream names a connection, and which failures are declared for it.

use crate::id::{ConnectionId, ProcessId, UnitId};
use crate::operation::{Side, Stream};
use crate::state::place::{Place, PlaceId};
use crate::state::tables::{Lookup, Tables};
use ahash::AHashMap;
use netcheck_models::tcp::StreamRules;
use std::net::SocketAddr;

/// Bytes that a half-stream holds, unless declared otherwise.
const BUFFER_BYTES: usize = 64 << 10;

/// The declared behaviour of TCP.
#[derive(Clone, Debug)]
pub(crate) struct TcpRules {
    pub(crate) streams: StreamRules,
    pub(crate) fails: Failures,
    /// Whose operations may fail; `None`: every process's.
    pub(crate) processes: Option<Vec<ProcessId>>,
    /// Operations at which end may fail; `None`: at both.
    pub(crate) side: Option<Side>,
    /// How many executions of each source line may fail.
    pub(crate) first: Option<u32>,
}

/// Which operations may fail (papers/tcp-transmission-failures.txt, Table 2).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Failures {
    pub(crate) open: bool,
    pub(crate) close: bool,
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) reset: bool,
    pub(crate) hang: bool,
}

impl Default for TcpRules {
    fn default() -> Self {
        TcpRules {
            streams: StreamRules { split: false, capacity: BUFFER_BYTES },
            fails: Failures::default(),
            processes: None,
            side: None,
            first: None,
        }
    }
}

/// Connections by the processes and addresses of their ends: first who connected.
#[derive(Default)]
pub(crate) struct Connections {
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
    pub(crate) fn end(&self, connection: ConnectionId, side: Side) -> (ProcessId, SocketAddr) {
        self.ends[connection.0 as usize][side as usize]
    }

    /// The processes at both ends of a connection.
    pub(crate) fn processes(&self, connection: ConnectionId) -> [ProcessId; 2] {
        self.ends[connection.0 as usize].map(|(process, _)| process)
    }
}

/// One end of a connection, as the state knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionEnd {
    pub(crate) connection: ConnectionId,
    pub(crate) place: PlaceId,
    pub(crate) side: Side,
}

impl ConnectionEnd {
    pub(crate) fn peer(self) -> Side {
        match self.side {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }
}

impl Tables {
    /// The connection between two addresses: first who connects.
    pub(crate) fn connection(&self, ends: [(ProcessId, SocketAddr); 2]) -> Lookup<ConnectionEnd> {
        let connection = self.connection_id(ends)?;
        Ok(ConnectionEnd { connection, place: self.place(Place::Connection(connection))?, side: Side::Client })
    }

    /// The end of a connection that a process knows as `stream`.
    pub(crate) fn end_of(&self, process: ProcessId, stream: Stream) -> Lookup<ConnectionEnd> {
        let own = (process, stream.local);
        let peer = self.process_at(process, stream.peer).expect("a connection leads to a process");
        let peer = (peer, stream.peer);
        let ends = if stream.side == Side::Client { [own, peer] } else { [peer, own] };
        Ok(ConnectionEnd { side: stream.side, ..self.connection(ends)? })
    }

    /// The process and the port that a connect goes to; `None` where no process has the address.
    pub(crate) fn dialed(&self, from: ProcessId, peer: SocketAddr) -> Lookup<Option<(ProcessId, PlaceId)>> {
        let Some(host) = self.process_at(from, peer) else { return Ok(None) };
        Ok(Some((host, self.place(Place::StreamPort(host, peer.port()))?)))
    }

    /// Whether operations of `unit` at `side`, the `execution`th of their source line, are among those that may fail.
    pub(crate) fn is_fallible(&self, unit: UnitId, side: Side, execution: u32) -> bool {
        let TcpRules { processes, side: declared, first, .. } = &self.declared.tcp;
        let process = self.process_of(unit);
        processes.as_ref().is_none_or(|named| named.contains(&process))
            && declared.is_none_or(|declared| declared == side)
            && first.is_none_or(|first| execution <= first)
    }

    /// Whether a failure may happen now.
    pub(super) fn may_fail_now(&self, state: &[u32], unit: UnitId) -> bool {
        self.budget(state).allows(1) && (!self.demands.scope || self.is_in_scope(state, self.process_of(unit)))
    }
}
