//! Operations and effects of TCP sockets, listeners and streams, and of those of Unix domain sockets.

use crate::id::SocketId;
use netcheck_memory::Handed;
use netcheck_models::host::unix;
pub(crate) use netcheck_models::tcp::Side;
use std::net::SocketAddr;
use std::sync::Arc;

/// An operation on TCP.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Bind a TCP socket that neither listens nor is connected; cannot wait.
    BindStream { socket: SocketId, address: SocketAddr, shares: bool },
    /// Listen for connections; binds the socket first if it is not bound. Waits only if tokio's call is async.
    Listen { socket: SocketId, address: SocketAddr, is_bound: bool, backlog: usize },
    /// Connect a TCP socket, bound to `local` or to an ephemeral port.
    Open { socket: SocketId, local: Option<SocketAddr>, peer: SocketAddr },
    /// Connect a Unix domain socket: the connection is made, or the call fails; cannot wait. The program is told of the
    /// connection by an `Open`.
    Dial { socket: SocketId, local: Option<SocketAddr>, peer: SocketAddr },
    /// Wait for a connection.
    Accept { local: SocketAddr, waits: bool },
    /// Read from a stream, or peek at the bytes that can be read.
    Read { stream: Stream, max: usize, peeks: bool, waits: bool },
    /// Write to a stream.
    Write { stream: Stream, bytes: Arc<[u8]>, waits: bool },
    /// Wait until a read, or a write, can complete at once.
    Ready { stream: Stream, read: bool, write: bool, waits: bool },
    /// Ask for the pending error of a stream; cannot wait.
    TakeError { stream: Stream },
    /// Shut a stream's writing side down.
    Shutdown { stream: Stream },
}

/// One end of a TCP connection, as the program at that end knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    pub local: SocketAddr,
    pub peer: SocketAddr,
    pub side: Side,
}

/// The side for a program.
pub(crate) fn handed(side: Side) -> Side {
    std::hint::black_box(side)
}

impl Handed for Stream {
    fn handed(&self) -> Self {
        Stream { local: self.local.handed(), peer: self.peer.handed(), side: handed(self.side) }
    }
}

/// The address of one of a pair of Unix domain sockets: its number is that of no other socket as long as it is used.
pub(crate) fn of_pair(SocketId { unit, index }: SocketId) -> SocketAddr {
    SocketAddr::new(unix::unnamed(Some((unit.0, index))), 0)
}

/// The end of a pair that is the stream of its first socket, and the end that is the stream of its second one.
pub(crate) fn paired([one, two]: [SocketId; 2]) -> [Stream; 2] {
    let [one, two] = [of_pair(one), of_pair(two)];
    [Stream { local: one, peer: two, side: Side::Client }, Stream { local: two, peer: one, side: Side::Server }]
}

impl Operation {
    /// The operation as it is tried when it is begun; `None` if the OS would not try it then.
    pub(crate) fn tried(&self) -> Option<Operation> {
        let mut tried = self.clone();
        match &mut tried {
            Operation::Read { waits, .. }
            | Operation::Write { waits, .. }
            | Operation::Ready { waits, .. }
            | Operation::Accept { waits, .. } => *waits = false,
            Operation::Listen { .. } | Operation::Shutdown { .. } => {}
            Operation::BindStream { .. }
            | Operation::Open { .. }
            | Operation::Dial { .. }
            | Operation::TakeError { .. } => return None,
        }
        Some(tried)
    }

    /// Whether the operation can be pending for long.
    pub(crate) fn waits(&self) -> bool {
        matches!(
            self,
            Operation::Accept { waits: true, .. }
                | Operation::Read { waits: true, .. }
                | Operation::Ready { write: false, .. }
        )
    }
}

/// A change of TCP sockets, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// An end of a TCP connection was dropped.
    CloseStream { stream: Stream },
    /// Whether closing a stream is to reset the connection.
    Linger { stream: Stream, resets: bool },
    /// A stream's writing side was shut down by a drop.
    EndStream { stream: Stream },
    /// Two Unix domain sockets without names were made, connected to each other.
    Pair { sockets: [SocketId; 2] },
    /// A listener was dropped, or a TCP socket that was only bound.
    CloseListener { socket: SocketId, local: SocketAddr },
    /// A TCP socket was dropped while it connected.
    GiveUp { socket: SocketId, local: Option<SocketAddr>, peer: SocketAddr },
}
