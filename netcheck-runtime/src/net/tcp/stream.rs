//! `TcpStream`, shaped like tokio's.

use super::readiness::{Interest, Ready};
use super::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf, borrowed, owned};
use crate::id::SocketId;
use crate::isolated::{Handle, HandleId, Isolated};
use crate::net::address::{ToSocketAddrs, reachable};
use crate::net::endpoint::{Endpoint, keep_surplus, set_endpoint, take_surplus};
use crate::net::os;
use crate::operation::{Effect, Operation, Outcome, Side, Stream};
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use crate::unit::poll::operations::Pending;
use bytes::BufMut;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A TCP connection, as `tokio::net::TcpStream`.
///
/// Every connect, read, write and shutdown is an operation that the check schedules and, if
/// that is declared, lets fail. Bytes that were written can be read from the next step on.
/// Dropping it closes its end: the peer sees the end of the stream, or a reset if there were
/// bytes left to read (as Linux does).
///
/// By value, it can be handed to an isolated task (`#[netcheck::process]`).
pub struct TcpStream {
    id: SocketId,
    stream: Stream,
    /// Another unit has it now.
    is_handed_over: AtomicBool,
    options: Options,
}

impl Hash for TcpStream {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, self.stream, self.is_handed_over.load(Ordering::Relaxed), &self.options).hash(state);
    }
}

/// What `setsockopt` sets. None but a linger of zero shows in the model.
pub(super) struct Options {
    nodelay: AtomicBool,
    linger: Mutex<Option<Duration>>,
    hops_max: AtomicU32,
    quick_ack: AtomicBool,
    service: AtomicU32,
}

impl Hash for Options {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.nodelay(), self.linger(), self.hops_max(), self.quick_ack(), self.service()).hash(state);
    }
}

impl Clone for Options {
    fn clone(&self) -> Self {
        let options = Options::new();
        options.set_nodelay(self.nodelay());
        options.set_linger(self.linger());
        options
    }
}

impl Options {
    pub(super) fn new() -> Self {
        Options {
            nodelay: AtomicBool::new(false),
            linger: Mutex::new(None),
            // What Linux sends with: net.ipv4.ip_default_ttl.
            hops_max: AtomicU32::new(64),
            quick_ack: AtomicBool::new(true),
            service: AtomicU32::new(0),
        }
    }

    pub(super) fn quick_ack(&self) -> bool {
        self.quick_ack.load(Ordering::Relaxed)
    }

    pub(super) fn set_quick_ack(&self, on: bool) {
        self.quick_ack.store(on, Ordering::Relaxed);
    }

    pub(super) fn service(&self) -> u32 {
        self.service.load(Ordering::Relaxed)
    }

    pub(super) fn set_service(&self, service: u32) {
        self.service.store(service, Ordering::Relaxed);
    }

    pub(super) fn hops_max(&self) -> u32 {
        self.hops_max.load(Ordering::Relaxed)
    }

    pub(super) fn set_hops_max(&self, hops: u32) {
        self.hops_max.store(hops, Ordering::Relaxed);
    }

    pub(super) fn nodelay(&self) -> bool {
        self.nodelay.load(Ordering::Relaxed)
    }

    pub(super) fn set_nodelay(&self, on: bool) {
        self.nodelay.store(on, Ordering::Relaxed);
    }

    pub(super) fn linger(&self) -> Option<Duration> {
        *self.linger.lock().expect("nobody panics with an option")
    }

    pub(super) fn set_linger(&self, linger: Option<Duration>) {
        *self.linger.lock().expect("nobody panics with an option") = linger;
    }
}

/// A socket that connects; dropped before it has, it gives up.
pub(super) struct Opening {
    id: SocketId,
    local: Option<SocketAddr>,
    /// Where to, while there is no answer.
    unanswered: Option<SocketAddr>,
    is_done: bool,
}

impl Opening {
    /// A socket, and the address that it is bound to.
    pub(super) fn of(id: SocketId, local: Option<SocketAddr>) -> Self {
        Opening { id, local, unanswered: None, is_done: false }
    }

    pub(super) async fn connect(
        mut self,
        peer: SocketAddr,
        options: Options,
        location: &'static Location<'static>,
    ) -> io::Result<TcpStream> {
        let peer = reachable(self.local.unwrap_or(peer), peer)?;
        self.unanswered = Some(peer);
        let outcome = Pending::new(Operation::Open { socket: self.id, local: self.local, peer }, location).await;
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
            context.effect(Effect::GiveUp { socket: self.id, local: self.local, peer });
        }
        if let Some(local) = self.local {
            context.effect(Effect::CloseListener { socket: self.id, local });
        }
    }
}

impl TcpStream {
    pub(super) fn new(id: SocketId, stream: Stream, options: Options) -> Self {
        let Stream { local, peer, side } = stream;
        set_endpoint(id, Endpoint { local, peer: Some(peer), side: Some(side) });
        if options.linger() == Some(Duration::ZERO) {
            context::current().effect(Effect::Linger { stream, resets: true });
        }
        TcpStream { id, stream, is_handed_over: AtomicBool::new(false), options }
    }

    /// Connects, to the first of the addresses that lets it.
    ///
    /// # Errors
    /// `ConnectionRefused` if nobody listens there, `HostUnreachable` if no process has the
    /// address, `TimedOut` where `open` may fail. Of several addresses, the last one's error.
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

    /// The error that the next call would be told of; it is told here instead.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    #[track_caller]
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        match context::current().ask(Operation::TakeError { stream: self.stream }, Location::caller()) {
            Outcome::Failed(failure) => Ok(Some(os::error(failure))),
            _ => Ok(None),
        }
    }

    /// Looks at the bytes that the next read gets.
    ///
    /// # Errors
    /// As a read.
    #[track_caller]
    pub fn peek(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> {
        let location = Location::caller();
        async move {
            if buffer.is_empty() {
                return Ok(0);
            }
            let peek = Operation::Read { stream: self.stream, max: buffer.len(), peeks: true, waits: true };
            let bytes = bytes(Pending::new(peek, location).await)?;
            buffer[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        }
    }

    /// Polls for the bytes that the next read gets.
    ///
    /// # Errors
    /// As a read.
    #[track_caller]
    pub fn poll_peek(&self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        let before = buffer.filled().len();
        let peeked = self.poll_in(cx, buffer, true, Location::caller());
        peeked.map_ok(|()| buffer.filled().len() - before)
    }

    /// Waits until the stream is ready for one of the interests.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn ready(&self, interest: Interest) -> impl Future<Output = io::Result<Ready>> + use<> {
        let location = Location::caller();
        let ready = self.readiness(interest, true);
        async move { Ok(readied(Pending::new(ready, location).await)) }
    }

    fn readiness(&self, interest: Interest, waits: bool) -> Operation {
        let (read, write) = (interest.is_readable(), interest.is_writable());
        Operation::Ready { stream: self.stream, read, write, waits }
    }

    /// Waits until a read would not wait.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn readable(&self) -> impl Future<Output = io::Result<()>> {
        let ready = self.ready(Interest::READABLE);
        async move { ready.await.map(|_| ()) }
    }

    /// Waits until a write would not wait.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn writable(&self) -> impl Future<Output = io::Result<()>> {
        let ready = self.ready(Interest::WRITABLE);
        async move { ready.await.map(|_| ()) }
    }

    /// Polls for a read that would not wait.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ready = self.readiness(Interest::READABLE, true);
        self.poll(Way::ReadReady, cx, ready, Location::caller()).map(|_| Ok(()))
    }

    /// Polls for a write that would not wait.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ready = self.readiness(Interest::WRITABLE, true);
        self.poll(Way::WriteReady, cx, ready, Location::caller()).map(|_| Ok(()))
    }

    /// Reads what is there.
    ///
    /// # Errors
    /// `WouldBlock` if nothing is there yet; else as a read.
    #[track_caller]
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.try_in(buffer.len(), Location::caller())?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    /// Reads what is there into several buffers.
    ///
    /// # Errors
    /// As `try_read`.
    #[track_caller]
    pub fn try_read_vectored(&self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let room = buffers.iter().map(|buffer| buffer.len()).sum();
        let bytes = self.try_in(room, Location::caller())?;
        let mut rest = &bytes[..];
        for buffer in buffers {
            let (now, later) = rest.split_at(rest.len().min(buffer.len()));
            buffer[..now.len()].copy_from_slice(now);
            rest = later;
        }
        Ok(bytes.len())
    }

    /// Reads what is there into a growing buffer.
    ///
    /// # Errors
    /// As `try_read`.
    #[track_caller]
    pub fn try_read_buf<B: BufMut>(&self, buffer: &mut B) -> io::Result<usize> {
        let bytes = self.try_in(buffer.chunk_mut().len(), Location::caller())?;
        buffer.put_slice(&bytes);
        Ok(bytes.len())
    }

    fn try_in(&self, max: usize, location: &'static Location<'static>) -> io::Result<Vec<u8>> {
        if max == 0 {
            return Ok(Vec::new());
        }
        let context = context::current();
        if let Some(mut surplus) = take_surplus(self.id) {
            if surplus.len() > max {
                keep_surplus(self.id, &surplus.split_off(max));
            }
            return Ok(surplus);
        }
        let read = Operation::Read { stream: self.stream, max, peeks: false, waits: false };
        Ok(bytes(context.ask(read, location))?.to_vec())
    }

    /// Writes what there is room for.
    ///
    /// # Errors
    /// `WouldBlock` if there is no room; else as a write.
    #[track_caller]
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let write = Operation::Write { stream: self.stream, bytes: bytes.into(), waits: false };
        written(context::current().ask(write, Location::caller()))
    }

    /// Writes what there is room for from several buffers.
    ///
    /// # Errors
    /// As `try_write`.
    #[track_caller]
    pub fn try_write_vectored(&self, buffers: &[IoSlice<'_>]) -> io::Result<usize> {
        self.try_write(&joined(buffers))
    }

    /// Calls `call`, which uses the stream without waiting, if the stream is ready for it.
    ///
    /// # Errors
    /// `WouldBlock` if it is not ready; else those of `call`.
    #[track_caller]
    pub fn try_io<R>(&self, interest: Interest, call: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        let ready = context::current().ask(self.readiness(interest, false), Location::caller());
        if readied(ready).is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        call()
    }

    /// Calls `call` whenever the stream is ready, until it would not block.
    ///
    /// # Errors
    /// Those of `call`.
    pub async fn async_io<R>(&self, interest: Interest, mut call: impl FnMut() -> io::Result<R>) -> io::Result<R> {
        loop {
            self.ready(interest).await?;
            match call() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }

    /// Whether `set_nodelay` was said. (Bytes are never held back in a check.)
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn nodelay(&self) -> io::Result<bool> {
        Ok(self.options.nodelay())
    }

    /// Remembered, without an effect: bytes are never held back in a check.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.options.set_nodelay(nodelay);
        Ok(())
    }

    /// Whether what arrives is acknowledged at once. (Linux may change its mind; a check does not.)
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn quickack(&self) -> io::Result<bool> {
        Ok(self.options.quick_ack())
    }

    /// Remembered, without an effect: nobody sees acknowledgements.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_quickack(&self, quickack: bool) -> io::Result<()> {
        self.options.set_quick_ack(quickack);
        Ok(())
    }

    /// How long a close waits for what was written.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        Ok(self.options.linger())
    }

    /// With zero, dropping the stream resets the connection; else without an effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        let before = self.options.linger() == Some(Duration::ZERO);
        self.options.set_linger(linger);
        let resets = linger == Some(Duration::ZERO);
        if resets != before {
            context::current().effect(Effect::Linger { stream: self.stream, resets });
        }
        Ok(())
    }

    /// From now on dropping the stream resets the connection.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_zero_linger(&self) -> io::Result<()> {
        self.set_linger(Some(Duration::ZERO))
    }

    /// Hops that a packet may take.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn ttl(&self) -> io::Result<u32> {
        Ok(self.options.hops_max())
    }

    /// Remembered, without an effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.options.set_hops_max(ttl);
        Ok(())
    }

    /// Halves that borrow the stream.
    pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
        borrowed::split(self)
    }

    /// Halves that share the stream; dropping the writing one shuts it down.
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        owned::split(self)
    }

    /// Polls one of the stream's operations.
    fn poll(
        &self,
        way: Way,
        cx: &mut Context<'_>,
        operation: Operation,
        location: &'static Location<'static>,
    ) -> Poll<(Operation, Outcome)> {
        context::current().poll_on((self.id, way), cx.waker(), operation, location)
    }

    pub(super) fn poll_in(
        &self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        peeks: bool,
        location: &'static Location<'static>,
    ) -> Poll<io::Result<()>> {
        let max = buffer.remaining();
        if max == 0 {
            // As the OS, tokio waits until there is something to read nothing of.
            let ready = self.readiness(Interest::READABLE, true);
            return self.poll(Way::In, cx, ready, location).map(|_| Ok(()));
        }
        let bytes = match take_surplus(self.id) {
            Some(surplus) => surplus.into(),
            None => {
                let read = Operation::Read { stream: self.stream, max, peeks, waits: true };
                let way = if peeks { Way::Peek } else { Way::In };
                let (_, outcome) = ready!(self.poll(way, cx, read, location));
                bytes(outcome)?
            }
        };
        let (fits, surplus) = bytes.split_at(bytes.len().min(max));
        buffer.put_slice(fits);
        if !surplus.is_empty() && !peeks {
            keep_surplus(self.id, surplus);
        }
        Poll::Ready(Ok(()))
    }

    pub(super) fn poll_out(
        &self,
        cx: &mut Context<'_>,
        bytes: &[u8],
        location: &'static Location<'static>,
    ) -> Poll<io::Result<usize>> {
        let write = Operation::Write { stream: self.stream, bytes: bytes.into(), waits: true };
        let (begun, outcome) = ready!(self.poll(Way::Out, cx, write, location));
        let written = written(outcome);
        if let (Operation::Write { bytes: begun, .. }, Ok(count)) = (begun, &written) {
            let count = *count;
            assert!(
                bytes.get(..count) == Some(&begun[..count]),
                "a write that was under way was polled again with other bytes: \
                 they may have been sent already, and the OS would have taken the first ones"
            );
        }
        Poll::Ready(written)
    }

    pub(super) fn poll_end(&self, cx: &mut Context<'_>, location: &'static Location<'static>) -> Poll<io::Result<()>> {
        let shutdown = Operation::Shutdown { stream: self.stream };
        match ready!(self.poll(Way::Shutdown, cx, shutdown, location)).1 {
            Outcome::Done => Poll::Ready(Ok(())),
            Outcome::Failed(failure) => Poll::Ready(Err(os::error(failure))),
            other => unreachable!("a shutdown does not end with {other:?}"),
        }
    }

    /// Shuts the writing side down without waiting, as dropping the owned half of it does.
    pub(super) fn end(&self) {
        if let Some(context) = context::try_current() {
            context.effect(Effect::EndStream { stream: self.stream });
        }
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
            context.effect(Effect::CloseStream { stream: self.stream });
        }
    }
}

/// The type system can't see that a connection leads to other units; the handle says it.
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

fn readied(outcome: Outcome) -> Ready {
    match outcome {
        Outcome::Ready { read, write } => Ready::of(read, write),
        other => unreachable!("waiting to be ready does not end with {other:?}"),
    }
}

/// What was read.
fn bytes(outcome: Outcome) -> io::Result<std::sync::Arc<[u8]>> {
    match outcome {
        Outcome::Bytes(bytes) => Ok(bytes),
        Outcome::WouldBlock => Err(io::ErrorKind::WouldBlock.into()),
        Outcome::Failed(failure) => Err(os::error(failure)),
        other => unreachable!("a read does not end with {other:?}"),
    }
}

fn written(outcome: Outcome) -> io::Result<usize> {
    match outcome {
        Outcome::Written(count) => Ok(count),
        Outcome::WouldBlock => Err(io::ErrorKind::WouldBlock.into()),
        Outcome::Failed(failure) => Err(os::error(failure)),
        other => unreachable!("a write does not end with {other:?}"),
    }
}

fn joined(buffers: &[IoSlice<'_>]) -> Vec<u8> {
    buffers.iter().flat_map(|buffer| buffer.iter().copied()).collect()
}
