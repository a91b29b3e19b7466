//! `UnixSocket`, shaped like tokio's.

use super::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use crate::id::SocketId;
use crate::net::os;
use crate::net::setting::Setting;
use crate::net::stand_in;
use crate::net::tcp::listener::failed;
use crate::operation::{Effect, Operation, Outcome, mailboxes, tcp};
use crate::unit::poll::context;
use socket2::{Domain, Type};
use std::fmt;
use std::future::Future;
use std::io;
use std::net;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::panic::Location;
use std::path::Path;

/// A Unix domain socket that neither listens nor is connected yet, as `tokio::net::UnixSocket`.
pub struct UnixSocket {
    id: SocketId,
    is_stream: bool,
    local: Setting<Option<net::SocketAddr>>,
    /// Whether its number belongs to a listener or a stream now.
    is_used: bool,
}

impl UnixSocket {
    /// A socket for streams.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn new_stream() -> io::Result<UnixSocket> {
        Ok(UnixSocket::new(true))
    }

    /// A socket for datagrams.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn new_datagram() -> io::Result<UnixSocket> {
        Ok(UnixSocket::new(false))
    }

    fn new(is_stream: bool) -> UnixSocket {
        let context = context::current();
        let id = context.new_socket();
        if !is_stream {
            context.effect(Effect::Mailboxes(mailboxes::Effect::Open { socket: id }));
        }
        UnixSocket { id, is_stream, local: Setting::new(None), is_used: false }
    }

    /// Binds the socket to a path, or to an abstract name, which begins with a zero byte.
    ///
    /// # Errors
    /// As [`UnixListener::bind`]; `InvalidInput` if the socket is already bound.
    #[track_caller]
    pub fn bind(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let address = SocketAddr::written(path.as_ref())?.of_name()?;
        if self.local.get().is_some() {
            return Err(io::Error::from_raw_os_error(os::INVALID));
        }
        let bind = match self.is_stream {
            true => Operation::Tcp(tcp::Operation::BindStream { socket: self.id, address, shares: false }),
            false => Operation::Mailboxes(mailboxes::Operation::Bind { socket: self.id, name: address }),
        };
        match context::current().ask(bind, Location::caller()) {
            Outcome::Bound(local) => {
                self.local.set(Some(local));
                Ok(())
            }
            outcome => Err(failed(&outcome)),
        }
    }

    /// Listens with a backlog: the number of connections that wait to be accepted. Linux admits one more.
    ///
    /// # Errors
    /// `InvalidInput` if the socket is not bound; an error if it is one for datagrams.
    #[track_caller]
    pub fn listen(mut self, backlog: u32) -> io::Result<UnixListener> {
        if !self.is_stream {
            return Err(io::Error::other("listen cannot be called on a datagram socket"));
        }
        let Some(local) = self.local.get() else { return Err(io::Error::from_raw_os_error(os::INVALID)) };
        self.is_used = true;
        UnixListener::listen(self.id, local, true, backlog as usize, Location::caller())
    }

    /// Connects, from the name that the socket is bound to.
    ///
    /// # Errors
    /// As [`UnixStream::connect`]; an error if the socket is one for datagrams.
    #[track_caller]
    pub fn connect(mut self, path: impl AsRef<Path>) -> impl Future<Output = io::Result<UnixStream>> {
        let location = Location::caller();
        async move {
            if !self.is_stream {
                return Err(io::Error::other("connect cannot be called on a datagram socket"));
            }
            let peer = SocketAddr::written(path.as_ref())?.of_name()?;
            self.is_used = true;
            UnixStream::open(self.id, self.local.get(), peer, location).await
        }
    }
}

impl UnixSocket {
    /// The socket for datagrams.
    ///
    /// # Errors
    /// If it is one for streams.
    pub fn datagram(mut self) -> io::Result<UnixDatagram> {
        if self.is_stream {
            return Err(io::Error::other("datagram cannot be called on a stream socket"));
        }
        self.is_used = true;
        Ok(UnixDatagram::made(self.id, self.local.get(), None))
    }
}

impl AsFd for UnixSocket {
    /// The descriptor of a socket of the operating system that has neither a name nor a peer.
    fn as_fd(&self) -> BorrowedFd<'_> {
        let sort = if self.is_stream { Type::STREAM } else { Type::DGRAM };
        stand_in::descriptor((Domain::UNIX, sort))
    }
}

impl AsRawFd for UnixSocket {
    /// As `as_fd`.
    fn as_raw_fd(&self) -> RawFd {
        self.as_fd().as_raw_fd()
    }
}

impl fmt::Debug for UnixSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnixSocket").finish_non_exhaustive()
    }
}

impl Drop for UnixSocket {
    fn drop(&mut self) {
        if let (false, Some(context)) = (self.is_used, context::try_current()) {
            context.forget_socket(self.id);
            if !self.is_stream {
                context.effect(Effect::Mailboxes(mailboxes::Effect::Close { socket: self.id }));
            } else if let Some(local) = self.local.get() {
                context.effect(Effect::Tcp(tcp::Effect::CloseListener { socket: self.id, local }));
            }
        }
    }
}
