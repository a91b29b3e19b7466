//! The wakers of tasks, and their calls. In the execution that is shown, their clones say where tasks wait.

use crate::id::TaskId;
use crate::operation::{OperationKey, Outcome};
use crate::unit::identity::checkpoint::Values;
use crate::unit::poll::context::{Context, State};
use crate::unit::poll::schedule::Schedule;
use crate::unit::poll::tasks::TaskControl;
use crate::unit::waiting::{self, Waiting};
use netcheck_memory::engine;
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

    /// Wakes a task with its own waker, which calls nothing of the program's; gives back one of another kind.
    pub(in crate::unit) fn wake_directly(&self, task: TaskId, waker: Waker) -> Result<(), Waker> {
        let state = self.state();
        match state.tasks.all.get(&task).filter(|task| waker.data() == Arc::as_ptr(&task.control).cast()) {
            Some(task) => {
                task.control.set_woken(true);
                Ok(())
            }
            None => Err(waker),
        }
    }

    /// The waker of a branch of a `select!`, at this address, calls `task`.
    pub(crate) fn add_branch(&self, waker: *const (), task: &Waker, branch: *const ()) {
        engine(|| {
            let state = &mut *self.state();
            if state.is_of_running(task, self.shared.modes) {
                state.selects.add_branch(waker, state.tasks.running, [task.data(), branch]);
            }
        });
    }

    /// Whether a branch lets others run first: its `yield_now` is ready at the next poll, woken or not.
    pub(crate) fn has_yielded(&self, branch: *const ()) -> bool {
        engine(|| {
            let State { tasks, selects, .. } = &*self.state();
            let schedule = tasks.schedule.as_ref();
            schedule.is_some_and(|schedule| schedule.yielded().any(|waker| selects.is_within(waker, branch.addr())))
        })
    }

    /// The waker of a branch of a `select!` is dropped.
    pub(crate) fn remove_branch(&self, waker: *const ()) {
        engine(|| self.state().selects.remove_branch(waker));
    }

    /// Begins the call of a waker that is the program's own, of an operation of this task.
    pub(in crate::unit) fn begin_waking(&self, task: TaskId) {
        let state = &mut *self.state();
        state.operations.begin_poll();
        state.handles.begin_poll();
        state.selects.begin_poll();
        state.tasks.running = task;
        state.tasks.schedule.iter_mut().for_each(Schedule::begin_call);
    }

    /// All that the engine knows of the unit and that its future depends on, but for whose turn it is.
    pub(in crate::unit) fn known(&self) -> Values {
        let state = &mut *self.state();
        let mut values = Values::default();
        let schedule = state.tasks.schedule.take();
        state.record_between_steps(&mut values);
        state.tasks.schedule = schedule;
        values
    }

    /// Whether a poll for an outcome that it has not taken has done nothing that the engine knows of. Then the operation
    /// waits again, with this waker.
    pub(in crate::unit) fn is_as_before(
        &self,
        (key, outcome): (OperationKey, &Outcome),
        again: Waker,
        before: &Values,
    ) -> bool {
        let has_effects = self.state().script.effects() > 0 || !self.state().isolated.spawned.is_empty();
        if has_effects || !self.state().operations.wait_again(key, again) {
            return false;
        }
        let known = self.known();
        let is_as_before = (&known.bytes, &known.instants) == (&before.bytes, &before.instants);
        if !is_as_before {
            // The waker was called.
            drop(self.complete(key, outcome));
        }
        is_as_before
    }

    /// Where the tasks wait, if the check explains it.
    pub(in crate::unit) fn waiting(&self) -> Option<Vec<Waiting>> {
        let tasks = &self.state().tasks.all;
        let waiting = tasks.iter().map(|(&id, task)| Waiting::new(id, task.location, &self.clones));
        self.shared.modes.explains.then(|| waiting.collect())
    }
}
