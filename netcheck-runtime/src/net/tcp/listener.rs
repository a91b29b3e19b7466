//! `TcpListener`, shaped like tokio's.

use super::stream::{Options, TcpStream};
use crate::id::SocketId;
use crate::net::address::ToSocketAddrs;
use crate::net::os;
use crate::operation::{Effect, Operation, Outcome, Side, Stream};
use crate::unit::context::{self, Pending, Way};
use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::panic::Location;
use std::task::{Context, Poll, ready};

/// What `TcpListener::bind` asks for, in tokio.
const BACKLOG: usize = 1024;

/// What Linux sends with.
pub(super) const HOPS_MAX: u32 = 64;

/// A socket that connections can be accepted from, as `tokio::net::TcpListener`.
///
/// A task that waits in `accept` waits for a next client: while there is one, a state in
/// which nothing can happen is no deadlock (papers/tcp-transmission-failures.txt section 4.1).
pub struct TcpListener {
    id: SocketId,
    local: SocketAddr,
}

impl TcpListener {
    /// Binds a socket and listens. Port 0 gives an ephemeral port.
    ///
    /// # Errors
    /// `AddrInUse` if another socket of the process listens there, `AddrNotAvailable` if
    /// the address is not one of the process.
    #[track_caller]
    pub fn bind<A: ToSocketAddrs>(address: A) -> impl Future<Output = io::Result<TcpListener>> {
        let location = Location::caller();
        async move {
            let mut last = io::Error::new(io::ErrorKind::InvalidInput, "could not resolve to any address");
            for address in address.resolve()? {
                // Dropped, it withdraws the bind and gives its number back.
                let mut listener = TcpListener::new(context::current().new_socket(), address);
                let listen = Operation::Listen { socket: listener.id, address, is_bound: false, backlog: BACKLOG };
                match Pending::new(listen, location).await {
                    Outcome::Bound(local) => {
                        listener.local = local;
                        return Ok(listener);
                    }
                    outcome => last = failed(&outcome),
                }
            }
            Err(last)
        }
    }

    pub(super) fn new(id: SocketId, local: SocketAddr) -> Self {
        TcpListener { id, local }
    }

    /// Waits for the next connection, in the order in which they were made.
    ///
    /// # Errors
    /// `ConnectionAborted` where `open` may fail.
    #[track_caller]
    pub fn accept(&self) -> impl Future<Output = io::Result<(TcpStream, SocketAddr)>> {
        let location = Location::caller();
        async move { accepted(Pending::new(Operation::Accept { local: self.local }, location).await) }
    }

    /// Polls for the next connection.
    ///
    /// # Errors
    /// As `accept`.
    #[track_caller]
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        let accept = Operation::Accept { local: self.local };
        let polled = context::current().poll_on((self.id, Way::In), cx.waker(), accept, Location::caller());
        Poll::Ready(accepted(ready!(polled).1))
    }

    /// The address that the listener is bound to.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.local)
    }

    /// Hops that a packet may take: 64, whatever was set.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn ttl(&self) -> io::Result<u32> {
        Ok(HOPS_MAX)
    }

    /// Without an effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_ttl(&self, _ttl: u32) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for TcpListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TcpListener").field("addr", &self.local).finish_non_exhaustive()
    }
}

impl Drop for TcpListener {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            context.forget_socket(self.id);
            context.effect(Effect::CloseListener { socket: self.id, local: self.local });
        }
    }
}

fn accepted(outcome: Outcome) -> io::Result<(TcpStream, SocketAddr)> {
    match outcome {
        Outcome::Accepted { local, peer } => {
            let stream = Stream { local, peer, side: Side::Server };
            Ok((TcpStream::new(context::current().new_socket(), stream, Options::new()), peer))
        }
        outcome => Err(failed(&outcome)),
    }
}

pub(super) fn failed(outcome: &Outcome) -> io::Error {
    match outcome {
        Outcome::Failed(failure) => os::error(*failure),
        other => unreachable!("a bind or accept does not end with {other:?}"),
    }
}
