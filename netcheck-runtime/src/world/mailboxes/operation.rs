//! Operations and effects of Unix domain sockets for datagrams.

use crate::id::SocketId;
use std::net::SocketAddr;
use std::sync::Arc;

/// An operation on a mailbox.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Bind a socket to a name; cannot wait.
    Bind { socket: SocketId, name: SocketAddr },
    /// Set the peer of a socket; cannot wait.
    Connect { socket: SocketId, name: SocketAddr },
    /// Send a datagram, to a name or to the peer; waits for room.
    Send { socket: SocketId, from: SocketAddr, to: Option<SocketAddr>, payload: Arc<[u8]>, waits: bool },
    /// Wait for a datagram.
    Receive { socket: SocketId, waits: bool },
    /// Wait until a receive, or a send to the peer, can complete at once.
    Ready { socket: SocketId, read: bool, write: bool, waits: bool },
}

impl Operation {
    /// The operation as it is tried when it is begun; `None` if the OS would not try it then.
    pub(crate) fn tried(&self) -> Option<Operation> {
        let mut tried = self.clone();
        match &mut tried {
            Operation::Send { waits, .. } | Operation::Receive { waits, .. } | Operation::Ready { waits, .. } => {
                *waits = false;
            }
            Operation::Bind { .. } | Operation::Connect { .. } => return None,
        }
        Some(tried)
    }

    /// Whether the operation can be pending for long.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Operation::Receive { waits: true, .. } | Operation::Ready { write: false, waits: true, .. })
    }
}

/// A change of mailboxes, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A socket without a name was made.
    Open { socket: SocketId },
    /// Two sockets without names were made, connected to each other.
    Pair { sockets: [SocketId; 2] },
    /// Whether a socket sends no more, and whether it receives no more.
    ShutDown { socket: SocketId, ways: [bool; 2] },
    /// A socket was dropped.
    Close { socket: SocketId },
}
