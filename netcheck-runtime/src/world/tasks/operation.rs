//! Operations and effects of the tasks of a unit and of isolated tasks.

use crate::id::{SocketId, TaskId, UnitId};
use crate::world::tcp::operation::Stream;
use smallvec::SmallVec;

/// An operation on the tasks of a unit or on isolated tasks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The first poll of a process.
    Start,
    /// The first poll of a process that has crashed.
    Restart,
    /// Poll a task that was woken.
    Run(TaskId),
    /// Wait for the end of an isolated task, or test for it.
    Join { child: UnitId, waits: bool },
    /// Ask whether an isolated task has ended; cannot wait.
    IsEnded { child: UnitId },
    /// Drop the future of an isolated task that was aborted. Offered instead of all operations that the task waits for.
    Cancel,
    /// End a process at once. Offered beside the operations that it waits for; the program asks for none.
    Crash,
}

impl Operation {
    /// The operation as it is tried when it is begun; `None` if the OS would not try it then.
    pub(crate) fn tried(&self) -> Option<Operation> {
        match *self {
            Operation::Join { child, .. } => Some(Operation::Join { child, waits: false }),
            Operation::Start | Operation::Restart | Operation::Run(_) | Operation::IsEnded { .. } => None,
            Operation::Cancel | Operation::Crash => None,
        }
    }

    /// Whether the operation can be pending for long.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Operation::Join { waits: true, .. })
    }
}

/// A change of isolated tasks, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// An isolated task was spawned; it may use these sockets, and takes over these streams.
    Spawn { child: UnitId, handles: SmallVec<[SocketId; 2]>, streams: SmallVec<[Stream; 1]> },
    /// An isolated task was aborted: unless it has ended before, it ends by a step of its own.
    Abort { child: UnitId },
    /// The handle of an isolated task was dropped or has delivered the output.
    Detach { child: UnitId },
    /// A process crashed; `next`: the unit as which it starts again.
    Crash { next: Option<UnitId> },
}

/// Why a process crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The OS ends it, and cleans up.
    Kill,
    /// Its host loses its power, and falls silent.
    Power,
}
