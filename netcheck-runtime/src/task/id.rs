//! What tells a task from others.

use crate::id::UnitId;
use crate::unit::poll::context;
use std::fmt;
use std::num::NonZeroU64;

/// What tells a task from the others that run, or that somebody has a handle to, as `tokio::task::Id`.
///
/// In every check, and in every execution of it that has come to the task in the same way, it is the
/// same one: no random and no running number of the computer that the check is done on.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(pub(super) NonZeroU64);

impl Id {
    /// Of an isolated task.
    pub(super) fn of_unit(unit: UnitId) -> Id {
        Id(context::current().name_of_task(unit, 0))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Which task this is, as `tokio::task::id`.
///
/// # Panics
/// In the root of a process, which is no task, as nothing is that a runtime blocks on.
#[track_caller]
pub fn id() -> Id {
    try_id().expect("Can't get a task id when not inside a task")
}

/// Which task this is; `None` in the root of a process, and outside of a check.
pub fn try_id() -> Option<Id> {
    context::try_current().and_then(|context| context.task_name()).map(Id)
}
