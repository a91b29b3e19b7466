//! The random numbers of a run.
//!
//! A program's random number is a function of the check's seed, the unit's name and the number of draws before it in this
//! run; with tracked tasks, of the task and its own draws. So it is the same in every run of a history, and the numbers
//! of draws are all that the unit's future depends on: [`Random::record`] adds them to an image and to a checkpoint.

use crate::id::TaskId;
use crate::sorted::SortedMap;
use std::hash::{Hash, Hasher};

/// The draws of a run.
#[derive(Clone, Default)]
pub(super) struct Random {
    /// The draws of the run so far; by task if tasks are tracked.
    draws: SortedMap<Option<TaskId>, u64>,
}

impl Random {
    /// The number of draws so far.
    pub(super) fn draws(&self, task: Option<TaskId>) -> u64 {
        self.draws.get(&task).copied().unwrap_or(0)
    }

    /// Counts a draw.
    pub(super) fn count(&mut self, task: Option<TaskId>) {
        *self.draws.or_default(task) += 1;
    }

    /// Records everything here that the unit's future depends on, from the beginning of a step on.
    pub(super) fn record(&self, values: &mut impl Hasher) {
        self.draws.hash(values);
    }
}
