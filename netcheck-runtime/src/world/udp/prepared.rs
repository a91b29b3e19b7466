//! Operations on UDP sockets as the search keeps them.

use super::operation::ReceiveMode;
use crate::id::{OutcomeId, ProcessId, SocketId};
use crate::world::components::ComponentId;
use netcheck_models::host::group::Group;
use smallvec::SmallVec;
use std::net::SocketAddr;

/// A prepared operation on a UDP socket.
#[derive(Clone, Debug)]
pub enum Prepared {
    Bind { socket: SocketId, address: SocketAddr },
    Connect { socket: SocketId, local: SocketAddr, peer: SocketAddr },
    Send(Send),
    SendToGroup(SendToGroup),
    Join { socket: SocketId, port: u16, group: Group },
    Leave { socket: SocketId, port: u16, group: Group },
    Receive { socket: SocketId, port: u16, inbox: u32, mode: ReceiveMode, waits: bool },
}

impl Prepared {
    /// The datagram that is sent, if this is a send.
    pub(crate) fn sent(&self) -> Option<OutcomeId> {
        match *self {
            Prepared::Send(Send { datagram, .. }) | Prepared::SendToGroup(SendToGroup { datagram, .. }) => {
                Some(datagram)
            }
            _ => None,
        }
    }
}

/// A prepared send; `host` and `port` are `None` if no process has the address.
#[derive(Clone, Copy, Debug)]
pub struct Send {
    pub(crate) socket: SocketId,
    pub(crate) from: SocketAddr,
    pub(crate) to: SocketAddr,
    pub(crate) host: Option<ProcessId>,
    pub(crate) port: Option<ComponentId>,
    pub(crate) datagram: OutcomeId,
}

/// A prepared send to a group.
#[derive(Clone, Debug)]
pub struct SendToGroup {
    pub(crate) socket: SocketId,
    pub(crate) from: SocketAddr,
    pub(crate) to: SocketAddr,
    /// The hosts that it may reach, each with the group's port there.
    pub(crate) hosts: SmallVec<[(ProcessId, ComponentId); 4]>,
    pub(crate) datagram: OutcomeId,
}
