//! `UdpSocket`, shaped like tokio's. See the papers/udp-net-iocache.txt section 3 for what
//! the network may do with its datagrams.

use super::address::{Resolve, ToSocketAddrs, reachable};
use super::endpoint::{Endpoint, endpoint, set_endpoint};
use super::os;
use crate::id::SocketId;
use crate::isolated::{HandleId, Isolated};
use crate::operation::{Operation, Outcome, ReceiveMode};
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use crate::unit::poll::operations::Pending;
use bytes::BufMut;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::io;
use std::net::SocketAddr;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Poll, ready};
use tokio::io::ReadBuf;

/// The largest datagram that UDP over IPv4 carries, in bytes.
const DATAGRAM_BYTES_MAX: usize = 65_507;

/// A UDP socket, as `tokio::net::UdpSocket`.
///
/// Every send, receive, bind and connect is an operation that the check schedules; which
/// datagram arrives next, and which are lost, is chosen when the receiver receives.
///
/// An `Arc<UdpSocket>` can be handed to an isolated task (`#[netcheck::process]`): connect it
/// before. It is then closed when the last of the units that share it has ended.
pub struct UdpSocket {
    id: SocketId,
    options: Options,
}

impl Hash for UdpSocket {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, &self.options).hash(state);
    }
}

/// What can be set of a socket. Only `broadcast` shows in the model.
struct Options {
    broadcast: AtomicBool,
    hops_max: AtomicU32,
    multicast_loop: AtomicBool,
    multicast_hops_max: AtomicU32,
    service: AtomicU32,
}

impl Options {
    /// As Linux has them.
    fn new() -> Self {
        Options {
            broadcast: AtomicBool::new(false),
            hops_max: AtomicU32::new(64),
            multicast_loop: AtomicBool::new(true),
            multicast_hops_max: AtomicU32::new(1),
            service: AtomicU32::new(0),
        }
    }
}

impl Hash for Options {
    fn hash<H: Hasher>(&self, state: &mut H) {
        [&self.broadcast, &self.multicast_loop].map(|switch| switch.load(Ordering::Relaxed)).hash(state);
        let numbers = [&self.hops_max, &self.multicast_hops_max, &self.service];
        numbers.map(|number| number.load(Ordering::Relaxed)).hash(state);
    }
}

impl UdpSocket {
    /// Binds a socket. Port 0 gives an ephemeral port.
    ///
    /// # Errors
    /// `AddrInUse` if another socket of the process has the port, `AddrNotAvailable` if
    /// the address is not one of the process.
    #[track_caller]
    pub fn bind<A: ToSocketAddrs>(address: A) -> impl Future<Output = io::Result<UdpSocket>> {
        let location = Location::caller();
        async move {
            let mut last = io::Error::new(io::ErrorKind::InvalidInput, "could not resolve to any address");
            for address in address.resolve()? {
                // Dropped, it withdraws the bind and gives its number back.
                let socket = UdpSocket { id: context::current().new_socket(), options: Options::new() };
                let bind = Operation::Bind { socket: socket.id, address };
                match Pending::new(bind, location).await {
                    Outcome::Bound(local) => {
                        set_endpoint(socket.id, Endpoint { local, peer: None, side: None });
                        return Ok(socket);
                    }
                    outcome => last = failed(&outcome),
                }
            }
            Err(last)
        }
    }

    /// Sets the peer: only its datagrams are received, and `send` goes to it.
    ///
    /// # Errors
    /// If the address can't be resolved.
    #[track_caller]
    pub fn connect<A: ToSocketAddrs>(&self, address: A) -> impl Future<Output = io::Result<()>> {
        let (location, socket) = (Location::caller(), self.id);
        async move {
            let peer = first(&address)?;
            let local = endpoint(socket).local;
            let peer = reachable(local, peer)?;
            match Pending::new(Operation::Connect { socket, local, peer }, location).await {
                Outcome::Bound(local) => {
                    set_endpoint(socket, Endpoint { local, peer: Some(peer), side: None });
                    Ok(())
                }
                outcome => Err(failed(&outcome)),
            }
        }
    }

    /// The address that the socket is bound to.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(endpoint(self.id).local)
    }

    /// The peer set by `connect`.
    ///
    /// # Errors
    /// `NotConnected` without one.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        let peer = endpoint(self.id).peer;
        peer.ok_or_else(|| io::Error::from_raw_os_error(os::NOT_CONNECTED))
    }

    /// Sends a datagram to the peer.
    ///
    /// # Errors
    /// Without a peer, or if the datagram is longer than 65,507 bytes.
    #[track_caller]
    pub fn send(&self, datagram: &[u8]) -> impl Future<Output = io::Result<usize>> {
        let operation = self.peer().and_then(|to| self.sending(datagram, to));
        sent(operation, datagram.len(), Location::caller())
    }

    /// Sends a datagram. If nothing is bound at the destination, it is dropped.
    ///
    /// # Errors
    /// If the address can't be resolved or the datagram is longer than 65,507 bytes.
    #[track_caller]
    pub fn send_to<A: ToSocketAddrs>(&self, datagram: &[u8], target: A) -> impl Future<Output = io::Result<usize>> {
        let operation = first(&target).and_then(|to| self.sending(datagram, to));
        sent(operation, datagram.len(), Location::caller())
    }

    /// Receives a datagram; what does not fit the buffer is cut off, as the OS does.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn recv(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> {
        let received = self.receiving(ReceiveMode::Take, Location::caller());
        async move { Ok(copy(received.await.0, buffer)) }
    }

    /// Receives a datagram and the sender's address.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn recv_from(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<(usize, SocketAddr)>> {
        let received = self.receiving(ReceiveMode::Take, Location::caller());
        async move {
            let (payload, from) = received.await;
            Ok((copy(payload, buffer), from))
        }
    }

    /// As `recv`, into a growing buffer.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn recv_buf<B: BufMut>(&self, buffer: &mut B) -> impl Future<Output = io::Result<usize>> {
        let received = self.recv_buf_from(buffer);
        async move { Ok(received.await?.0) }
    }

    /// As `recv_from`, into a growing buffer.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn recv_buf_from<B: BufMut>(&self, buffer: &mut B) -> impl Future<Output = io::Result<(usize, SocketAddr)>> {
        let received = self.receiving(ReceiveMode::Take, Location::caller());
        async move {
            let (payload, from) = received.await;
            Ok((append(&payload, buffer), from))
        }
    }

    /// Whether datagrams may be sent to the broadcast address. (Nobody receives them: the
    /// check's hosts share no link.)
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn broadcast(&self) -> io::Result<bool> {
        Ok(self.options.broadcast.load(Ordering::Relaxed))
    }

    /// Sets whether datagrams may be sent to the broadcast address.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_broadcast(&self, on: bool) -> io::Result<()> {
        self.options.broadcast.store(on, Ordering::Relaxed);
        Ok(())
    }

    /// Hops that a packet may take.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn ttl(&self) -> io::Result<u32> {
        Ok(self.options.hops_max.load(Ordering::Relaxed))
    }

    /// Remembered, without an effect: there are no hops in a check.
    ///
    /// # Errors
    /// `InvalidInput` if it is not 1 to 255.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        if !(1..=255).contains(&ttl) {
            return Err(io::Error::from_raw_os_error(os::INVALID));
        }
        self.options.hops_max.store(ttl, Ordering::Relaxed);
        Ok(())
    }

    /// Whether packets to a group of hosts come back.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn multicast_loop_v4(&self) -> io::Result<bool> {
        Ok(self.options.multicast_loop.load(Ordering::Relaxed))
    }

    /// Remembered, without an effect: groups of hosts are not modelled.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_multicast_loop_v4(&self, on: bool) -> io::Result<()> {
        self.options.multicast_loop.store(on, Ordering::Relaxed);
        Ok(())
    }

    /// Hops that a packet to a group of hosts may take.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn multicast_ttl_v4(&self) -> io::Result<u32> {
        Ok(self.options.multicast_hops_max.load(Ordering::Relaxed))
    }

    /// Remembered, without an effect: groups of hosts are not modelled.
    ///
    /// # Errors
    /// `InvalidInput` if it is not 0 to 255.
    pub fn set_multicast_ttl_v4(&self, ttl: u32) -> io::Result<()> {
        if !(0..=255).contains(&ttl) {
            return Err(io::Error::from_raw_os_error(os::INVALID));
        }
        self.options.multicast_hops_max.store(ttl, Ordering::Relaxed);
        Ok(())
    }

    /// The type of service that was set.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn tos_v4(&self) -> io::Result<u32> {
        Ok(self.options.service.load(Ordering::Relaxed))
    }

    /// Remembered, without an effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_tos_v4(&self, tos: u32) -> io::Result<()> {
        // The system keeps one byte of it.
        self.options.service.store(tos & 0xff, Ordering::Relaxed);
        Ok(())
    }

    /// The older name of [`tos_v4`](Self::tos_v4).
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn tos(&self) -> io::Result<u32> {
        self.tos_v4()
    }

    /// The older name of [`set_tos_v4`](Self::set_tos_v4).
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_tos(&self, tos: u32) -> io::Result<()> {
        self.set_tos_v4(tos)
    }

    /// Always `None`: errors are reported by the calls that meet them.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        Ok(None)
    }

    /// Looks at a datagram if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if none is there yet.
    #[track_caller]
    pub fn try_peek(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.try_receive(ReceiveMode::Peek, Location::caller()).map(|(payload, _)| copy(payload, buffer))
    }

    /// Looks at the next datagram without taking it.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn peek(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> {
        let received = self.receiving(ReceiveMode::Peek, Location::caller());
        async move { Ok(copy(received.await.0, buffer)) }
    }

    /// Looks at the next datagram and its sender's address without taking it.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn peek_from(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<(usize, SocketAddr)>> {
        let received = self.receiving(ReceiveMode::Peek, Location::caller());
        async move {
            let (payload, from) = received.await;
            Ok((copy(payload, buffer), from))
        }
    }

    /// The sender of the next datagram.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn peek_sender(&self) -> impl Future<Output = io::Result<SocketAddr>> {
        let received = self.receiving(ReceiveMode::Peek, Location::caller());
        async move { Ok(received.await.1) }
    }

    /// Waits until there is a datagram to receive.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn readable(&self) -> impl Future<Output = io::Result<()>> {
        let (location, socket) = (Location::caller(), self.id);
        async move {
            let port = endpoint(socket).local.port();
            let receive = Operation::Receive { socket, port, mode: ReceiveMode::Ready };
            Pending::new(receive, location).await;
            Ok(())
        }
    }

    /// A UDP socket can always be written to.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    pub fn writable(&self) -> impl Future<Output = io::Result<()>> {
        std::future::ready(Ok(()))
    }

    /// Receives a datagram if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if none is there yet.
    #[track_caller]
    pub fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.try_receive(ReceiveMode::Take, Location::caller()).map(|(payload, _)| copy(payload, buffer))
    }

    /// Receives a datagram and the sender's address if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if none is there yet.
    #[track_caller]
    pub fn try_recv_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let received = self.try_receive(ReceiveMode::Take, Location::caller());
        received.map(|(payload, from)| (copy(payload, buffer), from))
    }

    /// Looks at a datagram and its sender if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if none is there yet.
    #[track_caller]
    pub fn try_peek_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let received = self.try_receive(ReceiveMode::Peek, Location::caller());
        received.map(|(payload, from)| (copy(payload, buffer), from))
    }

    /// As `try_recv`, into a growing buffer.
    ///
    /// # Errors
    /// `WouldBlock` if none is there yet.
    #[track_caller]
    pub fn try_recv_buf<B: BufMut>(&self, buffer: &mut B) -> io::Result<usize> {
        Ok(self.try_recv_buf_from(buffer)?.0)
    }

    /// As `try_recv_from`, into a growing buffer.
    ///
    /// # Errors
    /// `WouldBlock` if none is there yet.
    #[track_caller]
    pub fn try_recv_buf_from<B: BufMut>(&self, buffer: &mut B) -> io::Result<(usize, SocketAddr)> {
        let (payload, from) = self.try_receive(ReceiveMode::Take, Location::caller())?;
        Ok((append(&payload, buffer), from))
    }

    /// Who has sent the next datagram, if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if none is there yet.
    #[track_caller]
    pub fn try_peek_sender(&self) -> io::Result<SocketAddr> {
        Ok(self.try_receive(ReceiveMode::Peek, Location::caller())?.1)
    }

    /// Sends a datagram to the peer without waiting.
    ///
    /// # Errors
    /// As `send`.
    #[track_caller]
    pub fn try_send(&self, datagram: &[u8]) -> io::Result<usize> {
        let operation = self.peer().and_then(|to| self.sending(datagram, to))?;
        Ok(try_sent(operation, datagram.len(), Location::caller()))
    }

    /// Sends a datagram without waiting.
    ///
    /// # Errors
    /// As `send_to`.
    #[track_caller]
    pub fn try_send_to(&self, datagram: &[u8], target: SocketAddr) -> io::Result<usize> {
        let operation = self.sending(datagram, target)?;
        Ok(try_sent(operation, datagram.len(), Location::caller()))
    }

    /// Polls for a datagram.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_recv(&self, cx: &mut std::task::Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.poll_recv_from(cx, buffer).map_ok(|_| ())
    }

    /// Polls for a datagram and its sender's address.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_recv_from(
        &self,
        cx: &mut std::task::Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<SocketAddr>> {
        let (location, socket) = (Location::caller(), self.id);
        let context = context::current();
        let port = endpoint(socket).local.port();
        let receive = Operation::Receive { socket, port, mode: ReceiveMode::Take };
        let (_, outcome) = ready!(context.poll_on((socket, Way::In), cx.waker(), receive, location));
        let (payload, from) = datagram(outcome);
        let fits = payload.len().min(buffer.remaining());
        buffer.put_slice(&payload[..fits]);
        Poll::Ready(Ok(from))
    }

    /// A UDP socket can always be written to.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    pub fn poll_send_ready(&self, _cx: &mut std::task::Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Sends a datagram to the peer from a `poll_` function.
    ///
    /// # Errors
    /// As `send`.
    #[track_caller]
    pub fn poll_send(&self, _cx: &mut std::task::Context<'_>, datagram: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.try_send(datagram))
    }

    /// Sends a datagram from a `poll_` function.
    ///
    /// # Errors
    /// As `send_to`.
    #[track_caller]
    pub fn poll_send_to(
        &self,
        _cx: &mut std::task::Context<'_>,
        datagram: &[u8],
        target: SocketAddr,
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(self.try_send_to(datagram, target))
    }

    fn peer(&self) -> io::Result<SocketAddr> {
        let peer = endpoint(self.id).peer;
        peer.ok_or_else(|| io::Error::from_raw_os_error(os::DESTINATION_REQUIRED))
    }

    /// The operation that sends a datagram.
    fn sending(&self, datagram: &[u8], to: SocketAddr) -> io::Result<Operation> {
        if datagram.len() > DATAGRAM_BYTES_MAX {
            return Err(io::Error::from_raw_os_error(os::MESSAGE_TOO_LONG));
        }
        let context = context::current();
        let local = endpoint(self.id).local;
        let to = reachable(local, to)?;
        if to.port() == 0 {
            return Err(io::Error::from_raw_os_error(os::INVALID));
        }
        if to.ip() == std::net::Ipv4Addr::BROADCAST && !self.options.broadcast.load(Ordering::Relaxed) {
            return Err(io::Error::from_raw_os_error(os::ACCESS));
        }
        let from = SocketAddr::new(context.host().source(local.ip(), to.ip()), local.port());
        Ok(Operation::Send { socket: self.id, from, to, payload: Arc::from(datagram) })
    }

    fn receiving(
        &self,
        mode: ReceiveMode,
        location: &'static Location<'static>,
    ) -> impl Future<Output = (Arc<[u8]>, SocketAddr)> + use<> {
        let socket = self.id;
        async move {
            let port = endpoint(socket).local.port();
            datagram(Pending::new(Operation::Receive { socket, port, mode }, location).await)
        }
    }

    fn try_receive(
        &self,
        mode: ReceiveMode,
        location: &'static Location<'static>,
    ) -> io::Result<(Arc<[u8]>, SocketAddr)> {
        let context = context::current();
        let port = endpoint(self.id).local.port();
        match context.ask(Operation::TryReceive { socket: self.id, port, mode }, location) {
            Outcome::WouldBlock => Err(io::ErrorKind::WouldBlock.into()),
            outcome => Ok(datagram(outcome)),
        }
    }
}

impl fmt::Debug for UdpSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UdpSocket").finish_non_exhaustive()
    }
}

impl Drop for UdpSocket {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            context.close_socket(self.id);
        }
    }
}

/// The type system can't see that a socket is shared between units; the handle says it.
impl Isolated for UdpSocket {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        visitor(HandleId(self.id));
    }
}

fn first<A: Resolve>(address: &A) -> io::Result<SocketAddr> {
    let resolved = address.resolve()?;
    let none = || io::Error::new(io::ErrorKind::InvalidInput, "no addresses to send data to");
    resolved.first().copied().ok_or_else(none)
}

async fn sent(
    operation: io::Result<Operation>,
    length: usize,
    location: &'static Location<'static>,
) -> io::Result<usize> {
    Pending::new(operation?, location).await;
    Ok(length)
}

fn try_sent(operation: Operation, length: usize, location: &'static Location<'static>) -> usize {
    context::current().ask(operation, location);
    length
}

fn datagram(outcome: Outcome) -> (Arc<[u8]>, SocketAddr) {
    match outcome {
        Outcome::Datagram { from, payload } => (payload, from),
        other => unreachable!("a receive ends with a datagram, not {other:?}"),
    }
}

fn copy(payload: Arc<[u8]>, buffer: &mut [u8]) -> usize {
    let fits = payload.len().min(buffer.len());
    buffer[..fits].copy_from_slice(&payload[..fits]);
    fits
}

/// As much as fits without growing, as tokio reads it.
fn append(payload: &[u8], buffer: &mut impl BufMut) -> usize {
    let fits = payload.len().min(buffer.chunk_mut().len());
    buffer.put_slice(&payload[..fits]);
    fits
}

fn failed(outcome: &Outcome) -> io::Error {
    match outcome {
        Outcome::Failed(failure) => os::error(*failure),
        other => unreachable!("a bind or connect does not end with {other:?}"),
    }
}
