//! `UnixListener`, shaped like tokio's.

use super::{SocketAddr, UnixStream};
use crate::id::SocketId;
use crate::net::stand_in::stands_in;
use crate::net::tcp::listener::{BACKLOG, failed};
use crate::operation::{Effect, Operation, Outcome, Side, Stream, tcp};
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use crate::unit::poll::operations::Pending;
use socket2::{Domain, Type};
use std::fmt;
use std::future::Future;
use std::io;
use std::net;
use std::panic::Location;
use std::path::Path;
use std::task::{Context, Poll, ready};

/// A Unix domain socket that accepts connections, as `tokio::net::UnixListener`.
///
/// A task that waits in `accept` waits for the next client, so its process is not deadlocked, as with a
/// [`TcpListener`](crate::net::TcpListener).
#[derive(Hash)]
pub struct UnixListener {
    id: SocketId,
    local: net::SocketAddr,
}

stands_in!(UnixListener, std::os::unix::net::UnixListener, Domain::UNIX, Type::STREAM);

impl UnixListener {
    /// Binds a socket to a path, or to an abstract name, which begins with a zero byte, and listens.
    ///
    /// A file that an earlier socket of the process has left at the path is no obstacle in a check: files are not
    /// modelled, so the program is taken to have removed it.
    ///
    /// # Errors
    /// `AddrInUse` if another socket of the process has the name, `InvalidInput` if it is too long.
    #[track_caller]
    pub fn bind<P: AsRef<Path>>(path: P) -> io::Result<UnixListener> {
        UnixListener::bind_addr(&SocketAddr::written(path.as_ref())?)
    }

    /// Binds a socket to an address, and listens.
    ///
    /// # Errors
    /// As [`bind`](Self::bind); `InvalidInput` if the address has no name: automatic names are not modelled.
    #[track_caller]
    pub fn bind_addr(socket_addr: &SocketAddr) -> io::Result<UnixListener> {
        let address = socket_addr.of_name()?;
        UnixListener::listen(context::current().new_socket(), address, false, BACKLOG, Location::caller())
    }

    pub(super) fn listen(
        id: SocketId,
        local: net::SocketAddr,
        is_bound: bool,
        backlog: usize,
        location: &'static Location<'static>,
    ) -> io::Result<UnixListener> {
        // Dropping it closes the socket.
        let listener = UnixListener { id, local };
        let listen = Operation::Tcp(tcp::Operation::Listen { socket: id, address: local, is_bound, backlog });
        match context::current().ask(listen, location) {
            Outcome::Bound(_) => Ok(listener),
            outcome => Err(failed(&outcome)),
        }
    }

    /// Waits for the next connection, in the order in which they were made.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    #[track_caller]
    pub fn accept(&self) -> impl Future<Output = io::Result<(UnixStream, SocketAddr)>> {
        let location = Location::caller();
        async move {
            let accept = tcp::Operation::Accept { local: self.local, waits: true };
            accepted(Pending::new(Operation::Tcp(accept), location).await)
        }
    }

    /// Polls for the next connection.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    #[track_caller]
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(UnixStream, SocketAddr)>> {
        let accept = Operation::Tcp(tcp::Operation::Accept { local: self.local, waits: true });
        let polled = context::current().poll_on((self.id, Way::In), cx.waker(), accept, Location::caller());
        Poll::Ready(accepted(ready!(polled).1))
    }

    /// The name that the listener is bound to.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(SocketAddr::named(self.local))
    }

    /// Always `None`: a listener meets no error.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        Ok(None)
    }
}

fn accepted(outcome: Outcome) -> io::Result<(UnixStream, SocketAddr)> {
    match outcome {
        Outcome::Accepted { local, peer } => {
            let stream = Stream { local, peer, side: Side::Server };
            Ok((UnixStream::new(context::current().new_socket(), stream), SocketAddr::named(peer)))
        }
        outcome => Err(failed(&outcome)),
    }
}

impl fmt::Debug for UnixListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnixListener").field("local", &SocketAddr::named(self.local)).finish_non_exhaustive()
    }
}

impl Drop for UnixListener {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            context.forget_socket(self.id);
            context.effect(Effect::Tcp(tcp::Effect::CloseListener { socket: self.id, local: self.local }));
        }
    }
}
