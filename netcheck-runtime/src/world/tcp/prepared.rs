//! Operations on TCP as the search keeps them.

use super::connections::ConnectionEnd;
use crate::id::{ProcessId, SocketId};
use crate::world::components::ComponentId;
use std::net::SocketAddr;
use std::sync::Arc;

/// A prepared operation on TCP; `fails`, `resets` and `hangs`: the failures that are declared for it.
#[derive(Clone, Debug)]
pub enum Prepared {
    BindStream { socket: SocketId, address: SocketAddr, shares: bool },
    Listen { socket: SocketId, address: SocketAddr, is_bound: bool, backlog: usize },
    Open(Open),
    Dial(Open),
    Accept { process: ProcessId, port: ComponentId, local: SocketAddr, waits: bool, fails: bool },
    Read { end: ConnectionEnd, max: usize, peeks: bool, waits: bool, fails: bool, resets: bool },
    Write { end: ConnectionEnd, bytes: Arc<[u8]>, waits: bool, fails: bool, resets: bool },
    Ready { end: ConnectionEnd, read: bool, write: bool, waits: bool },
    TakeError { end: ConnectionEnd },
    Shutdown { end: ConnectionEnd, fails: bool },
}

/// A prepared connect.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub(crate) socket: SocketId,
    pub(crate) local: Option<SocketAddr>,
    pub(crate) peer: SocketAddr,
    /// `None` if no process has the address.
    pub(crate) to: Option<(ProcessId, ComponentId)>,
    pub(crate) fails: bool,
    pub(crate) hangs: bool,
}
