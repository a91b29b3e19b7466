//! `TcpListener`, shaped like tokio's.

use super::options::Options;
use super::stream::TcpStream;
use crate::id::SocketId;
use crate::net::address::ToSocketAddrs;
use crate::net::os;
#[cfg(unix)]
use crate::net::stand_in::stands_in;
use crate::operation::tcp;
use crate::operation::{Effect, Operation, Outcome, Side, Stream};
#[cfg(unix)]
use crate::unit::poll::bound::{Bound, Sort};
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use crate::unit::poll::operations::Pending;
#[cfg(unix)]
use socket2::{Domain, Type};
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::io;
use std::net::SocketAddr;
use std::panic::Location;
use std::task::{Context, Poll, ready};

/// The backlog that `TcpListener::bind` asks for, in tokio.
pub(in crate::net) const BACKLOG: usize = 1024;

/// A socket that accepts connections, as `tokio::net::TcpListener`.
///
/// A task that waits in `accept` waits for the next client, so its process is not deadlocked. With
/// `deadlocks = paper`, no process is deadlocked as long as any task waits in `accept` (section 4.1 of the paper on TCP
/// transmission failures).
pub struct TcpListener {
    id: SocketId,
    local: SocketAddr,
    /// The initial options of its streams.
    options: Options,
}

#[cfg(unix)]
stands_in!(TcpListener, std::net::TcpListener, Domain::IPV4, Type::STREAM, TcpListener::of_bound);

impl Hash for TcpListener {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, self.local, &self.options).hash(state);
    }
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
                // Dropping it withdraws the bind and frees the number.
                let mut listener = TcpListener::new(context::current().new_socket(), address, Options::new());
                let listen = Operation::Tcp(tcp::Operation::Listen {
                    socket: listener.id,
                    address,
                    is_bound: false,
                    backlog: BACKLOG,
                });
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

    /// The listener that a program has bound by std, if it listens.
    #[cfg(unix)]
    fn of_bound(bound: Bound, _stand_in: &std::net::TcpListener) -> Option<Self> {
        let Bound { socket, local, sort } = bound;
        matches!(sort, Sort::Stream { listens: true }).then(|| TcpListener::new(socket, local, Options::new()))
    }

    pub(super) fn new(id: SocketId, local: SocketAddr, options: Options) -> Self {
        TcpListener { id, local, options }
    }

    /// Waits for the next connection, in the order in which they were made.
    ///
    /// # Errors
    /// `ConnectionAborted` where `open` may fail.
    #[track_caller]
    pub fn accept(&self) -> impl Future<Output = io::Result<(TcpStream, SocketAddr)>> {
        let location = Location::caller();
        async move {
            self.accepted(
                Pending::new(Operation::Tcp(tcp::Operation::Accept { local: self.local, waits: true }), location).await,
            )
        }
    }

    /// Polls for the next connection.
    ///
    /// # Errors
    /// As `accept`.
    #[track_caller]
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        let accept = Operation::Tcp(tcp::Operation::Accept { local: self.local, waits: true });
        let polled = context::current().poll_on((self.id, Way::In), cx.waker(), accept, Location::caller());
        Poll::Ready(self.accepted(ready!(polled).1))
    }

    fn accepted(&self, outcome: Outcome) -> io::Result<(TcpStream, SocketAddr)> {
        match outcome {
            Outcome::Accepted { local, peer } => {
                let stream = Stream { local, peer, side: Side::Server };
                Ok((TcpStream::new(context::current().new_socket(), stream, self.options.clone()), peer))
            }
            outcome => Err(failed(&outcome)),
        }
    }

    /// The address that the listener is bound to.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.local)
    }

    /// Hops that a packet may take.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn ttl(&self) -> io::Result<u32> {
        Ok(self.options.hops_max.get())
    }

    /// Remembered, without effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.options.hops_max.set(ttl);
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
            context.effect(Effect::Tcp(tcp::Effect::CloseListener { socket: self.id, local: self.local }));
        }
    }
}

pub(in crate::net) fn failed(outcome: &Outcome) -> io::Error {
    match outcome {
        Outcome::Failed(failure) => os::error(*failure),
        other => unreachable!("a bind or accept does not end with {other:?}"),
    }
}
