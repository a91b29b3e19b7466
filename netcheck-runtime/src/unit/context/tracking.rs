//! What is recorded of tasks that are tracked, and numbers that do not depend on the order in which they run.

use super::{Context, Slots, State};
use crate::id::{TaskId, UnitId};
use crate::unit::causality::ObjectId;
use crate::unit::instance::TaskNumber;
use std::num::NonZeroU64;
use std::sync::Arc;

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

    /// What programs know the next task by, of which no handle must be left then: the smallest free
    /// number; if tasks are tracked, the task's own one.
    pub(super) fn next_task_number(&self, task: TaskId) -> Arc<TaskNumber> {
        let number = if self.shared.tracks.get() { task.0 } else { self.state().task_numbers.take(0) };
        Arc::new(TaskNumber(number))
    }

    /// The task that programs knew by this number is gone, with its handles.
    pub(crate) fn free_task_number(&self, number: u32) {
        if !self.shared.tracks.get() {
            self.state().task_numbers.free(number);
        }
    }

    /// What programs know the running task by; the root of a process is no task.
    pub(crate) fn task_name(&self) -> Option<NonZeroU64> {
        let number = {
            let state = self.state();
            state.tasks.get(&state.running)?.number().0
        };
        match number {
            0 if self.shared.unit(self.unit).parent.is_none() => None,
            number => Some(self.name_of_task(self.unit, number)),
        }
    }

    /// What programs know a task of a unit by: 1, 2, … in a process. An isolated task may have been
    /// spawned in any order with others, so it is known by its own name, as it is in like processes.
    pub(crate) fn name_of_task(&self, unit: UnitId, number: u32) -> NonZeroU64 {
        let unit = self.shared.unit(unit);
        let name = match unit.name.split_once('/') {
            None => u64::from(number),
            Some((_process, own)) => hash(own).wrapping_add(u64::from(number)) | 1 << 63,
        };
        NonZeroU64::new(name).expect("the root of a process has no name")
    }

    /// A number for a socket or a timer of the running task: the smallest that is free for it.
    pub(super) fn take_number(&self, of: impl Fn(&mut State) -> &mut Slots) -> u32 {
        let first = self.first_number();
        let mut state = self.state();
        if self.shared.tracks.get() {
            let task = state.running;
            let joined = state.causality.joined_by(task);
            of(&mut state).collect(task, |ended| joined.contains(&ended));
        }
        of(&mut state).take(first)
    }

    /// A socket or a timer with this number is gone.
    pub(super) fn give_number_back(&self, of: impl Fn(&mut State) -> &mut Slots, number: u32) {
        let mut state = self.state();
        let running = state.running;
        match self.shared.tracks.get() {
            true => of(&mut state).give_back(number, running),
            false => of(&mut state).free(number),
        }
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

/// The same in every check (64-bit FNV-1a).
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
