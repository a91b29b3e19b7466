//! The record of tracked tasks: the objects that the running task touches, and the tasks that it wakes, joins and
//! aborts.

use crate::unit::identity::causality::ObjectId;
use crate::unit::poll::context::{self, Context, State};
use crate::unit::poll::tasks::TaskControl;
use netcheck_memory::{Handed, engine};
use std::sync::Arc;
use std::task::Wake;

impl Context {
    /// An object that tasks share; `None` if tasks are not tracked.
    pub(crate) fn new_object(&self) -> Option<ObjectId> {
        if !self.shared.modes.tracks {
            return None;
        }
        self.note(|state| Some(state.causality.make(state.tasks.running)))
    }

    /// The running task ends; `output` is a text that represents its output completely, if there is one.
    pub(crate) fn end_task(&self, output: Option<String>) {
        self.note(|state| state.causality.end_with(state.tasks.running, output));
    }

    /// An object can't be reached any more.
    pub(crate) fn forget_object(&self, object: ObjectId) {
        self.note(|state| state.causality.forget(object));
    }

    /// The running task uses an object.
    pub(crate) fn touch(&self, object: ObjectId) {
        self.note(|state| state.causality.touch(object));
    }

    /// Writes something down, apart from the program.
    fn note<R: Handed>(&self, note: impl FnOnce(&mut State) -> R) -> R {
        engine(|| note(&mut self.state()))
    }
}

impl Wake for TaskControl {
    fn wake(self: Arc<Self>) {
        if let Some(context) = context::try_current() {
            context.note(|state| {
                state.causality.wake(self.id);
                state.tasks.wake(&self);
            });
        }
        self.set_woken(true);
    }
}

impl TaskControl {
    /// The running task tests whether this task has ended.
    pub(crate) fn look_for_end(&self) {
        if let Some(context) = context::try_current() {
            context.touch(ObjectId::end(self.id));
        }
    }

    /// The running task tests whether this task has ended, and does not wait for its end.
    pub(crate) fn ask_for_end(&self) {
        if let Some(context) = context::try_current() {
            context.note(|state| state.causality.ask_for(self.id));
        }
    }

    /// The running task has seen the end of this task.
    pub(crate) fn join(&self) {
        if let Some(context) = context::try_current() {
            context.note(|state| state.causality.join(state.tasks.running, self.id));
        }
    }

    /// The running task waits for the end of this task.
    pub(crate) fn wait_for_end(&self) {
        if let Some(context) = context::try_current() {
            context.note(|state| state.causality.wait_for(self.id));
        }
    }

    /// The end of this task can't be tested any more.
    pub(crate) fn forget_end(&self) {
        if let Some(context) = context::try_current() {
            context.forget_object(ObjectId::end(self.id));
        }
    }

    /// Aborts the task at its next await, and makes it runnable.
    pub(crate) fn cancel(&self) {
        if let Some(context) = context::try_current() {
            context.note(|state| {
                state.causality.abort(self.id);
                state.tasks.wake(self);
            });
        }
        self.set_cancelled();
        self.set_woken(true);
    }
}
