//! Operations on tasks as the search keeps them.

use crate::id::UnitId;
use crate::world::components::ComponentId;

/// A prepared operation on tasks.
#[derive(Clone, Debug)]
pub enum Prepared {
    /// `after`: the units that must have waited before the process starts.
    Start {
        after: Vec<ComponentId>,
    },
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
