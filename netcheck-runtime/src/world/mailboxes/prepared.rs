//! Operations on mailboxes as the search keeps them.

use crate::id::{OutcomeId, ProcessId, SocketId};
use crate::world::components::ComponentId;
use std::net::SocketAddr;

/// A prepared operation on a mailbox.
#[derive(Clone, Copy, Debug)]
pub struct Prepared {
    pub(crate) process: ProcessId,
    /// The component of the mailboxes of the process.
    pub(crate) at: ComponentId,
    pub(crate) socket: SocketId,
    pub(crate) call: Call,
}

/// The call of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call {
    Bind { name: SocketAddr },
    Connect { name: SocketAddr },
    Send { to: Option<SocketAddr>, datagram: OutcomeId, waits: bool },
    Receive { waits: bool },
    Ready { read: bool, write: bool, waits: bool },
}
