//! `TcpStream`, shaped like tokio's.
//!
//! - `opening`: connecting; `options`: options of a stream;
//! - `transfer`: reading and writing; `ready`: waiting until a read or a write is possible.

pub(in crate::net) mod opening;
mod options;
mod ready;
mod transfer;

use super::options::Options;
use super::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf, borrowed, owned};
use crate::id::SocketId;
use crate::isolated::{Handle, HandleId, Isolated};
use crate::net::address::ToSocketAddrs;
use crate::net::buffers::joined;
use crate::net::endpoint::{Endpoint, set_endpoint};
use crate::net::os;
#[cfg(unix)]
use crate::net::stand_in::stands_in;
use crate::operation::tcp;
use crate::operation::{Effect, Operation, Outcome, Stream};
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use opening::Opening;
#[cfg(unix)]
use socket2::{Domain, Type};
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A TCP connection, as `tokio::net::TcpStream`.
///
/// Every connect, read, write and shutdown is an operation that the check schedules and, if that is declared, lets
/// fail. Bytes that were written can be read from the next step on. Dropping the stream closes its end: the peer sees
/// the end of the stream, or a reset if bytes were left to read (as on Linux).
///
/// The stream can be handed over by value to an isolated task (`#[netcheck::process]`).
pub struct TcpStream {
    id: SocketId,
    stream: Stream,
    /// Whether another unit owns the stream now.
    is_handed_over: AtomicBool,
    options: Options,
}

impl Hash for TcpStream {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, self.stream, self.is_handed_over.load(Ordering::Relaxed), &self.options).hash(state);
    }
}

impl TcpStream {
    /// The stream of one end of a connection.
    pub(in crate::net) fn new(id: SocketId, stream: Stream, options: Options) -> Self {
        let Stream { local, peer, side } = stream;
        set_endpoint(id, Endpoint { local, peer: Some(peer), side: Some(side) });
        if options.linger.get() == Some(Duration::ZERO) {
            context::current().effect(Effect::Tcp(tcp::Effect::Linger { stream, resets: true }));
        }
        TcpStream { id, stream, is_handed_over: AtomicBool::new(false), options }
    }

    /// Connects to the first of the addresses that accepts.
    ///
    /// # Errors
    /// `ConnectionRefused` if no socket listens there, `HostUnreachable` if no process has the address, `TimedOut`
    /// where `open` may fail. For several addresses, the error of the last one.
    #[track_caller]
    pub fn connect<A: ToSocketAddrs>(address: A) -> impl Future<Output = io::Result<TcpStream>> {
        let location = Location::caller();
        async move {
            let mut last = io::Error::new(io::ErrorKind::InvalidInput, "could not resolve to any address");
            for peer in address.resolve()? {
                let opening = Opening::of(context::current().new_socket(), None);
                match opening.connect(peer, Options::new(), location).await {
                    Ok(stream) => return Ok(stream),
                    Err(error) => last = error,
                }
            }
            Err(last)
        }
    }

    /// The address of this end.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.stream.local)
    }

    /// The address of the other end.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.stream.peer)
    }

    /// The error that the next call would report; it is reported here instead.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    #[track_caller]
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        match context::current()
            .ask(Operation::Tcp(tcp::Operation::TakeError { stream: self.stream }), Location::caller())
        {
            Outcome::Failed(failure) => Ok(Some(os::error(failure))),
            _ => Ok(None),
        }
    }

    /// Splits the stream into halves that borrow it.
    pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
        borrowed::split(self)
    }

    /// Splits the stream into halves that share it; dropping the writing half shuts the writing side down.
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        owned::split(self)
    }

    /// This end of the connection.
    pub(in crate::net) fn stream(&self) -> Stream {
        self.stream
    }

    /// Polls one of the stream's operations.
    fn poll(
        &self,
        way: Way,
        cx: &mut Context<'_>,
        operation: Operation,
        location: &'static Location<'static>,
    ) -> Poll<(Option<Arc<[u8]>>, Outcome)> {
        context::current().poll_on((self.id, way), cx.waker(), operation, location)
    }
}

impl AsyncRead for TcpStream {
    #[track_caller]
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.poll_in(cx, buffer, false, Location::caller())
    }
}

impl AsyncWrite for TcpStream {
    #[track_caller]
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_out(cx, bytes, Location::caller())
    }

    #[track_caller]
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_out(cx, &joined(buffers), Location::caller())
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    #[track_caller]
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_end(cx, Location::caller())
    }
}

impl AsRef<TcpStream> for TcpStream {
    fn as_ref(&self) -> &TcpStream {
        self
    }
}

impl fmt::Debug for TcpStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stream { local, peer, .. } = self.stream;
        f.debug_struct("TcpStream").field("addr", &local).field("peer", &peer).finish_non_exhaustive()
    }
}

impl Drop for TcpStream {
    fn drop(&mut self) {
        if self.is_handed_over.load(Ordering::Relaxed) {
            return;
        }
        if let Some(context) = context::try_current() {
            context.forget_socket(self.id);
            context.effect(Effect::Tcp(tcp::Effect::CloseStream { stream: self.stream }));
        }
    }
}

#[cfg(unix)]
stands_in!(TcpStream, std::net::TcpStream, Domain::IPV4, Type::STREAM);

/// The type does not show that a connection leads to other units; `visit_handles` reports it.
impl Isolated for TcpStream {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        visitor(HandleId(self.id));
    }
}

impl Handle for TcpStream {
    fn duplicate(&self) -> Self {
        self.is_handed_over.store(true, Ordering::Relaxed);
        let options = self.options.clone();
        TcpStream { id: self.id, stream: self.stream, is_handed_over: AtomicBool::new(false), options }
    }
}
