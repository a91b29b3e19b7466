//! Operations of units, their outcomes, and effects of steps.
//!
//! Data only: nothing here decides an outcome. The operations and effects of each kind of component are in the folder
//! of the kind; the outcomes are one enum, because kinds share many of them.

pub use crate::world::{
    choices::operation as choices, faults::operation as faults, mailboxes::operation as mailboxes,
    monitors::operation as monitors, storage::operation as storage, tasks::operation as tasks, tcp::operation as tcp,
    time::operation as time, udp::operation as udp,
};

pub use tasks::Cause;
pub use tcp::Stream;
pub(crate) use time::Missed;
pub use udp::ReceiveMode;

use crate::id::{CallerId, OutcomeId, TaskId};
use netcheck_memory::{Handed, handed_by_copy};
pub(crate) use netcheck_models::host::{group, reachable, unix};
pub use netcheck_models::storage as files;
pub use netcheck_models::tcp::Side;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::net::SocketAddr;
use std::panic::Location;
use std::sync::Arc;

/// Defines operations, with one variant for each kind of component that has operations.
macro_rules! operations {
    ($($Kind:ident: $kind:ident,)*) => {
        /// An operation that a unit asks of the world.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Operation {
            $($Kind($kind::Operation),)*
            /// The operation that this step began as its `number`th, tried at once because it was given up; cannot
            /// wait.
            AtOnce { number: u32, operation: Box<Operation> },
            /// An operation whose waker was called because it could complete, tried by the poll that comes next; it
            /// waits only if it can't complete any more.
            Again(Box<Operation>),
        }

        impl Operation {
            /// The operation as it is tried when it is begun; `None` if the OS would not try it then.
            pub(crate) fn tried(&self) -> Option<Operation> {
                match self {
                    $(Operation::$Kind(operation) => operation.tried().map(Operation::$Kind),)*
                    Operation::AtOnce { .. } | Operation::Again(_) => None,
                }
            }

            /// Whether the operation can be pending for long: a unit that has only such operations has "first waited"
            /// in the sense of `after`.
            pub(crate) fn waits(&self) -> bool {
                match self {
                    $(Operation::$Kind(operation) => operation.waits(),)*
                    Operation::AtOnce { .. } | Operation::Again(_) => false,
                }
            }
        }

        $(
            impl From<$kind::Operation> for Operation {
                fn from(operation: $kind::Operation) -> Operation {
                    Operation::$Kind(operation)
                }
            }
        )*
    };
}

crate::world::for_each_kind_with_operations!(operations);

/// Defines effects, with one variant for each kind of component.
macro_rules! effects {
    ($($Kind:ident: $kind:ident,)*) => {
        /// A change of the world by a step, without a choice.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Effect {
            $($Kind($kind::Effect),)*
        }

        $(
            impl From<$kind::Effect> for Effect {
                fn from(effect: $kind::Effect) -> Effect {
                    Effect::$Kind(effect)
                }
            }
        )*
    };
}

crate::world::for_each_kind!(effects);

impl Operation {
    /// The operation with bytes of its own, which the program has not allocated.
    pub(crate) fn detached(mut self) -> Operation {
        match &mut self {
            Operation::Udp(udp::Operation::Send { payload: bytes, .. })
            | Operation::Mailboxes(mailboxes::Operation::Send { payload: bytes, .. })
            | Operation::Tcp(tcp::Operation::Write { bytes, .. }) => *bytes = Arc::from(&bytes[..]),
            Operation::AtOnce { operation, .. } | Operation::Again(operation) => {
                **operation = (**operation).clone().detached();
            }
            _ => {}
        }
        self
    }

    /// The bytes that it writes to a stream.
    pub(crate) fn into_written(self) -> Option<Arc<[u8]>> {
        match self {
            Operation::Tcp(tcp::Operation::Write { bytes, .. }) => Some(bytes),
            _ => None,
        }
    }

    /// The operation itself, whether or not it is tried at once.
    pub fn itself(&self) -> &Operation {
        match self {
            Operation::AtOnce { operation, .. } | Operation::Again(operation) => operation,
            operation => operation,
        }
    }

    /// Whether the OS looks at what the operation asks for as soon as it is begun.
    pub(crate) fn is_tried_at_first(&self) -> bool {
        let is_kind =
            matches!(self, Operation::Udp(_) | Operation::Tcp(_) | Operation::Mailboxes(_) | Operation::Time(_));
        is_kind && self.tried().is_some()
    }

    /// Whether what the operation asks for stays in the world until a poll takes it, as data stay in a socket: then its
    /// outcome is chosen by the poll that takes it. Else the outcome is kept for whoever polls it next: a timer that has
    /// fired, a connection that is made.
    pub(crate) fn is_tried_again(&self) -> bool {
        !matches!(self, Operation::Choices(_) | Operation::Time(_)) && self.tried().is_some()
    }
}

/// The result of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
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
    /// The bytes that a read returned; empty at the end of the stream.
    Bytes(Arc<[u8]>),
    /// The number of bytes that were written.
    Written(usize),
    /// The calls for which a stream is ready.
    Ready {
        read: bool,
        write: bool,
    },
    WouldBlock,
    /// The operation could complete: its waker is called, and the poll that comes next tries it.
    Woken,
    /// A timer fired; with the time since the start, if it is tracked. `is_missed`: of the two parts of a zone in which it may
    /// fire, it is the one in which a tick counts as missed.
    Elapsed {
        at: Option<time::At>,
        is_missed: bool,
    },
    /// An instant that was read.
    Time {
        at: time::At,
    },
    /// How one instant compares with another.
    Compared(Ordering),
    /// The time between two instants; negative if the other comes first.
    Distance {
        ns: i64,
    },
    Alternative(usize),
    /// An isolated task ended with this output.
    Ended {
        output: u32,
    },
    /// An isolated task was aborted, or ended with its process.
    Cancelled,
    /// A process starts again, with these files on the disk of its host; others than the check declares.
    Files(Arc<files::Tree>),
    /// A process has crashed.
    Crashed {
        cause: Cause,
        /// Whether it starts again.
        returns: bool,
    },
    Failed(Failure),
}

/// Payloads are copied: an address of the engine's own would differ from run to run.
impl Handed for Outcome {
    fn handed(&self) -> Self {
        netcheck_memory::made_clean(|| match self {
            Outcome::Done => Outcome::Done,
            Outcome::Bound(address) => Outcome::Bound(address.handed()),
            Outcome::Datagram { from, payload } => {
                Outcome::Datagram { from: from.handed(), payload: Arc::from(&payload[..]) }
            }
            Outcome::Connected { local } => Outcome::Connected { local: local.handed() },
            Outcome::Accepted { local, peer } => Outcome::Accepted { local: local.handed(), peer: peer.handed() },
            Outcome::Bytes(bytes) => Outcome::Bytes(Arc::from(&bytes[..])),
            Outcome::Written(bytes) => Outcome::Written(bytes.handed()),
            Outcome::Ready { read, write } => Outcome::Ready { read: read.handed(), write: write.handed() },
            Outcome::WouldBlock => Outcome::WouldBlock,
            Outcome::Woken => Outcome::Woken,
            Outcome::Elapsed { at, is_missed } => Outcome::Elapsed { at: at.handed(), is_missed: is_missed.handed() },
            Outcome::Time { at } => Outcome::Time { at: at.handed() },
            Outcome::Compared(ordering) => Outcome::Compared(ordering.handed()),
            Outcome::Distance { ns } => Outcome::Distance { ns: ns.handed() },
            Outcome::Alternative(number) => Outcome::Alternative(number.handed()),
            Outcome::Ended { output } => Outcome::Ended { output: output.handed() },
            Outcome::Cancelled => Outcome::Cancelled,
            Outcome::Files(tree) => Outcome::Files(Arc::clone(tree)),
            Outcome::Crashed { cause, returns } => {
                Outcome::Crashed { cause: cause.handed(), returns: returns.handed() }
            }
            Outcome::Failed(failure) => Outcome::Failed(failure.handed()),
        })
    }
}

impl Outcome {
    /// The files with which a process starts again, if they are others than the check declares.
    pub(crate) fn files(&self) -> Option<&files::Tree> {
        if let Outcome::Files(tree) = self { Some(tree) } else { None }
    }

    /// Whether an operation that was tried has to wait.
    pub(crate) fn is_not_yet(&self) -> bool {
        matches!(self, Outcome::WouldBlock | Outcome::Ready { read: false, write: false })
    }
}

handed_by_copy!(OperationKey, Failure, Cause);

/// Why an operation failed, in the terms of the OS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
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
    NotFound,
    NotPermitted,
    OutOfMemory,
    InputOutput,
    NoSpace,
}

impl Failure {
    /// Its number on Linux.
    pub(crate) fn number(self) -> i32 {
        match self {
            Failure::NotPermitted => 1,
            Failure::NotFound => 2,
            Failure::InputOutput => 5,
            Failure::OutOfMemory => 12,
            Failure::NoSpace => 28,
            Failure::BrokenPipe => 32,
            Failure::AddressInUse => 98,
            Failure::AddressNotAvailable => 99,
            Failure::NetworkUnreachable => 101,
            Failure::ConnectionAborted => 103,
            Failure::ConnectionReset => 104,
            Failure::NotConnected => 107,
            Failure::TimedOut => 110,
            Failure::ConnectionRefused => 111,
            Failure::HostUnreachable => 113,
        }
    }
}

/// One step of a unit's local history: the operation that was completed, and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    pub key: OperationKey,
    pub outcome: OutcomeId,
}

/// An operation's number among those that its unit waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationKey(pub u32);

impl OperationKey {
    pub const START: OperationKey = OperationKey(u32::MAX);
    /// The answer to a synchronous call.
    pub(crate) const ANSWER: OperationKey = OperationKey(u32::MAX - 1);
    /// The end of a task that was aborted.
    pub(crate) const CANCEL: OperationKey = OperationKey(u32::MAX - 2);
    /// The crash of a process.
    pub const CRASH: OperationKey = OperationKey(u32::MAX - 3);
    const RUN: u32 = 1 << 31;
    const EARLY: u32 = 1 << 30;

    pub(crate) fn run(task: TaskId) -> Self {
        OperationKey(Self::RUN | task.0)
    }

    /// A poll of a task that is earlier than its place in the queue; see `world::enabled`.
    pub(crate) fn run_early(task: TaskId) -> Self {
        OperationKey(Self::RUN | Self::EARLY | task.0)
    }

    pub(crate) fn is_early(self) -> bool {
        self.task_to_run().is_some() && self.0 & Self::EARLY != 0
    }

    pub(crate) fn task_to_run(self) -> Option<TaskId> {
        (self.0 & Self::RUN != 0 && self < Self::CRASH).then_some(TaskId(self.0 & !(Self::RUN | Self::EARLY)))
    }
}

/// An operation that a unit waits for, in its local state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Offer {
    pub key: OperationKey,
    /// The task that has polled it last.
    pub task: TaskId,
    /// Whether its waker is one of the program's own, and not that of the task.
    pub(crate) is_called: bool,
    pub operation: Operation,
    pub location: &'static Location<'static>,
    /// The program's own source line, if calls are traced: `location` may be in an adaptor.
    pub(crate) caller: Option<CallerId>,
    /// The number of this execution of its source line, from 1, if calls are traced.
    pub(crate) execution: u32,
}

/// A call that the last poll has begun with a waker of the program's own, that waits, and that the OS has looked at: had it
/// been able to complete, the poll would have gone on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BegunCall {
    /// Its number among the operations that the step has begun.
    pub(crate) number: u32,
    pub(crate) operation: Operation,
    /// The number of this execution of its source line, as in its offer.
    pub(crate) execution: u32,
    pub(crate) decided: Decided,
    /// Whether a timer that is due at this very instant fires in a step of its own as well: the step ends with it waiting in a
    /// `select!` or a time-out, and has done nothing since it came to the timer; or the step takes an outcome in another branch
    /// of an unbiased `select!`.
    pub(crate) goes_on: bool,
}

/// By which state it is decided whether a call completes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Decided {
    /// By the one after the step: the step may have changed what the call asks for.
    After,
    /// By the one before the step, when the time until the step has passed: a timer that the step has not set.
    Before,
}

/// The calls that a step has let wait, and that might have completed; see `world::readiness`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Begun {
    /// The calls that the step has begun with wakers of the program's own, and the timers that it has polled, in this order.
    pub(crate) calls: Box<[BegunCall]>,
    /// The operations that the step's poll has found to wait: before the one whose outcome it has taken, or, if it has taken
    /// no outcome, all that are polled in a certain order.
    pub(crate) passed: Box<[OperationKey]>,
}
