//! Images of files after crashes, as the tables keep them.

use crate::id::{OutcomeId, ProcessId};
use ahash::AHashMap;
use netcheck_models::storage::TooMany;
use std::sync::Arc;

/// A tree that a process may find: what it is told, and the number of the storage after it.
pub(crate) type Left = (OutcomeId, u32);

/// The images of all storages that were looked at.
#[derive(Default)]
pub struct Images {
    /// The files that a process may find when it has crashed, by their number before.
    pub(crate) left: AHashMap<(ProcessId, u32), Arc<[Left]>>,
    /// The last storage of which not all images are looked at, if any.
    pub unenumerated: Option<Unenumerated>,
}

/// The files of a process, of which not all that a power failure may leave is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unenumerated {
    pub process: ProcessId,
    pub operations: TooMany,
}
