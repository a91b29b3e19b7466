//! Operations and effects of the tasks of a unit and of isolated tasks.

use crate::id::{SocketId, TaskId, UnitId};
use crate::world::tcp::operation::Stream;
use smallvec::SmallVec;

/// What a unit asks of its tasks and of isolated ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// The first poll of a process.
    Start,
    /// Poll a task that was woken.
    Run(TaskId),
    /// Wait for the end of an isolated task, or look for it.
    Join { child: UnitId, waits: bool },
    /// Ask whether an isolated task has ended; cannot wait.
    IsEnded { child: UnitId },
    /// An isolated task that was aborted: drop its future. Offered instead of all that the task waits for.
    Cancel,
}

impl Operation {
    /// The operation as it is tried when it is begun; `None` if the OS would not try it then.
    pub(crate) fn tried(&self) -> Option<Operation> {
        match *self {
            Operation::Join { child, .. } => Some(Operation::Join { child, waits: false }),
            Operation::Start | Operation::Run(_) | Operation::IsEnded { .. } | Operation::Cancel => None,
        }
    }

    /// Whether the operation can be pending for long.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Operation::Join { waits: true, .. })
    }
}

/// What happens to isolated tasks with a step, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// An isolated task was spawned; it may use these sockets, and these streams are its own from now on.
    Spawn { child: UnitId, handles: SmallVec<[SocketId; 2]>, streams: SmallVec<[Stream; 1]> },
    /// An isolated task was aborted: it ends by a step of its own, if it has not ended before.
    Abort { child: UnitId },
    /// The handle of an isolated task was dropped or has delivered.
    Detach { child: UnitId },
}
