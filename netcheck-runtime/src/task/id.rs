//! Ids of tasks.

use crate::id::UnitId;
use crate::unit::poll::context;
use std::fmt;
use std::num::NonZeroU64;

/// The id of a task among all tasks that run or have a handle, as `tokio::task::Id`.
///
/// An id is the same in every check, and in every execution that has come to the task in the same way: it contains no
/// random number and no counter of the machine.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(pub(super) NonZeroU64);

impl Id {
    /// The id of an isolated task.
    pub(super) fn of_unit(unit: UnitId) -> Id {
        Id(context::current().name_of_task(unit, 0))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of the running task, as `tokio::task::id`.
///
/// # Panics
/// In the root of a process, which is no task, like a future that a runtime blocks on.
#[track_caller]
pub fn id() -> Id {
    try_id().expect("Can't get a task id when not inside a task")
}

/// The id of the running task; `None` in the root of a process, and outside a check.
pub fn try_id() -> Option<Id> {
    context::try_current().and_then(|context| context.task_name()).map(Id)
}
