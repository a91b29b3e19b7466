//! Tasks and isolated tasks: spawning them, their numbers and names.

use crate::id::{SocketId, TaskId, UnitId};
use crate::operation::tasks;
use crate::operation::{Effect, Stream};
use crate::unit::poll::context::{self, Context};
use crate::unit::poll::tasks::{Task, TaskControl, TaskFuture, TaskNumber};
use crate::unit::program::Program;
use netcheck_memory::engine;
use smallvec::SmallVec;
use std::num::NonZeroU64;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

impl Context {
    /// Spawns an isolated task: a unit of its own.
    pub(crate) fn spawn_unit(
        &self,
        name: &'static str,
        handles: SmallVec<[SocketId; 2]>,
        streams: SmallVec<[Stream; 1]>,
        program: Rc<Program>,
    ) -> UnitId {
        engine(|| {
            let first = self.first_number();
            let mut state = self.state();
            let index = state.isolated.next(name, first);
            let child = self.shared.child(self.unit, name, index);
            state.isolated.spawn(child, program);
            state.script.affect(Effect::Tasks(tasks::Effect::Spawn { child, handles, streams }));
            child
        })
    }

    /// The handle of an isolated task is no longer needed.
    pub(crate) fn detach_unit(&self, child: UnitId) {
        engine(|| {
            self.effect(Effect::Tasks(tasks::Effect::Detach { child }));
        })
    }

    /// The program makes one of tokio's channels.
    pub(crate) fn note_channel(&self, location: &'static Location<'static>) {
        engine(|| self.shared.note_channel(self.unit, location));
    }

    /// Spawns a task of this unit; it becomes runnable. `blocks`: tokio would run it on a thread of its own.
    pub(crate) fn spawn_task(
        &self,
        future: TaskFuture,
        on_cancel: Rc<dyn Fn()>,
        (location, blocks): (&'static Location<'static>, bool),
    ) -> (Arc<TaskNumber>, Arc<TaskControl>) {
        let id = self.next_task();
        let number = self.next_task_number(id);
        let mut task = Task::new(id, number, future, on_cancel, (location, blocks));
        let shared = (Arc::clone(&task.number), Arc::clone(&task.control));
        engine(|| {
            let mut state = self.state();
            if self.shared.modes.traces {
                // Of a call on a file that is open, the location is the line that has opened it.
                let running = blocks.then(|| self.shared.running_line()).flatten();
                task.caller = Some(running.unwrap_or_else(|| self.shared.caller(location, state.tasks.caller())));
            }
            state.tasks.spawn(id, task);
            state.causality.spawn(id);
            if id.0 > 0 {
                self.shared.note_spawn(self.unit, location);
            }
        });
        shared
    }

    /// The id of the next task: the smallest free one; if tasks are tracked, one that does not depend on the steps of
    /// other tasks.
    fn next_task(&self) -> TaskId {
        engine(|| {
            let tasks = &mut self.state().tasks;
            if !self.shared.modes.tracks || tasks.all.is_empty() {
                return TaskId(tasks.all.first_absent(|task| task.0));
            }
            let parent = tasks.running;
            let count = tasks.spawns.entry(parent).or_default();
            *count += 1;
            parent.child(*count).unwrap_or_else(|| {
                panic!(
                    "with tracked tasks, a task spawns at most {} others, and they at most as many: \
                 check it without `tasks = tracked`",
                    TaskId::CHILDREN_MAX
                )
            })
        })
    }

    /// The number by which programs know the next task: the smallest that no running task and no handle has; if tasks
    /// are tracked, the task's own one.
    fn next_task_number(&self, task: TaskId) -> Arc<TaskNumber> {
        let number = if self.shared.modes.tracks { task.0 } else { engine(|| self.state().tasks.numbers.take(0)) };
        Arc::new(TaskNumber(number))
    }

    /// Frees the number of a task that has ended and has no handles.
    fn free_task_number(&self, number: u32) {
        engine(|| {
            if !self.shared.modes.tracks {
                self.state().tasks.numbers.free(number);
            }
        })
    }

    /// The number by which programs know the running task; the root of a process is no task.
    pub(crate) fn task_name(&self) -> Option<NonZeroU64> {
        engine(|| {
            let number = self.state().tasks.running()?.number.0;
            match number {
                0 if self.shared.unit(self.unit).parent.is_none() => None,
                number => Some(self.name_of_task(self.unit, number)),
            }
        })
    }

    /// The number by which programs know a task of a unit.
    pub(crate) fn name_of_task(&self, unit: UnitId, number: u32) -> NonZeroU64 {
        engine(|| self.shared.unit(unit).number_of_task(number))
    }

    /// From now on, handles of the running task see that it has ended.
    pub(crate) fn end_running(&self) {
        engine(|| {
            if let Some(task) = self.state().tasks.running() {
                task.control.set_ended();
            }
        })
    }
}

impl Drop for TaskNumber {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            context.free_task_number(self.0);
        }
    }
}
