//! `UdpSocket`, shaped like tokio's: its addresses and its peer. Section 3 of the paper on net-iocache describes the
//! possible perturbations of datagrams.
//!
//! - `options`: options of sockets; `groups`: multicast groups;
//! - `send`, `receive`: datagrams.

mod groups;
mod options;
mod receive;
mod send;

use crate::id::SocketId;
use crate::isolated::{HandleId, Isolated};
use crate::net::address::{Resolve, ToSocketAddrs, reachable};
use crate::net::endpoint::{Endpoint, endpoint, set_endpoint};
use crate::net::os;
#[cfg(unix)]
use crate::net::stand_in::stands_in;
use crate::operation::udp;
use crate::operation::{Operation, Outcome};
#[cfg(unix)]
use crate::unit::poll::bound::{Bound, Sort};
use crate::unit::poll::context;
use crate::unit::poll::operations::Pending;
use options::Options;
#[cfg(unix)]
use socket2::{Domain, Type};
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::io;
use std::net::SocketAddr;
use std::panic::Location;

/// A UDP socket, as `tokio::net::UdpSocket`.
///
/// Every send, receive, bind and connect is an operation that the check schedules. The receive chooses the datagram
/// that arrives next, and the datagrams that are lost.
///
/// An `Arc<UdpSocket>` can be handed to an isolated task (`#[netcheck::process]`) after `connect`. The socket is then
/// closed when the last of the units that share it has ended.
pub struct UdpSocket {
    id: SocketId,
    options: Options,
}

#[cfg(unix)]
stands_in!(UdpSocket, std::net::UdpSocket, Domain::IPV4, Type::DGRAM, UdpSocket::of_bound);

impl Hash for UdpSocket {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, &self.options).hash(state);
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
                // Dropping it withdraws the bind and frees the number.
                let socket = UdpSocket { id: context::current().new_socket(), options: Options::new() };
                let bind = Operation::Udp(udp::Operation::Bind { socket: socket.id, address });
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

    /// The socket that a program has bound by std, with the options that it has set of it.
    #[cfg(unix)]
    fn of_bound(bound: Bound, stand_in: &std::net::UdpSocket) -> Option<Self> {
        let Bound { socket, local, sort: Sort::Datagrams { peer } } = bound else { return None };
        set_endpoint(socket, Endpoint { local, peer, side: None });
        Some(UdpSocket { id: socket, options: Options::of_std(stand_in) })
    }

    /// Sets the peer: the socket receives only its datagrams, and `send` sends to it.
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
            match Pending::new(Operation::Udp(udp::Operation::Connect { socket, local, peer }), location).await {
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

/// The type does not show that units share a socket; `visit_handles` reports it.
impl Isolated for UdpSocket {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        visitor(HandleId(self.id));
    }
}

/// The first of the addresses that a name stands for.
fn first<A: Resolve>(address: &A) -> io::Result<SocketAddr> {
    let resolved = address.resolve()?;
    let none = || io::Error::new(io::ErrorKind::InvalidInput, "no addresses to send data to");
    resolved.first().copied().ok_or_else(none)
}

fn failed(outcome: &Outcome) -> io::Error {
    match outcome {
        Outcome::Failed(failure) => os::error(*failure),
        other => unreachable!("a bind or connect does not end with {other:?}"),
    }
}
