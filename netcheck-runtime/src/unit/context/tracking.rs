//! What is recorded of tasks that are tracked, and numbers that do not depend on the order in which they run.

use super::Context;
use crate::id::TaskId;
use crate::unit::causality::ObjectId;

impl Context {
    /// The number of the next task: the smallest free one; if tasks are tracked, one that does
    /// not depend on what other tasks have done.
    pub(super) fn next_task(&self) -> TaskId {
        let mut state = self.state();
        if !self.shared.tracks.get() || state.tasks.is_empty() {
            let free = (0..).map(TaskId).find(|id| !state.tasks.contains_key(id));
            return free.expect("numbers do not run out");
        }
        let parent = state.running;
        let count = state.spawns.entry(parent).or_default();
        *count += 1;
        parent.child(*count).unwrap_or_else(|| {
            panic!(
                "with tracked tasks, a task spawns at most {} others, and they at most as many: \
                 check it without `tasks = tracked`",
                TaskId::CHILDREN_MAX
            )
        })
    }

    /// Where numbers of operations, sockets and timers of the running task begin: if tasks are
    /// tracked, at a number of the task's own, so that they do not depend on other tasks.
    pub(super) fn first_number(&self) -> u32 {
        if self.shared.tracks.get() { self.state().running.first_number() } else { 0 }
    }

    /// An object that tasks share; `None` if tasks are not tracked.
    pub(crate) fn new_object(&self) -> Option<ObjectId> {
        if !self.shared.tracks.get() {
            return None;
        }
        let mut state = self.state();
        let task = state.running;
        Some(state.causality.make(task))
    }

    /// The running task ends; `output` says with what, if that can be told.
    pub(crate) fn end_task(&self, output: Option<String>) {
        let mut state = self.state();
        let task = state.running;
        state.causality.end_with(task, output);
    }

    /// Nobody can reach an object any more.
    pub(crate) fn forget_object(&self, object: ObjectId) {
        self.state().causality.forget(object);
    }

    /// The running task uses an object.
    pub(crate) fn touch(&self, object: ObjectId) {
        self.state().causality.touch(object);
    }
}
