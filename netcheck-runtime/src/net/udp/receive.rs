//! Receiving and peeking at datagrams.

use super::UdpSocket;
use crate::net::buffers::{append, copy};
use crate::net::endpoint::endpoint;
use crate::operation::udp;
use crate::operation::{Operation, Outcome, ReceiveMode};
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use crate::unit::poll::operations::Pending;
use bytes::BufMut;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::panic::Location;
use std::sync::Arc;
use std::task::{Poll, ready};
use tokio::io::ReadBuf;

impl UdpSocket {
    /// Receives a datagram; the part that does not fit the buffer is cut off, as by the OS.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn recv(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> {
        let received = self.receiving(ReceiveMode::Take, Location::caller());
        async move { Ok(copy(&received.await.0, buffer)) }
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
            Ok((copy(&payload, buffer), from))
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

    /// Looks at the next datagram without taking it.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn peek(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> {
        let received = self.receiving(ReceiveMode::Peek, Location::caller());
        async move { Ok(copy(&received.await.0, buffer)) }
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
            Ok((copy(&payload, buffer), from))
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
            let receive = Operation::Udp(udp::Operation::Receive { socket, port, mode: ReceiveMode::Ready });
            Pending::new(receive, location).await;
            Ok(())
        }
    }

    /// Receives a datagram if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if no datagram has arrived yet.
    #[track_caller]
    pub fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.try_receive(ReceiveMode::Take, Location::caller()).map(|(payload, _)| copy(&payload, buffer))
    }

    /// Receives a datagram and the sender's address if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if no datagram has arrived yet.
    #[track_caller]
    pub fn try_recv_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let received = self.try_receive(ReceiveMode::Take, Location::caller());
        received.map(|(payload, from)| (copy(&payload, buffer), from))
    }

    /// As `try_recv`, into a growing buffer.
    ///
    /// # Errors
    /// `WouldBlock` if no datagram has arrived yet.
    #[track_caller]
    pub fn try_recv_buf<B: BufMut>(&self, buffer: &mut B) -> io::Result<usize> {
        Ok(self.try_recv_buf_from(buffer)?.0)
    }

    /// As `try_recv_from`, into a growing buffer.
    ///
    /// # Errors
    /// `WouldBlock` if no datagram has arrived yet.
    #[track_caller]
    pub fn try_recv_buf_from<B: BufMut>(&self, buffer: &mut B) -> io::Result<(usize, SocketAddr)> {
        let (payload, from) = self.try_receive(ReceiveMode::Take, Location::caller())?;
        Ok((append(&payload, buffer), from))
    }

    /// Looks at a datagram if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if no datagram has arrived yet.
    #[track_caller]
    pub fn try_peek(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.try_receive(ReceiveMode::Peek, Location::caller()).map(|(payload, _)| copy(&payload, buffer))
    }

    /// Looks at a datagram and its sender if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if no datagram has arrived yet.
    #[track_caller]
    pub fn try_peek_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let received = self.try_receive(ReceiveMode::Peek, Location::caller());
        received.map(|(payload, from)| (copy(&payload, buffer), from))
    }

    /// The sender of the next datagram, if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if no datagram has arrived yet.
    #[track_caller]
    pub fn try_peek_sender(&self) -> io::Result<SocketAddr> {
        Ok(self.try_receive(ReceiveMode::Peek, Location::caller())?.1)
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
        let receive = Operation::Udp(udp::Operation::Receive { socket, port, mode: ReceiveMode::Take });
        let (_, outcome) = ready!(context.poll_on((socket, Way::In), cx.waker(), receive, location));
        let (payload, from) = datagram(outcome);
        let fits = payload.len().min(buffer.remaining());
        buffer.put_slice(&payload[..fits]);
        Poll::Ready(Ok(from))
    }

    fn receiving(
        &self,
        mode: ReceiveMode,
        location: &'static Location<'static>,
    ) -> impl Future<Output = (Arc<[u8]>, SocketAddr)> + use<> {
        let socket = self.id;
        async move {
            let port = endpoint(socket).local.port();
            datagram(Pending::new(Operation::Udp(udp::Operation::Receive { socket, port, mode }), location).await)
        }
    }

    fn try_receive(
        &self,
        mode: ReceiveMode,
        location: &'static Location<'static>,
    ) -> io::Result<(Arc<[u8]>, SocketAddr)> {
        let context = context::current();
        let port = endpoint(self.id).local.port();
        match context.ask(Operation::Udp(udp::Operation::TryReceive { socket: self.id, port, mode }), location) {
            Outcome::WouldBlock => Err(io::ErrorKind::WouldBlock.into()),
            outcome => Ok(datagram(outcome)),
        }
    }
}

fn datagram(outcome: Outcome) -> (Arc<[u8]>, SocketAddr) {
    match outcome {
        Outcome::Datagram { from, payload } => (payload, from),
        other => unreachable!("a receive ends with a datagram, not {other:?}"),
    }
}
