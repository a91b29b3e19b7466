//! `UnixDatagram`, shaped like tokio's: its names and its peer.
//!
//! - `transfer`: sending and receiving; `ready`: waiting until one of both is possible.

mod ready;
mod transfer;

use super::SocketAddr;
use crate::id::SocketId;
use crate::net::os;
use crate::net::setting::Setting;
use crate::net::stand_in::stands_in;
use crate::operation::{Effect, Operation, Outcome, mailboxes, unix};
use crate::unit::poll::context;
use socket2::{Domain, Type};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::net::{self, Shutdown};
use std::panic::Location;
use std::path::Path;

/// A Unix domain socket for datagrams, as `tokio::net::UnixDatagram`.
///
/// Datagrams are received in the order in which they were sent, by whichever socket; none is lost, and a send to a full
/// socket waits. What is declared for `udp` does not apply.
pub struct UnixDatagram {
    id: SocketId,
    /// The address that stands for the name, if the socket has one.
    name: Option<net::SocketAddr>,
    /// The address of the peer; that of a socket without a name in a pair.
    peer: Setting<Option<net::SocketAddr>>,
}

stands_in!(UnixDatagram, std::os::unix::net::UnixDatagram, Domain::UNIX, Type::DGRAM);

impl Hash for UnixDatagram {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, self.name, &self.peer).hash(state);
    }
}

impl UnixDatagram {
    /// Binds a socket to a path. ([`UnixSocket`](super::UnixSocket) binds one to an abstract name.)
    ///
    /// A file that an earlier socket of the process has left at the path is no obstacle in a check: files are not
    /// modelled, so the program is taken to have removed it.
    ///
    /// # Errors
    /// `AddrInUse` if another such socket of the process has the name, `InvalidInput` if it is too long.
    #[track_caller]
    pub fn bind<P: AsRef<Path>>(path: P) -> io::Result<UnixDatagram> {
        let location = Location::caller();
        let name = SocketAddr::of_path(path.as_ref())?.of_name()?;
        let socket = context::current().new_socket();
        let name = UnixDatagram::bind_at(socket, name, location)?;
        Ok(UnixDatagram::made(socket, Some(name), None))
    }

    /// Binds a socket of this number to a name. If that fails, the number is free.
    fn bind_at(
        socket: SocketId,
        name: net::SocketAddr,
        location: &'static Location<'static>,
    ) -> io::Result<net::SocketAddr> {
        let context = context::current();
        match context.ask(Operation::Mailboxes(mailboxes::Operation::Bind { socket, name }), location) {
            Outcome::Bound(name) => Ok(name),
            Outcome::Failed(failure) => {
                context.forget_socket(socket);
                Err(os::error(failure))
            }
            other => unreachable!("a bind does not end with {other:?}"),
        }
    }

    /// The socket of a number that is there.
    pub(super) fn made(id: SocketId, name: Option<net::SocketAddr>, peer: Option<net::SocketAddr>) -> UnixDatagram {
        UnixDatagram { id, name, peer: Setting::new(peer) }
    }

    /// A socket without a name.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn unbound() -> io::Result<UnixDatagram> {
        let context = context::current();
        let socket = context.new_socket();
        context.effect(Effect::Mailboxes(mailboxes::Effect::Open { socket }));
        Ok(UnixDatagram::made(socket, None, None))
    }

    /// Two sockets without names, connected to each other.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn pair() -> io::Result<(UnixDatagram, UnixDatagram)> {
        let context = context::current();
        let sockets = [context.new_socket(), context.new_socket()];
        context.effect(Effect::Mailboxes(mailboxes::Effect::Pair { sockets }));
        let peer = Some(unnamed());
        Ok((UnixDatagram::made(sockets[0], None, peer), UnixDatagram::made(sockets[1], None, peer)))
    }

    /// Sets the peer: the socket receives only its datagrams, and `send` sends to it.
    ///
    /// # Errors
    /// `NotFound` or `ConnectionRefused` if no such socket of the process has the name, as for a
    /// [stream](super::UnixStream::connect); `PermissionDenied` if that socket is connected to a third one.
    #[track_caller]
    pub fn connect<P: AsRef<Path>>(&self, path: P) -> io::Result<()> {
        let name = SocketAddr::of_path(path.as_ref())?.of_name()?;
        let connect = mailboxes::Operation::Connect { socket: self.id, name };
        match context::current().ask(Operation::Mailboxes(connect), Location::caller()) {
            Outcome::Done => {
                self.peer.set(Some(name));
                Ok(())
            }
            Outcome::Failed(failure) => Err(os::error(failure)),
            other => unreachable!("a connect does not end with {other:?}"),
        }
    }

    /// The name of the socket.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(SocketAddr::named(self.name.unwrap_or(unnamed())))
    }

    /// The name of the peer.
    ///
    /// # Errors
    /// `NotConnected` without one.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        let peer = self.peer.get().ok_or_else(|| io::Error::from_raw_os_error(os::NOT_CONNECTED))?;
        Ok(SocketAddr::named(peer))
    }

    /// Always `None`: each error is reported by the call that meets it.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        Ok(None)
    }

    /// Lets the socket send no more, receive no more, or both. A receive waits for ever then, as on tokio.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let ways = [how != Shutdown::Read, how != Shutdown::Write];
        context::current().effect(Effect::Mailboxes(mailboxes::Effect::ShutDown { socket: self.id, ways }));
        Ok(())
    }
}

/// The address of a socket without a name.
fn unnamed() -> net::SocketAddr {
    net::SocketAddr::new(unix::unnamed(None), 0)
}

impl fmt::Debug for UnixDatagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = SocketAddr::named(self.name.unwrap_or(unnamed()));
        f.debug_struct("UnixDatagram").field("local", &local).finish_non_exhaustive()
    }
}

impl Drop for UnixDatagram {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            context.forget_socket(self.id);
            context.effect(Effect::Mailboxes(mailboxes::Effect::Close { socket: self.id }));
        }
    }
}
