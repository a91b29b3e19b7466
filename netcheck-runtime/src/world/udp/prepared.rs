//! Operations on UDP sockets as the search keeps them.

use super::operation::ReceiveMode;
use crate::id::{OutcomeId, ProcessId, SocketId};
use crate::world::components::ComponentId;
use std::net::SocketAddr;

/// A prepared operation on a UDP socket.
#[derive(Clone, Debug)]
pub(crate) enum Prepared {
    Bind {
        socket: SocketId,
        address: SocketAddr,
    },
    Connect {
        socket: SocketId,
        local: SocketAddr,
        peer: SocketAddr,
    },
    /// `host` and `port` are `None` if no process has the address.
    Send {
        socket: SocketId,
        from: SocketAddr,
        to: SocketAddr,
        host: Option<ProcessId>,
        port: Option<ComponentId>,
        datagram: OutcomeId,
    },
    Receive {
        socket: SocketId,
        port: u16,
        inbox: u32,
        mode: ReceiveMode,
        waits: bool,
    },
}
