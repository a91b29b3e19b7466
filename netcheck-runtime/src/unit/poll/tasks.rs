//! The tasks of a unit, and the isolated tasks that it has spawned.

use crate::id::{CallerId, TaskId, UnitId};
use crate::sorted::{SortedMap, SortedSet};
use crate::unit::poll::numbers::Numbers;
use crate::unit::poll::schedule::Schedule;
use crate::unit::program::Program;
use ahash::AHashMap;
use netcheck_memory::{Carried, Scan};
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The future of a task.
pub(in crate::unit) type TaskFuture = Pin<Box<dyn Future<Output = ()>>>;

/// The parts of a task that a poll uses: its future, its control, and the call that ends it when it is aborted.
pub(in crate::unit) type Polled = (TaskFuture, Arc<TaskControl>, Rc<dyn Fn()>);

/// A task of a unit.
pub(in crate::unit) struct Task {
    /// The task's future, while it is not being polled.
    pub(in crate::unit) future: Option<TaskFuture>,
    pub(in crate::unit) control: Arc<TaskControl>,
    /// Tells the task's handles that it ends without an output.
    on_cancel: Rc<dyn Fn()>,
    pub(super) number: Arc<TaskNumber>,
    /// The source line that has spawned it.
    pub(in crate::unit) location: &'static Location<'static>,
    /// The program's own source line then, if calls are traced.
    pub(super) caller: Option<CallerId>,
    /// Whether tokio would run it on a thread of its own.
    pub(super) blocks: bool,
}

impl Task {
    /// A task that is runnable from the start.
    pub(super) fn new(
        id: TaskId,
        number: Arc<TaskNumber>,
        future: TaskFuture,
        on_cancel: Rc<dyn Fn()>,
        (location, blocks): (&'static Location<'static>, bool),
    ) -> Self {
        let (cancelled, ended) = (AtomicBool::new(false), AtomicBool::new(false));
        let control = TaskControl { id, woken: AtomicBool::new(true), cancelled, ended };
        Task { future: Some(future), control: Arc::new(control), on_cancel, number, location, caller: None, blocks }
    }

    /// Adds the memory of the task to an image of its unit's memory.
    fn scan(&self, scan: &mut Scan<'_>) {
        scan.word(self.control.id.0.into());
        scan.word(std::ptr::from_ref(self.location) as u64);
        if let Some(future) = &self.future {
            scan.dynamic(&**future);
        }
        scan.pointer(Arc::as_ptr(&self.control));
        scan.pointer(Arc::as_ptr(&self.number));
        scan.dynamic(&*self.on_cancel);
    }
}

/// The part of a task that its wakers and handles share; [`super::tracking`] records its uses.
pub(crate) struct TaskControl {
    pub(super) id: TaskId,
    woken: AtomicBool,
    cancelled: AtomicBool,
    ended: AtomicBool,
}

impl TaskControl {
    /// Whether the task was woken, and whether it was aborted.
    pub(super) fn flags(&self) -> (bool, bool) {
        (self.is_woken(), self.is_cancelled())
    }

    fn is_woken(&self) -> bool {
        self.woken.load(Ordering::Relaxed)
    }

    pub(super) fn set_woken(&self, woken: bool) {
        self.woken.store(woken, Ordering::Relaxed);
    }

    /// Whether the task was aborted.
    pub(in crate::unit) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(in crate::unit) fn set_cancelled(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the task has an output, or was aborted.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// The task ends in the current poll.
    pub(super) fn set_ended(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// The number by which programs know a task. No other task has it while the task runs or has a handle.
/// [`super::spawning`] frees the number when this is dropped.
#[derive(Debug)]
pub(crate) struct TaskNumber(pub(crate) u32);

/// The tasks of a unit.
#[derive(Clone, Default)]
pub(in crate::unit) struct Tasks {
    pub(in crate::unit) all: SortedMap<TaskId, Carried<Task>>,
    /// The task that is being polled.
    pub(in crate::unit) running: TaskId,
    /// The number of tasks that each task has spawned.
    pub(super) spawns: AHashMap<TaskId, u32>,
    /// The numbers by which programs know tasks.
    pub(super) numbers: Numbers,
    /// The order in which tasks are polled, if it is tokio's.
    pub(super) schedule: Option<Schedule>,
}

impl Tasks {
    /// The task that is being polled, unless it is ending.
    pub(super) fn running(&self) -> Option<&Task> {
        self.all.get(&self.running).map(|task| &**task)
    }

    /// The program's own source line when the running task was spawned, if calls are traced.
    pub(super) fn caller(&self) -> Option<CallerId> {
        self.running()?.caller
    }

    /// The poll of a task begins.
    pub(super) fn begin_poll(&mut self, task: TaskId) -> Option<Polled> {
        self.running = task;
        self.schedule.iter_mut().for_each(|schedule| schedule.begin_poll(task));
        let task = self.all.get_mut(&task)?;
        task.control.set_woken(false);
        Some((task.future.take()?, Arc::clone(&task.control), Rc::clone(&task.on_cancel)))
    }

    /// A task is spawned.
    pub(super) fn spawn(&mut self, id: TaskId, task: Task) {
        let is_apart = task.blocks || self.is_blocking();
        self.all.insert(id, Carried::new(task));
        self.queue(id, is_apart);
    }

    /// A task is woken or aborted.
    pub(super) fn wake(&mut self, control: &TaskControl) {
        let Some(schedule) = &self.schedule else { return };
        let is_it = |task: &Carried<Task>| std::ptr::eq(Arc::as_ptr(&task.control), control);
        if !control.is_woken() && !schedule.is_polled(control.id) && self.all.get(&control.id).is_some_and(is_it) {
            self.queue(control.id, self.is_blocking());
        }
    }

    fn queue(&mut self, task: TaskId, is_apart: bool) {
        match &mut self.schedule {
            Some(schedule) if is_apart => schedule.push_at_any_time(task),
            Some(schedule) => schedule.push(task),
            None => {}
        }
    }

    /// Whether a task is being polled that tokio would run on a thread of its own.
    fn is_blocking(&self) -> bool {
        let polled = self.schedule.as_ref().and_then(Schedule::polled);
        polled.and_then(|polled| self.all.get(&polled)).is_some_and(|polled| polled.blocks)
    }

    /// Whether the root is woken.
    pub(super) fn root_is_woken(&self) -> bool {
        self.all.get(&TaskId(0)).is_some_and(|root| root.control.is_woken())
    }

    /// The tasks that are woken or aborted, and can be polled.
    pub(in crate::unit) fn runnable(&self) -> Vec<TaskId> {
        let has_yielded = |id| self.schedule.as_ref().is_some_and(|schedule| schedule.has_yielded(id));
        let all = self.all.iter();
        all.filter(|&(&id, task)| task.control.is_woken() || has_yielded(id)).map(|(&id, _)| id).collect()
    }

    /// Records everything here that the future of a unit with one task depends on.
    pub(super) fn record(&self, values: &mut impl Hasher) {
        self.numbers.hash(values);
        self.all.values().for_each(|task| task.control.flags().hash(values));
        self.schedule.iter().for_each(|schedule| schedule.record(values));
    }

    /// Adds the memory of the tasks to an image of their unit's memory.
    pub(super) fn scan(&self, scan: &mut Scan<'_>) {
        self.all.values().for_each(|task| task.scan(scan));
        self.schedule.iter().for_each(|schedule| schedule.scan(scan));
    }
}

/// The isolated tasks that a unit has spawned.
#[derive(Clone, Default)]
pub(in crate::unit) struct IsolatedTasks {
    /// The number of isolated tasks that this history has spawned, by name and first number.
    counts: SortedMap<(&'static str, u32), u32>,
    /// The isolated tasks whose end was not seen in this history.
    unseen: SortedSet<UnitId>,
    /// The isolated tasks that were spawned in this step, with their programs.
    pub(in crate::unit) spawned: Vec<(UnitId, Rc<Program>)>,
}

impl IsolatedTasks {
    /// The ordinal of the next isolated task of this name.
    pub(super) fn next(&mut self, name: &'static str, first: u32) -> u32 {
        let count = self.counts.or_default((name, first));
        first + std::mem::replace(count, *count + 1)
    }

    pub(super) fn spawn(&mut self, child: UnitId, program: Rc<Program>) {
        self.unseen.insert(child);
        self.spawned.push((child, program));
    }

    /// The history has seen the end of an isolated task.
    pub(super) fn see_end(&mut self, child: UnitId) {
        self.unseen.remove(&child);
    }

    /// Records everything here that the unit's future depends on.
    pub(super) fn record(&self, values: &mut impl Hasher) {
        (&self.unseen, &self.counts).hash(values);
    }
}
