//! Numbers of sockets, timers and tasks.

use crate::id::TaskId;
use crate::sorted::{SortedMap, SortedSet};

/// Numbers of which the smallest free one is given out, so that loops return to the same numbers.
#[derive(Clone, Default, Hash)]
pub(super) struct Numbers {
    taken: SortedSet<u32>,
    /// Numbers of a tracked task that another task has given back. Such a number is free for the other task, and for
    /// its owner once the owner knows that the other task has ended: until then, the two tasks may run in any order.
    given_back: SortedMap<u32, TaskId>,
}

impl Numbers {
    /// The smallest free number from `first` on.
    pub(super) fn take(&mut self, first: u32) -> u32 {
        let index = self.taken.first_absent(first);
        self.taken.insert(index);
        index
    }

    /// The smallest free number from `first` on, or a smaller number of another task that this task has given back.
    pub(super) fn take_or_keep(&mut self, first: u32, task: TaskId) -> u32 {
        let kept = self.given_back.iter().find(|&(&index, &by)| by == task && index < first).map(|(&index, _)| index);
        match kept {
            Some(kept) => {
                self.given_back.remove(&kept);
                kept
            }
            None => self.take(first),
        }
    }

    pub(super) fn free(&mut self, index: u32) {
        self.taken.remove(&index);
    }

    /// A tracked task gives a number back.
    pub(super) fn give_back(&mut self, index: u32, by: TaskId) {
        if TaskId::of_number(index) == by {
            self.free(index);
        } else {
            self.given_back.insert(index, by);
        }
    }

    /// Frees the numbers of a tracked task that were given back by tasks that it knows to have ended.
    pub(super) fn collect(&mut self, task: TaskId, has_joined: impl Fn(TaskId) -> bool) {
        let Numbers { taken, given_back } = self;
        given_back.retain(|index, by| {
            let is_free = TaskId::of_number(*index) == task && has_joined(*by);
            !(is_free && taken.remove(index))
        });
    }
}
