//! Operations and effects of UDP sockets.

use crate::id::SocketId;
use netcheck_models::host::group::{Group, Reach};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::sync::Arc;

/// An operation on a UDP socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Bind a UDP socket; port 0 asks for an ephemeral one.
    Bind {
        socket: SocketId,
        address: SocketAddr,
    },
    /// Set the peer of a UDP socket.
    Connect {
        socket: SocketId,
        local: SocketAddr,
        peer: SocketAddr,
    },
    /// Send a datagram; `reach`: one to a group.
    Send {
        socket: SocketId,
        from: SocketAddr,
        to: SocketAddr,
        payload: Arc<[u8]>,
        reach: Option<Reach>,
    },
    /// Join a group with a socket of this port, or leave it; cannot wait.
    Join {
        socket: SocketId,
        port: u16,
        group: Group,
    },
    Leave {
        socket: SocketId,
        port: u16,
        group: Group,
    },
    /// Wait for a datagram.
    Receive {
        socket: SocketId,
        port: u16,
        mode: ReceiveMode,
    },
    /// Take a datagram if there is one; cannot wait.
    TryReceive {
        socket: SocketId,
        port: u16,
        mode: ReceiveMode,
    },
}

/// How a datagram is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReceiveMode {
    /// Take it.
    Take,
    /// Look at it; the next receive gets the same one.
    Peek,
    /// Learn that there is one.
    Ready,
}

impl Operation {
    /// The operation as it is tried when it is begun; `None` if the OS would not try it then.
    pub(crate) fn tried(&self) -> Option<Operation> {
        match *self {
            Operation::Receive { socket, port, mode } => Some(Operation::TryReceive { socket, port, mode }),
            Operation::Bind { .. } | Operation::Connect { .. } | Operation::Send { .. } => Some(self.clone()),
            Operation::TryReceive { .. } | Operation::Join { .. } | Operation::Leave { .. } => None,
        }
    }

    /// Whether the operation can be pending for long.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Operation::Receive { .. })
    }
}

/// A change of UDP sockets, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A socket was dropped.
    Close { socket: SocketId },
}
