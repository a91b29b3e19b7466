//! Operations on TCP as the search keeps them.

use super::connections::ConnectionEnd;
use crate::id::{ProcessId, SocketId};
use crate::world::components::ComponentId;
use std::net::SocketAddr;
use std::sync::Arc;

/// Whether a failure of a call is declared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fails {
    /// By the check, for this call.
    pub(crate) as_declared: bool,
    /// By some region of a program.
    pub(crate) in_regions: bool,
}

impl Fails {
    /// Whether the failure is declared in some state.
    pub(super) fn ever(self) -> bool {
        self.as_declared || self.in_regions
    }
}

/// A prepared operation on TCP; `fails`, `resets` and `hangs`: the failures that are declared for it.
#[derive(Clone, Debug)]
pub enum Prepared {
    BindStream { socket: SocketId, address: SocketAddr, shares: bool },
    Listen { socket: SocketId, address: SocketAddr, is_bound: bool, backlog: usize },
    Open(Open),
    Dial(Open),
    Accept { process: ProcessId, port: ComponentId, local: SocketAddr, waits: bool, fails: Fails },
    Read { end: ConnectionEnd, max: usize, peeks: bool, waits: bool, fails: Fails, resets: Fails },
    Write { end: ConnectionEnd, bytes: Arc<[u8]>, waits: bool, fails: Fails, resets: Fails },
    Ready { end: ConnectionEnd, read: bool, write: bool, waits: bool },
    TakeError { end: ConnectionEnd },
    Shutdown { end: ConnectionEnd, fails: Fails },
}

/// A prepared connect.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub(crate) socket: SocketId,
    pub(crate) local: Option<SocketAddr>,
    pub(crate) peer: SocketAddr,
    /// `None` if no process has the address.
    pub(crate) to: Option<(ProcessId, ComponentId)>,
    pub(crate) fails: Fails,
    pub(crate) hangs: Fails,
}
