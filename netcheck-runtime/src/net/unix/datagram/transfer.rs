//! Sending and receiving datagrams.

use super::{SocketAddr, UnixDatagram, unnamed};
use crate::net::buffers::{append, copy};
use crate::net::os;
use crate::operation::{Operation, Outcome, mailboxes};
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use crate::unit::poll::operations::Pending;
use bytes::BufMut;
use std::future::Future;
use std::io;
use std::net;
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::ReadBuf;

/// The largest datagram that Linux sends with the default size of a socket's memory, in bytes.
const DATAGRAM_BYTES_MAX: usize = 212_960;

impl UnixDatagram {
    /// Sends a datagram to the peer; waits while the peer is full.
    ///
    /// # Errors
    /// `NotConnected` without a peer, `ConnectionRefused` if the peer is gone, `PermissionDenied` if the peer is connected
    /// to another socket, `BrokenPipe` if one of both was shut down; if the datagram is longer than 212,960 bytes.
    #[track_caller]
    pub fn send(&self, datagram: &[u8]) -> impl Future<Output = io::Result<usize>> {
        sent(self.sending(datagram, Ok(None), true), datagram.len(), Location::caller())
    }

    /// Sends a datagram; waits while the receiver is full.
    ///
    /// # Errors
    /// `NotFound` or `ConnectionRefused` if no such socket of the process has the name; else as [`send`](Self::send).
    #[track_caller]
    pub fn send_to<P: AsRef<Path>>(&self, datagram: &[u8], target: P) -> impl Future<Output = io::Result<usize>> {
        sent(self.sending(datagram, named(target).map(Some), true), datagram.len(), Location::caller())
    }

    /// Sends a datagram to the peer without waiting.
    ///
    /// # Errors
    /// `WouldBlock` if the peer is full; else as [`send`](Self::send).
    #[track_caller]
    pub fn try_send(&self, datagram: &[u8]) -> io::Result<usize> {
        let send = self.sending(datagram, Ok(None), false)?;
        done(&context::current().ask(send, Location::caller()), datagram.len())
    }

    /// Sends a datagram without waiting.
    ///
    /// # Errors
    /// `WouldBlock` if the receiver is full; else as [`send_to`](Self::send_to).
    #[track_caller]
    pub fn try_send_to<P: AsRef<Path>>(&self, datagram: &[u8], target: P) -> io::Result<usize> {
        let send = self.sending(datagram, named(target).map(Some), false)?;
        done(&context::current().ask(send, Location::caller()), datagram.len())
    }

    /// Polls a send to the peer.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    #[track_caller]
    pub fn poll_send(&self, cx: &mut Context<'_>, datagram: &[u8]) -> Poll<io::Result<usize>> {
        let send = self.sending(datagram, Ok(None), true)?;
        let (_, outcome) =
            ready!(context::current().poll_on((self.id, Way::Out), cx.waker(), send, Location::caller()));
        Poll::Ready(done(&outcome, datagram.len()))
    }

    /// Polls a send.
    ///
    /// # Errors
    /// As [`send_to`](Self::send_to).
    #[track_caller]
    pub fn poll_send_to<P: AsRef<Path>>(
        &self,
        cx: &mut Context<'_>,
        datagram: &[u8],
        target: P,
    ) -> Poll<io::Result<usize>> {
        let send = self.sending(datagram, named(target).map(Some), true)?;
        let (_, outcome) =
            ready!(context::current().poll_on((self.id, Way::Out), cx.waker(), send, Location::caller()));
        Poll::Ready(done(&outcome, datagram.len()))
    }

    /// Receives a datagram; the part that does not fit the buffer is cut off, as by the OS.
    ///
    /// # Errors
    /// `ConnectionReset` if the peer has taken another peer, and has not received all that was sent to it.
    #[track_caller]
    pub fn recv(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> {
        let received = self.receiving(Location::caller());
        async move { Ok(copy(&received.await?.0, buffer)) }
    }

    /// Receives a datagram and the sender's name.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    #[track_caller]
    pub fn recv_from(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<(usize, SocketAddr)>> {
        let received = self.receiving(Location::caller());
        async move {
            let (payload, from) = received.await?;
            Ok((copy(&payload, buffer), SocketAddr::named(from)))
        }
    }

    /// As `recv`, into a growing buffer.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    #[track_caller]
    pub fn recv_buf<B: BufMut>(&self, buffer: &mut B) -> impl Future<Output = io::Result<usize>> {
        let received = self.receiving(Location::caller());
        async move { Ok(append(&received.await?.0, buffer)) }
    }

    /// As `recv_from`, into a growing buffer.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    #[track_caller]
    pub fn recv_buf_from<B: BufMut>(&self, buffer: &mut B) -> impl Future<Output = io::Result<(usize, SocketAddr)>> {
        let received = self.receiving(Location::caller());
        async move {
            let (payload, from) = received.await?;
            Ok((append(&payload, buffer), SocketAddr::named(from)))
        }
    }

    /// Receives a datagram if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if there is none; else as [`recv`](Self::recv).
    #[track_caller]
    pub fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(copy(&self.try_receive(Location::caller())?.0, buffer))
    }

    /// Receives a datagram and the sender's name if there is one.
    ///
    /// # Errors
    /// `WouldBlock` if there is none; else as [`recv`](Self::recv).
    #[track_caller]
    pub fn try_recv_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let (payload, from) = self.try_receive(Location::caller())?;
        Ok((copy(&payload, buffer), SocketAddr::named(from)))
    }

    /// As `try_recv`, into a growing buffer.
    ///
    /// # Errors
    /// `WouldBlock` if there is none; else as [`recv`](Self::recv).
    #[track_caller]
    pub fn try_recv_buf<B: BufMut>(&self, buffer: &mut B) -> io::Result<usize> {
        Ok(append(&self.try_receive(Location::caller())?.0, buffer))
    }

    /// As `try_recv_from`, into a growing buffer.
    ///
    /// # Errors
    /// `WouldBlock` if there is none; else as [`recv`](Self::recv).
    #[track_caller]
    pub fn try_recv_buf_from<B: BufMut>(&self, buffer: &mut B) -> io::Result<(usize, SocketAddr)> {
        let (payload, from) = self.try_receive(Location::caller())?;
        Ok((append(&payload, buffer), SocketAddr::named(from)))
    }

    /// Polls for a datagram.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    #[track_caller]
    pub fn poll_recv(&self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.poll_recv_from(cx, buffer).map_ok(drop)
    }

    /// Polls for a datagram and the sender's name.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    #[track_caller]
    pub fn poll_recv_from(&self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<SocketAddr>> {
        let receive = Operation::Mailboxes(mailboxes::Operation::Receive { socket: self.id, waits: true });
        let (_, outcome) =
            ready!(context::current().poll_on((self.id, Way::In), cx.waker(), receive, Location::caller()));
        let (payload, from) = received(outcome)?;
        let fits = payload.len().min(buffer.remaining());
        buffer.put_slice(&payload[..fits]);
        Poll::Ready(Ok(SocketAddr::named(from)))
    }

    /// The operation that sends a datagram.
    fn sending(&self, datagram: &[u8], to: io::Result<Option<net::SocketAddr>>, waits: bool) -> io::Result<Operation> {
        let to = to?;
        if datagram.len() > DATAGRAM_BYTES_MAX {
            return Err(io::Error::from_raw_os_error(os::MESSAGE_TOO_LONG));
        }
        let (socket, from) = (self.id, self.name.unwrap_or(unnamed()));
        Ok(Operation::Mailboxes(mailboxes::Operation::Send { socket, from, to, payload: Arc::from(datagram), waits }))
    }

    fn receiving(
        &self,
        location: &'static Location<'static>,
    ) -> impl Future<Output = io::Result<(Arc<[u8]>, net::SocketAddr)>> + use<> {
        let receive = Operation::Mailboxes(mailboxes::Operation::Receive { socket: self.id, waits: true });
        async move { received(Pending::new(receive, location).await) }
    }

    fn try_receive(&self, location: &'static Location<'static>) -> io::Result<(Arc<[u8]>, net::SocketAddr)> {
        let receive = Operation::Mailboxes(mailboxes::Operation::Receive { socket: self.id, waits: false });
        received(context::current().ask(receive, location))
    }
}

/// The address that stands for a path: tokio's sockets for datagrams are told no abstract names.
fn named<P: AsRef<Path>>(target: P) -> io::Result<net::SocketAddr> {
    SocketAddr::of_path(target.as_ref())?.of_name()
}

async fn sent(
    operation: io::Result<Operation>,
    length: usize,
    location: &'static Location<'static>,
) -> io::Result<usize> {
    let outcome = Pending::new(operation?, location).await;
    done(&outcome, length)
}

/// The result of a send.
fn done(outcome: &Outcome, length: usize) -> io::Result<usize> {
    match outcome {
        Outcome::Done => Ok(length),
        Outcome::WouldBlock => Err(io::ErrorKind::WouldBlock.into()),
        Outcome::Failed(failure) => Err(os::error(*failure)),
        other => unreachable!("a send does not end with {other:?}"),
    }
}

/// A datagram and the address of its sender.
fn received(outcome: Outcome) -> io::Result<(Arc<[u8]>, net::SocketAddr)> {
    match outcome {
        Outcome::Datagram { from, payload } => Ok((payload, from)),
        Outcome::WouldBlock => Err(io::ErrorKind::WouldBlock.into()),
        Outcome::Failed(failure) => Err(os::error(failure)),
        other => unreachable!("a receive does not end with {other:?}"),
    }
}
