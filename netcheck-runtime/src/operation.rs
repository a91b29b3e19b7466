//! What units ask of the world, what the world answers, and what happens with a step.
//!
//! Data only: nothing here decides an outcome.

use crate::id::{CallerId, ClaimId, OutcomeId, SocketId, TaskId, UnitId};
pub use netcheck_models::tcp::Side;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::net::{IpAddr, SocketAddr};
use std::panic::Location;
use std::sync::Arc;

/// What a unit asks of the world.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// The first poll of a process.
    Start,
    /// Poll a task that was woken.
    Run(TaskId),
    /// Bind a UDP socket; port 0 asks for an ephemeral one.
    Bind { socket: SocketId, address: SocketAddr },
    /// Set the peer of a UDP socket.
    Connect { socket: SocketId, local: SocketAddr, peer: SocketAddr },
    /// Send a datagram.
    Send { socket: SocketId, from: SocketAddr, to: SocketAddr, payload: Arc<[u8]> },
    /// Wait for a datagram.
    Receive { socket: SocketId, port: u16, mode: ReceiveMode },
    /// Take a datagram if there is one; cannot wait.
    TryReceive { socket: SocketId, port: u16, mode: ReceiveMode },
    /// Bind a TCP socket that neither listens nor is connected; cannot wait.
    BindStream { socket: SocketId, address: SocketAddr, shares: bool },
    /// Listen for connections; binds the socket first unless that was done. Waits only where tokio's call is async.
    Listen { socket: SocketId, address: SocketAddr, is_bound: bool, backlog: usize },
    /// Connect a TCP socket, bound to `local` or to an ephemeral port.
    Open { socket: SocketId, local: Option<SocketAddr>, peer: SocketAddr },
    /// Wait for a connection.
    Accept { local: SocketAddr, waits: bool },
    /// Read from a stream, or look at what can be read.
    Read { stream: Stream, max: usize, peeks: bool, waits: bool },
    /// Write to a stream.
    Write { stream: Stream, bytes: Arc<[u8]>, waits: bool },
    /// Wait until a read, or a write, would not wait.
    Ready { stream: Stream, read: bool, write: bool, waits: bool },
    /// Ask for the pending error of a stream; cannot wait.
    TakeError { stream: Stream },
    /// Shut a stream's writing side down.
    Shutdown { stream: Stream },
    /// Wait for a timer; `repeats` keeps it armed for the next period.
    Timer { timer: u32, repeats: bool },
    /// Read the clock; cannot wait.
    Clock,
    /// Read the deadline of a timer; cannot wait.
    Deadline { timer: u32 },
    /// A choice that the program itself asks for.
    Choose { alternatives: usize },
    /// Which of the branches of a `select!` that may be ready is polled first; cannot wait.
    Select { sequence: u32, candidates: SmallVec<[u8; 8]> },
    /// Wait for the end of an isolated task, or look for it.
    Join { child: UnitId, waits: bool },
    /// Ask whether an isolated task has ended; cannot wait.
    IsEnded { child: UnitId },
    /// An isolated task that was aborted: drop its future. In no menu: offered instead of the menu.
    Cancel,
    /// The operation that was begun as the `number`th of this step, tried at once, because nobody
    /// will wait for it; cannot wait.
    AtOnce { number: u32, operation: Box<Operation> },
}

/// One end of a TCP connection, as the program at that end knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stream {
    pub(crate) local: SocketAddr,
    pub(crate) peer: SocketAddr,
    pub(crate) side: Side,
}

/// How a datagram, or bytes, are received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReceiveMode {
    /// Take it.
    Take,
    /// Look at it; the next receive gets the same one.
    Peek,
    /// Learn that there is one.
    Ready,
}

impl Operation {
    /// The operation itself, whether or not it is tried at once.
    pub(crate) fn itself(&self) -> &Operation {
        match self {
            Operation::AtOnce { operation, .. } => operation,
            operation => operation,
        }
    }

    /// The operation as it is tried when it is begun, for those that the OS would try then.
    pub(crate) fn tried(&self) -> Option<Operation> {
        let mut tried = self.clone();
        match &mut tried {
            Operation::Read { waits, .. }
            | Operation::Write { waits, .. }
            | Operation::Ready { waits, .. }
            | Operation::Accept { waits, .. }
            | Operation::Join { waits, .. } => *waits = false,
            Operation::Receive { socket, port, mode } => {
                return Some(Operation::TryReceive { socket: *socket, port: *port, mode: *mode });
            }
            Operation::Send { .. }
            | Operation::Bind { .. }
            | Operation::Connect { .. }
            | Operation::Listen { .. }
            | Operation::Shutdown { .. }
            | Operation::Choose { .. } => {}
            _ => return None,
        }
        Some(tried)
    }

    /// Whether the operation can be pending for long: a unit all of whose operations
    /// are of this kind has "first waited" in the sense of `after`.
    pub(crate) fn waits(&self) -> bool {
        matches!(
            self,
            Operation::Receive { .. }
                | Operation::Accept { waits: true, .. }
                | Operation::Read { waits: true, .. }
                | Operation::Ready { write: false, .. }
                | Operation::Timer { .. }
                | Operation::Join { waits: true, .. }
        )
    }
}

/// The world's answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Outcome {
    Done,
    Bound(SocketAddr),
    Datagram {
        from: SocketAddr,
        payload: Arc<[u8]>,
    },
    /// A TCP socket is connected.
    Connected {
        local: SocketAddr,
    },
    /// A connection was accepted.
    Accepted {
        local: SocketAddr,
        peer: SocketAddr,
    },
    /// What a read got; nothing: the end of the stream.
    Bytes(Arc<[u8]>),
    /// So many bytes were written.
    Written(usize),
    /// What a stream is ready for.
    Ready {
        read: bool,
        write: bool,
    },
    WouldBlock,
    /// A timer's deadline came; the time since the start, where it is tracked.
    Elapsed {
        at_ns: Option<u64>,
    },
    Time {
        at_ns: u64,
    },
    Alternative(usize),
    /// An isolated task ended with this output.
    Ended {
        output: u32,
    },
    /// An isolated task was aborted, or ended with its process.
    Cancelled,
    Failed(Failure),
}

impl Outcome {
    /// Whether an operation that was tried has to wait.
    pub(crate) fn is_not_yet(&self) -> bool {
        matches!(self, Outcome::WouldBlock | Outcome::Ready { read: false, write: false })
    }
}

/// Why an operation failed, in the terms of the OS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Failure {
    AddressInUse,
    AddressNotAvailable,
    ConnectionRefused,
    NetworkUnreachable,
    HostUnreachable,
    TimedOut,
    ConnectionAborted,
    ConnectionReset,
    BrokenPipe,
    NotConnected,
}

/// One step of a unit's local history: which operation was completed, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Input {
    pub(crate) key: OperationKey,
    pub(crate) outcome: OutcomeId,
}

/// Where an operation stands in its unit's menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OperationKey(pub(crate) u32);

impl OperationKey {
    pub(crate) const START: OperationKey = OperationKey(u32::MAX);
    /// The answer to a synchronous call.
    pub(crate) const ANSWER: OperationKey = OperationKey(u32::MAX - 1);
    /// The end of a task that was aborted.
    pub(crate) const CANCEL: OperationKey = OperationKey(u32::MAX - 2);
    const RUN: u32 = 1 << 31;

    pub(crate) fn run(task: TaskId) -> Self {
        OperationKey(Self::RUN | task.0)
    }

    pub(crate) fn task_to_run(self) -> Option<TaskId> {
        (self.0 & Self::RUN != 0 && self < Self::CANCEL).then_some(TaskId(self.0 & !Self::RUN))
    }
}

/// What happens with a step, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// A timer starts, or starts anew, to run.
    Arm { timer: u32, after_ns: u64, repeats: bool },
    /// A timer is set to an absolute time (`sleep_until`).
    ArmAt { timer: u32, at_ns: u64 },
    /// The next period of an interval.
    Rearm { timer: u32, period_ns: u64, missed: Missed },
    /// A timer was dropped.
    Disarm { timer: u32 },
    /// A socket was dropped.
    Close { socket: SocketId },
    /// An end of a TCP connection was dropped.
    CloseStream { stream: Stream },
    /// Whether closing a stream is to reset the connection.
    Linger { stream: Stream, resets: bool },
    /// A stream's writing side was shut down by a drop.
    EndStream { stream: Stream },
    /// A listener was dropped, or a TCP socket that was only bound.
    CloseListener { socket: SocketId, local: SocketAddr },
    /// A TCP socket was dropped while it connected.
    GiveUp { socket: SocketId, local: Option<SocketAddr>, peer: SocketAddr },
    /// An isolated task was spawned; it may use these sockets, and these streams are its own from now on.
    Spawn { child: UnitId, handles: SmallVec<[SocketId; 2]>, streams: SmallVec<[Stream; 1]> },
    /// An isolated task was aborted: it ends by a step of its own, if it has not ended before.
    Abort { child: UnitId },
    /// The handle of an isolated task was dropped or has delivered.
    Detach { child: UnitId },
    /// A `sometimes!` was met.
    Claim { claim: ClaimId, holds: bool },
    /// A `faults::scope` was entered (`true`) or left.
    Scope { entered: bool },
}

/// What an interval does with ticks that it missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Missed {
    Burst,
    Delay,
    Skip,
}

/// An operation as it stands in a menu.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Offer {
    pub(crate) key: OperationKey,
    pub(crate) task: TaskId,
    pub(crate) operation: Operation,
    pub(crate) location: &'static Location<'static>,
    /// Where the program's own code is, if calls are traced: `location` may be in an adaptor.
    pub(crate) caller: Option<CallerId>,
    /// Which execution of its source line this is, from 1 on, if calls are traced.
    pub(crate) execution: u32,
}

/// Whether an address names the machine that uses it.
pub(crate) fn is_local(ip: IpAddr) -> bool {
    ip.is_loopback() || ip.is_unspecified()
}
