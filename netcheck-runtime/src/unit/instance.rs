//! One live run of a unit: its tasks and the executor that polls them.
//!
//! An instance can neither be cloned nor hashed; it is one of possibly many for the same
//! automaton, fed with outcomes step by step. It decides nothing: which outcome, and
//! which runnable task is next, is the input.

use crate::id::{NodeId, SocketId, TaskId, UnitId};
use crate::operation::{Effect, Input, Offer, Operation, OperationKey, Outcome, Stream};
use crate::unit::causality::{ObjectId, Traced};
use crate::unit::checkpoint::{Position, PositionId};
use crate::unit::context::{self, Context, Endpoint, Shared};
use crate::unit::panics::{self, Cause, Panic, Unwound};
use std::any::Any;
use std::collections::BTreeMap;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Wake, Waker};

/// What a program's root future resolves to: the Debug text of the output and the output.
pub(crate) type RootFuture = Pin<Box<dyn Future<Output = (String, Rc<dyn Any>)>>>;

/// A program that can be started any number of times.
pub(crate) struct Program {
    pub(crate) factory: Box<dyn Fn() -> RootFuture>,
    pub(crate) location: &'static Location<'static>,
    /// The sockets that it was given, as they were then.
    pub(crate) endpoints: Vec<(SocketId, Endpoint)>,
    /// The streams that are its own from its start.
    pub(crate) streams: Vec<Stream>,
}

/// A task of a unit.
pub(crate) struct Task {
    future: Option<Pin<Box<dyn Future<Output = ()>>>>,
    control: Arc<TaskControl>,
    on_cancel: Rc<dyn Fn()>,
    number: Arc<TaskNumber>,
    location: &'static Location<'static>,
}

/// What a task's wakers and handles can do to it.
pub(crate) struct TaskControl {
    id: TaskId,
    woken: AtomicBool,
    cancelled: AtomicBool,
    ended: AtomicBool,
}

impl Wake for TaskControl {
    fn wake(self: Arc<Self>) {
        if let Some(context) = context::try_current() {
            context.state().causality.wake(self.id);
        }
        self.woken.store(true, Ordering::Relaxed);
    }
}

impl TaskControl {
    /// The running task looks whether this one has ended.
    pub(crate) fn look_for_end(&self) {
        if let Some(context) = context::try_current() {
            context.touch(ObjectId::end(self.id));
        }
    }

    /// The running task asks whether this one has ended, and does not wait for that.
    pub(crate) fn ask_for_end(&self) {
        if let Some(context) = context::try_current() {
            context.state().causality.ask_for(self.id);
        }
    }

    /// The running task has seen the end of this one.
    pub(crate) fn join(&self) {
        if let Some(context) = context::try_current() {
            let mut state = context.state();
            let task = state.running;
            state.causality.join(task, self.id);
        }
    }

    /// The running task waits for the end of this one.
    pub(crate) fn wait_for_end(&self) {
        if let Some(context) = context::try_current() {
            context.state().causality.wait_for(self.id);
        }
    }

    /// Nobody can look any more whether this one has ended.
    pub(crate) fn forget_end(&self) {
        if let Some(context) = context::try_current() {
            context.forget_object(ObjectId::end(self.id));
        }
    }

    /// Whether the task was woken, and is to end.
    pub(crate) fn flags(&self) -> (bool, bool) {
        (self.woken.load(Ordering::Relaxed), self.cancelled.load(Ordering::Relaxed))
    }

    /// Whether the task's output is there, or it was aborted.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// The task ends, in the poll that is going on.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Asks the task to end at its next await; it becomes runnable for that.
    pub(crate) fn cancel(&self) {
        if let Some(context) = context::try_current() {
            context.state().causality.abort(self.id);
        }
        self.cancelled.store(true, Ordering::Relaxed);
        self.woken.store(true, Ordering::Relaxed);
    }
}

/// What programs know a task by. No other task has it as long as this one runs, or somebody has a
/// handle to it.
#[derive(Debug)]
pub(crate) struct TaskNumber(pub(crate) u32);

impl Drop for TaskNumber {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            context.free_task_number(self.0);
        }
    }
}

impl Task {
    /// A task that is runnable from the start.
    pub(crate) fn new(
        id: TaskId,
        number: Arc<TaskNumber>,
        future: Pin<Box<dyn Future<Output = ()>>>,
        on_cancel: Rc<dyn Fn()>,
        location: &'static Location<'static>,
    ) -> Self {
        let (cancelled, ended) = (AtomicBool::new(false), AtomicBool::new(false));
        let control = TaskControl { id, woken: AtomicBool::new(true), cancelled, ended };
        Task { future: Some(future), control: Arc::new(control), on_cancel, number, location }
    }

    pub(crate) fn control(&self) -> &Arc<TaskControl> {
        &self.control
    }

    /// What programs know it by.
    pub(crate) fn number(&self) -> &Arc<TaskNumber> {
        &self.number
    }

    /// Where it was spawned.
    pub(crate) fn location(&self) -> &'static Location<'static> {
        self.location
    }

    fn is_woken(&self) -> bool {
        self.control.woken.load(Ordering::Relaxed)
    }
}

/// Where a step led.
pub(crate) enum Rest {
    /// Suspended, with this menu.
    Waits(Vec<Offer>),
    /// Ended.
    Ended {
        text: String,
        value: Rc<dyn Any>,
    },
    Panicked(Panic),
    /// Ended because it was aborted.
    Cancelled,
    /// The program did not take the outcome: there is no such step.
    Refused,
    /// The program did something else than the recorded history says.
    Differs(String),
}

/// One step of an instance.
pub(crate) struct Stepped {
    pub(crate) rest: Rest,
    /// The effects since the last answer to a synchronous call.
    pub(crate) effects: Vec<Effect>,
    /// The isolated tasks that were spawned since then.
    pub(crate) spawned: Vec<(UnitId, Rc<Program>)>,
    /// Whether the instance can be stepped on.
    pub(crate) alive: bool,
    /// All that has happened up to the order of independent steps, if tasks are tracked.
    pub(crate) traced: Option<Traced>,
    /// All that is left of what has happened, if a checkpoint says so.
    pub(crate) arrival: Option<PositionId>,
}

/// A live run of a unit.
pub(crate) struct Instance {
    context: Rc<Context>,
    /// Isolated tasks' factories share sockets with this run: they live as long as it does,
    /// so that no run closes a socket that another run of the same history leaves open.
    spawned: Vec<(UnitId, Rc<Program>)>,
    /// Polls of user code, for the report.
    pub(crate) polls: u64,
}

impl Instance {
    /// A run of the program whose first node is `root`.
    pub(crate) fn new(unit: UnitId, root: NodeId, shared: &Rc<Shared>) -> Self {
        let context = Rc::new(Context::new(unit, Rc::clone(shared)));
        context.state().causality.start(root, &mut shared.events.borrow_mut());
        Instance { context, spawned: Vec::new(), polls: 0 }
    }

    /// Feeds one input in the local state `at`, and the answers to the synchronous calls that
    /// follow it: `fed` has them all.
    pub(crate) fn step(
        &mut self,
        program: &Program,
        at: NodeId,
        fed: &[Input],
        outcome: &Outcome,
        answers: impl IntoIterator<Item = (Operation, Outcome)>,
    ) -> Stepped {
        let input = fed[0];
        self.context.begin_at(Position::of(at, input));
        {
            let mut state = self.context.state();
            state.script.extend(answers);
            state.effects.clear();
            state.marks.clear();
            state.selects = 0;
            state.begun = 0;
            state.causality.begin();
        }
        let woken = runnable(&self.context.state().tasks);
        let first = match (input.key, input.key.task_to_run()) {
            (OperationKey::START, _) => {
                self.start(program);
                Some(TaskId(0))
            }
            (OperationKey::CANCEL, _) => self.cancel(),
            (_, Some(task)) => Some(task),
            (key, None) => self.context.complete(key, outcome.clone()),
        };
        let rest = match first {
            Some(first) => self.run(first, woken.contains(&first)),
            None if input.key == OperationKey::CANCEL => Rest::Cancelled,
            None => Rest::Differs("the operation to complete is not pending".to_owned()),
        };
        let mut stepped = self.finish(rest);
        stepped.arrival = self.context.arrival();
        let is_over = stepped.alive || matches!(stepped.rest, Rest::Ended { .. } | Rest::Panicked(_) | Rest::Cancelled);
        if let (true, true, Some(task)) = (is_over, self.context.shared.tracks.get(), first) {
            let fed = fed.iter().map(|input| (input.key, input.outcome)).collect();
            let events = &mut self.context.shared.events.borrow_mut();
            let mut state = self.context.state();
            let has_ended = !state.tasks.contains_key(&task);
            stepped.traced = Some(state.causality.end(task, fed, has_ended, events));
        }
        stepped
    }

    /// Asks the root to end; `None` if it was never polled.
    fn cancel(&self) -> Option<TaskId> {
        let root = TaskId(0);
        let state = self.context.state();
        state.tasks.get(&root)?.control.cancelled.store(true, Ordering::Relaxed);
        Some(root)
    }

    fn start(&self, program: &Program) {
        self.context.state().endpoints.extend(program.endpoints.iter().copied());
        let root = panics::catch(|| context::enter(&self.context, || (program.factory)()));
        let context = Rc::clone(&self.context);
        let root: Pin<Box<dyn Future<Output = ()>>> = match root {
            Ok(root) => Box::pin(async move {
                let ended = root.await;
                context::current().state().ended = Some(ended);
            }),
            // A factory that panics panics again, with the same words, in the root's first poll.
            Err(unwound) => Box::pin(async move {
                if let Unwound::Panicked(panic) = unwound {
                    std::panic::resume_unwind(Box::new(panic))
                }
            }),
        };
        context.spawn_task(root, Rc::new(|| ()), program.location);
    }

    /// Polls `task` once; `was_woken`: it would have been polled without the outcome that it is polled for.
    fn run(&mut self, task: TaskId, was_woken: bool) -> Rest {
        let polled = self.poll(task);
        // A program that panics without having taken the outcome does so without it, too, if it had been woken.
        let is_refusable = match &polled {
            Ok(()) => true,
            Err(Rest::Panicked(_)) => was_woken,
            Err(_) => false,
        };
        if is_refusable && self.context.has_untaken_outcome() {
            return Rest::Refused;
        }
        if let Err(rest) = polled {
            return rest;
        }
        let mut state = self.context.state();
        if let Some((text, value)) = state.ended.take() {
            return Rest::Ended { text, value };
        }
        if !state.script.is_empty() && state.mismatch.is_none() {
            return Rest::Differs("a synchronous call of the recorded history was not made".to_owned());
        }
        if !state.tasks.contains_key(&TaskId(0)) {
            return Rest::Cancelled;
        }
        let runnable = runnable(&state.tasks);
        drop(state);
        Rest::Waits(self.menu(&runnable))
    }

    fn menu(&self, runnable: &[TaskId]) -> Vec<Offer> {
        let here = Location::caller();
        let runs = runnable.iter().map(|&task| Offer {
            key: OperationKey::run(task),
            task,
            operation: Operation::Run(task),
            location: here,
            caller: None,
            execution: 0,
        });
        runs.chain(self.context.offers()).collect()
    }

    fn poll(&mut self, task: TaskId) -> Result<(), Rest> {
        let taken = {
            let mut state = self.context.state();
            state.running = task;
            state.fresh.clear();
            state.called.clear();
            state.rounds.clear();
            state.open.clear();
            let slot = state.tasks.get_mut(&task);
            slot.and_then(|slot| {
                slot.control.woken.store(false, Ordering::Relaxed);
                Some((slot.future.take()?, Arc::clone(&slot.control), Rc::clone(&slot.on_cancel)))
            })
        };
        let Some((mut future, control, on_cancel)) = taken else {
            return Err(Rest::Differs(format!("task {} is not there to be run", task.0)));
        };
        self.polls += 1;
        let shared = Rc::clone(&self.context.shared);
        shared.watch.begin(&shared.unit(self.context.unit).name);
        let polled = panics::catch(|| {
            context::enter(&self.context, || {
                if control.cancelled.load(Ordering::Relaxed) {
                    drop(future);
                    on_cancel();
                    return None;
                }
                let waker = Waker::from(control);
                match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
                    Poll::Ready(()) => {
                        drop(future);
                        None
                    }
                    Poll::Pending => Some(future),
                }
            })
        });
        shared.watch.end();
        let mut state = self.context.state();
        if self.context.is_discarded() {
            // Whatever the program made of being unwound.
            return Err(match (state.mismatch.take(), state.asked.take()) {
                (Some(mismatch), _) => Rest::Differs(mismatch),
                (None, Some(asked)) => Rest::Waits(vec![asked]),
                (None, None) => Rest::Refused,
            });
        }
        match polled {
            Ok(Some(future)) => {
                if let Some(task) = state.tasks.get_mut(&task) {
                    task.future = Some(future);
                }
                Ok(())
            }
            Ok(None) => {
                let ended = state.tasks.remove(&task);
                drop(state);
                context::enter(&self.context, || {
                    drop(ended);
                    self.context.forget_task(task);
                });
                Ok(())
            }
            Err(Unwound::Panicked(panic)) => Err(Rest::Panicked(panic)),
            Err(Unwound::Thrown(payload)) => Err(Rest::Panicked(match payload.downcast::<Panic>() {
                Ok(panic) => *panic,
                Err(payload) => Panic {
                    message: panics::message(&*payload),
                    location: "a resumed panic".to_owned(),
                    cause: Cause::Program,
                },
            })),
        }
    }

    fn finish(&mut self, rest: Rest) -> Stepped {
        let mut state = self.context.state();
        let from = state.marks.last().copied().unwrap_or(0);
        let effects: Vec<Effect> = state.effects.drain(..).skip(from).collect();
        let all = std::mem::take(&mut state.spawned);
        drop(state);
        let spawned = all
            .iter()
            .filter(|(child, _)| effects.iter().any(|e| matches!(e, Effect::Spawn { child: c, .. } if c == child)))
            .cloned()
            .collect();
        self.spawned.extend(all);
        let ends = matches!(rest, Rest::Ended { .. } | Rest::Cancelled);
        let rest = ends.then(|| self.left_behind()).flatten().map_or(rest, Rest::Panicked);
        let alive =
            matches!(&rest, Rest::Waits(offers) if offers.iter().all(|offer| offer.key != OperationKey::ANSWER));
        Stepped { rest, effects, spawned, alive, traced: None, arrival: None }
    }

    /// If a task goes on without the root of its isolated task: what to do. The tasks of a process end with it.
    fn left_behind(&self) -> Option<Panic> {
        let unit = self.context.shared.unit(self.context.unit);
        let state = self.context.state();
        let goes_on = |(id, task): &(&TaskId, &Task)| id.0 > 0 && !task.control.cancelled.load(Ordering::Relaxed);
        let (_, task) = state.tasks.iter().find(goes_on).filter(|_| unit.parent.is_some())?;
        let location = format!("{}:{}", task.location.file(), task.location.line());
        let message = format!(
            "isolated task \"{}\" has ended, and a task that it has spawned at {location} goes on: a check can't follow it\n  \
             await or abort it before, or spawn a `#[netcheck::process]` function, which is a task of its own",
            unit.name
        );
        Some(Panic { message, location, cause: Cause::LeftBehind })
    }
}

/// The program's own destructors run as part of a run that is of no more use: they may ask the
/// world, and nobody hears what they do.
impl Drop for Instance {
    fn drop(&mut self) {
        self.context.set_discarded();
        let tasks = std::mem::take(&mut self.context.state().tasks);
        // A panic in one of them says nothing of the program: the world is not there any more.
        let _ = panics::catch(|| context::enter(&self.context, || drop(tasks)));
    }
}

fn runnable(tasks: &BTreeMap<TaskId, Task>) -> Vec<TaskId> {
    tasks.iter().filter(|(_, task)| task.is_woken()).map(|(&id, _)| id).collect()
}
