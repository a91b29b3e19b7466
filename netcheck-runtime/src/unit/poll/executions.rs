//! The number of calls that each source line has made.

use crate::id::{CallerId, TaskId};
use crate::sorted::SortedMap;
use std::hash::{Hash, Hasher};

/// Executions of source lines, if calls are traced; counted in each task separately if tasks are tracked.
#[derive(Clone, Default)]
pub(super) struct Executions(SortedMap<(Option<TaskId>, CallerId), u32>);

impl Executions {
    /// Counts a call of a source line, up to `max`.
    pub(super) fn count(&mut self, task: Option<TaskId>, caller: CallerId, max: u32) -> u32 {
        let count = self.0.or_default((task, caller));
        *count = (*count + 1).min(max);
        *count
    }

    /// Records everything here that the unit's future depends on.
    pub(super) fn record(&self, values: &mut impl Hasher) {
        self.0.hash(values);
    }
}
