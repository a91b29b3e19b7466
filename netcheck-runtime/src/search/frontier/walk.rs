//! A random walk.

use super::Random;
use crate::world::store::StateId;

/// Goes on from the last state while that is possible, else from a random open state.
pub(crate) struct Walk {
    open: Vec<StateId>,
    /// Of the open states, the successors of the last one; they stand at the end.
    fresh: usize,
    random: Random,
}

impl Walk {
    pub(super) fn new(seed: u64, first: StateId) -> Walk {
        Walk { open: vec![first], fresh: 0, random: Random::new(seed) }
    }

    pub(super) fn extend(&mut self, successors: impl Iterator<Item = StateId>) {
        let before = self.open.len();
        self.open.extend(successors);
        self.fresh = self.open.len() - before;
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        let from = if self.fresh > 0 { self.open.len() - self.fresh } else { 0 };
        self.fresh = 0;
        let choices = self.open.len() - from;
        (choices > 0).then(|| self.open.swap_remove(from + self.random.below(choices)))
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }
}
