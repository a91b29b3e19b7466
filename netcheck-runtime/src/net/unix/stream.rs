//! `UnixStream`, shaped like tokio's.

use super::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, SocketAddr, UCred, WriteHalf, borrowed, owned};
use crate::id::SocketId;
use crate::isolated::{Handle, HandleId, Isolated};
use crate::net::os;
use crate::net::stand_in::stands_in;
use crate::net::tcp::options::Options;
use crate::net::tcp::stream::opening::Opening;
use crate::net::{Interest, Ready, TcpStream};
use crate::operation::{Effect, Operation, Outcome, tcp};
use crate::unit::poll::context;
use bytes::BufMut;
use socket2::{Domain, Type};
use std::fmt;
use std::future::Future;
use std::io::{self, IoSlice, IoSliceMut};
use std::net;
use std::panic::Location;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection of Unix domain sockets, as `tokio::net::UnixStream`.
///
/// Bytes that were written can be read at once. Dropping the stream closes its end: the peer sees the end of the stream
/// behind them, or once `ECONNRESET` if bytes were left to read, and writes no more, as on Linux. What is declared for
/// `tcp` does not apply, but for the size of its buffer.
///
/// The stream can be handed over by value to an isolated task (`#[netcheck::process]`).
#[derive(Hash)]
pub struct UnixStream(TcpStream);

impl UnixStream {
    pub(super) fn new(id: SocketId, stream: tcp::Stream) -> Self {
        UnixStream(TcpStream::new(id, stream, Options::new()))
    }

    /// Connects to a path, or to an abstract name, which begins with a zero byte.
    ///
    /// # Errors
    /// `NotFound` if no socket of the process was ever bound to the path, `ConnectionRefused` if none listens there any
    /// more or ever listened at the abstract name, `WouldBlock` if the listener's backlog is full, `ConnectionReset` if the
    /// listener is dropped before it accepts, `InvalidInput` if the name is too long.
    #[track_caller]
    pub fn connect<P: AsRef<Path>>(path: P) -> impl Future<Output = io::Result<UnixStream>> {
        let location = Location::caller();
        async move { UnixStream::connect_at(SocketAddr::written(path.as_ref())?, location).await }
    }

    /// Connects to an address.
    ///
    /// # Errors
    /// As [`connect`](Self::connect); `InvalidInput` if the address has no name.
    #[track_caller]
    pub fn connect_addr(socket_addr: &SocketAddr) -> impl Future<Output = io::Result<UnixStream>> {
        let (location, address) = (Location::caller(), socket_addr.clone());
        UnixStream::connect_at(address, location)
    }

    async fn connect_at(address: SocketAddr, location: &'static Location<'static>) -> io::Result<UnixStream> {
        let peer = address.of_name()?;
        let socket = context::current().new_socket();
        UnixStream::open(socket, None, peer, location).await
    }

    /// Connects a socket, which may be bound.
    pub(super) async fn open(
        socket: SocketId,
        local: Option<net::SocketAddr>,
        peer: net::SocketAddr,
        location: &'static Location<'static>,
    ) -> io::Result<UnixStream> {
        // Dropping it withdraws the connect and frees the number.
        let opening = Opening::of(socket, local);
        let dial = Operation::Tcp(tcp::Operation::Dial { socket, local, peer });
        let dialed = context::current().ask(dial, location);
        match dialed {
            Outcome::Done => opening.connect(peer, Options::new(), location).await.map(UnixStream),
            Outcome::Failed(failure) => Err(os::error(failure)),
            Outcome::WouldBlock => Err(io::Error::from_raw_os_error(os::TRY_AGAIN)),
            other => unreachable!("a connect does not begin with {other:?}"),
        }
    }

    /// Two streams without names, connected to each other.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn pair() -> io::Result<(UnixStream, UnixStream)> {
        let context = context::current();
        let sockets = [context.new_socket(), context.new_socket()];
        context.effect(Effect::Tcp(tcp::Effect::Pair { sockets }));
        let [one, two] = tcp::paired(sockets);
        Ok((UnixStream::new(sockets[0], one), UnixStream::new(sockets[1], two)))
    }

    /// The name of this end.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(SocketAddr::named(self.0.stream().local))
    }

    /// The name of the other end.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(SocketAddr::named(self.0.stream().peer))
    }

    /// The credentials of the system process that runs the check: all of its Unix domain sockets are in that process.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn peer_cred(&self) -> io::Result<UCred> {
        Ok(UCred::own())
    }

    /// The error that the next read would report; it is reported here instead.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    #[track_caller]
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.0.take_error()
    }

    /// Waits until the stream is ready for one of the interests.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn ready(&self, interest: Interest) -> impl Future<Output = io::Result<Ready>> + use<> {
        self.0.ready(interest)
    }

    /// Waits until a read can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn readable(&self) -> impl Future<Output = io::Result<()>> {
        self.0.readable()
    }

    /// Waits until a write can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn writable(&self) -> impl Future<Output = io::Result<()>> {
        self.0.writable()
    }

    /// Polls until a read can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_read_ready(cx)
    }

    /// Polls until a write can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_write_ready(cx)
    }

    /// Reads the bytes that are there.
    ///
    /// # Errors
    /// `WouldBlock` if there are none; else as a read.
    #[track_caller]
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(buffer)
    }

    /// Reads the bytes that are there into several buffers.
    ///
    /// # Errors
    /// As `try_read`.
    #[track_caller]
    pub fn try_read_vectored(&self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.0.try_read_vectored(buffers)
    }

    /// Reads the bytes that are there into a growing buffer.
    ///
    /// # Errors
    /// As `try_read`.
    #[track_caller]
    pub fn try_read_buf<B: BufMut>(&self, buffer: &mut B) -> io::Result<usize> {
        self.0.try_read_buf(buffer)
    }

    /// Writes as many bytes as there is room for.
    ///
    /// # Errors
    /// `WouldBlock` if there is no room; else as a write.
    #[track_caller]
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    /// Writes as many bytes of several buffers as there is room for.
    ///
    /// # Errors
    /// As `try_write`.
    #[track_caller]
    pub fn try_write_vectored(&self, buffers: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_write_vectored(buffers)
    }

    /// Calls `call`, which uses the stream without waiting, if the stream is ready for it.
    ///
    /// # Errors
    /// `WouldBlock` if it is not ready; else those of `call`.
    #[track_caller]
    pub fn try_io<R>(&self, interest: Interest, call: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        self.0.try_io(interest, call)
    }

    /// Calls `call` whenever the stream is ready, until it does not return `WouldBlock`.
    ///
    /// # Errors
    /// The errors of `call`.
    pub async fn async_io<R>(&self, interest: Interest, call: impl FnMut() -> io::Result<R>) -> io::Result<R> {
        self.0.async_io(interest, call).await
    }

    /// Splits the stream into halves that borrow it.
    pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
        borrowed::split(self)
    }

    /// Splits the stream into halves that share it; dropping the writing half shuts the writing side down.
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        owned::split(self)
    }

    pub(super) fn poll_in(
        &self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        peeks: bool,
        location: &'static Location<'static>,
    ) -> Poll<io::Result<()>> {
        self.0.poll_in(cx, buffer, peeks, location)
    }

    pub(super) fn poll_out(
        &self,
        cx: &mut Context<'_>,
        bytes: &[u8],
        location: &'static Location<'static>,
    ) -> Poll<io::Result<usize>> {
        self.0.poll_out(cx, bytes, location)
    }

    pub(super) fn poll_end(&self, cx: &mut Context<'_>, location: &'static Location<'static>) -> Poll<io::Result<()>> {
        self.0.poll_end(cx, location)
    }

    pub(super) fn end(&self) {
        self.0.end();
    }
}

impl AsyncRead for UnixStream {
    #[track_caller]
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.poll_in(cx, buffer, false, Location::caller())
    }
}

impl AsyncWrite for UnixStream {
    #[track_caller]
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    #[track_caller]
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(cx, buffers)
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

impl AsRef<UnixStream> for UnixStream {
    fn as_ref(&self) -> &UnixStream {
        self
    }
}

impl fmt::Debug for UnixStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tcp::Stream { local, peer, .. } = self.0.stream();
        let [local, peer] = [local, peer].map(SocketAddr::named);
        f.debug_struct("UnixStream").field("local", &local).field("peer", &peer).finish_non_exhaustive()
    }
}

stands_in!(UnixStream, std::os::unix::net::UnixStream, Domain::UNIX, Type::STREAM);

/// The type does not show that a connection leads to other units; `visit_handles` reports it.
impl Isolated for UnixStream {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        self.0.visit_handles(visitor);
    }
}

impl Handle for UnixStream {
    fn duplicate(&self) -> Self {
        UnixStream(self.0.duplicate())
    }
}
