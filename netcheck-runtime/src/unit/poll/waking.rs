//! The wakers of tasks: in the execution that is shown, their clones say where tasks wait.

use crate::id::TaskId;
use crate::unit::poll::context::Context;
use crate::unit::poll::tasks::TaskControl;
use crate::unit::waiting::{self, Waiting};
use std::sync::Arc;
use std::task::Waker;

impl Context {
    /// The waker for a poll of a task.
    pub(in crate::unit) fn waker(&self, task: TaskId, control: Arc<TaskControl>) -> Waker {
        match self.shared.modes.explains {
            true => waiting::waker(task, control, &self.clones, &self.shared.backtraces),
            false => Waker::from(control),
        }
    }

    /// Where the tasks wait, if the check explains it.
    pub(in crate::unit) fn waiting(&self) -> Option<Vec<Waiting>> {
        let tasks = &self.state().tasks.all;
        let waiting = tasks.iter().map(|(&id, task)| Waiting::new(id, task.location, &self.clones));
        self.shared.modes.explains.then(|| waiting.collect())
    }
}
