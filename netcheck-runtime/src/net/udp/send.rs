//! Sending datagrams.

use super::groups::interface_of;
use super::{UdpSocket, first};
use crate::net::address::{ToSocketAddrs, reachable};
use crate::net::endpoint::endpoint;
use crate::net::os;
use crate::operation::Operation;
use crate::operation::group::{Interface, Reach, sends_from};
use crate::operation::udp;
use crate::unit::poll::context;
use crate::unit::poll::operations::Pending;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::panic::Location;
use std::sync::Arc;
use std::task::Poll;

/// The largest datagram that UDP over IPv4 carries, in bytes.
const DATAGRAM_BYTES_MAX: usize = 65_507;

impl UdpSocket {
    /// Sends a datagram to the peer.
    ///
    /// # Errors
    /// Without a peer, or if the datagram is longer than 65,507 bytes.
    #[track_caller]
    pub fn send(&self, datagram: &[u8]) -> impl Future<Output = io::Result<usize>> {
        let operation = self.peer().and_then(|to| self.sending(datagram, to));
        sent(operation, datagram.len(), Location::caller())
    }

    /// Sends a datagram. It is dropped if no socket is bound at the destination.
    ///
    /// # Errors
    /// If the address can't be resolved or the datagram is longer than 65,507 bytes.
    #[track_caller]
    pub fn send_to<A: ToSocketAddrs>(&self, datagram: &[u8], target: A) -> impl Future<Output = io::Result<usize>> {
        let operation = first(&target).and_then(|to| self.sending(datagram, to));
        sent(operation, datagram.len(), Location::caller())
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

    /// A UDP socket can always be written to.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    pub fn writable(&self) -> impl Future<Output = io::Result<()>> {
        std::future::ready(Ok(()))
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
        if to.ip() == Ipv4Addr::BROADCAST && !self.options.broadcast.get() {
            return Err(io::Error::from_raw_os_error(os::ACCESS));
        }
        let own = sends_from(local.ip());
        let reached = context.host().addresses.source(own, to.ip());
        let (source, reach) = if to.ip().is_multicast() { self.to_group((own, reached), to) } else { (reached, None) };
        let from = SocketAddr::new(source, local.port());
        Ok(Operation::Udp(udp::Operation::Send { socket: self.id, from, to, payload: Arc::from(datagram), reach }))
    }

    /// The address from which a datagram is sent to a group, and the hosts to which. The address of the socket's own host on
    /// the network is `reached`.
    fn to_group(&self, (own, reached): (IpAddr, IpAddr), to: SocketAddr) -> (IpAddr, Option<Reach>) {
        let [v4, v6] = self.options.multicast_loops.get();
        let (named, comes_back, hops_max) = match to {
            SocketAddr::V4(_) => (0, v4, self.options.multicast_hops_max.get()),
            // tokio has no option for the hops.
            SocketAddr::V6(to) => (to.scope_id(), v6, 1),
        };
        let interface = interface_of(own, named);
        let source = match (own.is_unspecified(), interface) {
            (true, Interface::Loopback) => Ipv6Addr::LOCALHOST.into(),
            _ => reached,
        };
        (source, Some(Reach::of(interface, comes_back, hops_max)))
    }
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
