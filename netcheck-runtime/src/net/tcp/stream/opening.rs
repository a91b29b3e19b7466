//! Connecting.

use super::TcpStream;
use crate::id::SocketId;
use crate::net::address::reachable;
use crate::net::os;
use crate::net::tcp::options::Options;
use crate::operation::tcp;
use crate::operation::{Effect, Operation, Outcome, Side, Stream};
use crate::unit::poll::context;
use crate::unit::poll::operations::Pending;
use std::io;
use std::net::SocketAddr;
use std::panic::Location;

/// A socket that connects; dropping it before the outcome gives the connect up.
pub(in crate::net) struct Opening {
    id: SocketId,
    local: Option<SocketAddr>,
    /// The address that it connects to, as long as there is no outcome.
    unanswered: Option<SocketAddr>,
    is_done: bool,
}

impl Opening {
    /// A socket, and the address that it is bound to.
    pub(in crate::net) fn of(id: SocketId, local: Option<SocketAddr>) -> Self {
        Opening { id, local, unanswered: None, is_done: false }
    }

    pub(in crate::net) async fn connect(
        mut self,
        peer: SocketAddr,
        options: Options,
        location: &'static Location<'static>,
    ) -> io::Result<TcpStream> {
        let peer = reachable(self.local.unwrap_or(peer), peer)?;
        self.unanswered = Some(peer);
        let outcome =
            Pending::new(Operation::Tcp(tcp::Operation::Open { socket: self.id, local: self.local, peer }), location)
                .await;
        self.unanswered = None;
        match outcome {
            Outcome::Connected { local } => {
                self.is_done = true;
                Ok(TcpStream::new(self.id, Stream { local, peer, side: Side::Client }, options))
            }
            Outcome::Failed(failure) => Err(os::error(failure)),
            other => unreachable!("a connect does not end with {other:?}"),
        }
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        let (false, Some(context)) = (self.is_done, context::try_current()) else { return };
        context.forget_socket(self.id);
        if let Some(peer) = self.unanswered {
            context.effect(Effect::Tcp(tcp::Effect::GiveUp { socket: self.id, local: self.local, peer }));
        }
        if let Some(local) = self.local {
            context.effect(Effect::Tcp(tcp::Effect::CloseListener { socket: self.id, local }));
        }
    }
}
