//! Operations on tasks as the search keeps them.

use crate::id::UnitId;
use crate::world::components::ComponentId;
use smallvec::SmallVec;

/// A prepared operation on tasks.
#[derive(Clone, Debug)]
pub enum Prepared {
    /// `after`: by process, the units of which one must have waited before the process starts.
    Start {
        after: Vec<SmallVec<[ComponentId; 1]>>,
    },
    /// A process starts that has crashed.
    Restart,
    /// A poll of a task that was woken, or the end of one that was aborted.
    Run,
    Join {
        unit: UnitId,
        child: ComponentId,
        waits: bool,
    },
    IsEnded {
        unit: UnitId,
        child: ComponentId,
    },
}
