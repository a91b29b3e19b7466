//! By a score: the highest first, and of equal ones the one that was met first.

use super::Successor;
use crate::world::store::StateId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(crate) struct Best {
    open: BinaryHeap<Entry>,
    met: u64,
    /// The faults on the way to the state that was popped last.
    here: u32,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    score: i64,
    met: Reverse<u64>,
    state: StateId,
    /// The faults on the way on which the state was met first.
    faults: u32,
}

impl Best {
    pub(super) const STATE_BYTES: usize = size_of::<Entry>();

    pub(super) fn new(first: StateId) -> Best {
        let first = Entry { score: 0, met: Reverse(0), state: first, faults: 0 };
        Best { open: BinaryHeap::from([first]), met: 0, here: 0 }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for &Successor { state, faults, score, .. } in successors.iter().filter(|successor| successor.is_new) {
            self.met += 1;
            self.open.push(Entry { score, met: Reverse(self.met), state, faults: self.here + faults });
        }
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        let Entry { state, faults, .. } = self.open.pop()?;
        self.here = faults;
        Some(state)
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn here(&self) -> u32 {
        self.here
    }
}
