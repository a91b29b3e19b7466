//! One live run of a unit: its tasks and the executor that polls them.
//!
//! An instance can neither be cloned nor hashed; several instances of one automaton may exist, each fed with outcomes
//! step by step. It decides nothing: the outcome, and the runnable task that is polled next, are inputs.

use crate::id::{NodeId, TaskId, UnitId};
use crate::operation::files::Tree;
use crate::operation::{Begun, Effect, Input, Offer, Operation, OperationKey, Outcome, tasks};
use crate::unit::identity::causality::Traced;
use crate::unit::identity::checkpoint::{Position, PositionId};
use crate::unit::identity::memory::ImageId;
use crate::unit::panics::{self, Cause, Panic, Unwound};
use crate::unit::poll::context::{self, Abandoned, Context};
use crate::unit::poll::tasks::Task;
use crate::unit::program::Program;
use crate::unit::remark::Remark;
use crate::unit::shared::{Shared, Value};
use crate::unit::waiting::Waiting;
use netcheck_memory::{Carried, Held, call_on_step_stack, engine_region};
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

/// The result of a step.
pub enum Rest {
    /// Suspended, with the operations that it waits for.
    Waits(Vec<Offer>),
    /// Suspended, with the operations that are recorded.
    WaitsAsRecorded,
    /// Ended.
    Ended {
        text: String,
        value: Value,
    },
    Panicked(Panic),
    /// Ended because it was aborted.
    Cancelled,
    /// The program did not take the outcome: the step does not exist.
    Refused,
    /// The program behaved differently from the recorded history.
    Differs(String),
    /// The check can't go on.
    Failed(String),
}

/// One step of an instance.
pub struct Stepped {
    pub rest: Rest,
    /// The effects since the last answer to a synchronous call.
    pub(crate) effects: Vec<Effect>,
    /// The isolated tasks that were spawned since then.
    pub(crate) spawned: Vec<(UnitId, Rc<Program>)>,
    /// Whether the instance can take further steps.
    pub(crate) alive: bool,
    /// The history up to the order of independent steps, if tasks are tracked.
    pub(crate) traced: Option<Traced>,
    /// The position after the last checkpoint, if the step or the history has passed one.
    pub(crate) arrival: Option<PositionId>,
    /// The image of the memory, if memory identifies local states.
    pub image: Option<ImageId>,
    /// The instants that the memory holds, by the clock of the run.
    pub(crate) held: Held,
    /// Where the tasks wait, if the check explains it.
    pub(crate) waiting: Option<Vec<Waiting>>,
    /// The files of the host, if they are others than the check declares.
    pub(crate) files: Option<Arc<Tree>>,
    /// Remarks for readers on the step, if calls are traced.
    pub(crate) remarks: Vec<Remark>,
    /// The calls that it has let wait and that might have completed.
    pub(crate) begun: Begun,
}

/// A live run of a unit.
pub struct Instance {
    pub(in crate::unit) context: Rc<Context>,
    /// The isolated tasks that this run spawned. Their factories share sockets with the run and live as long as it
    /// does, so that no run closes a socket that another run of the same history leaves open.
    pub(super) spawned: Vec<(UnitId, Rc<Program>)>,
    /// Polls of user code, and calls of its wakers, for the report.
    pub(crate) polls: u64,
}

impl Instance {
    /// A run of the program whose first node is `root`.
    pub fn new(unit: UnitId, root: NodeId, shared: &Rc<Shared>) -> Self {
        Instance::in_context(engine_region(|| Context::new(unit, Rc::clone(shared))), root)
    }

    /// As [`Instance::new`], with a heap that the check may keep parts of.
    pub(in crate::unit) fn without_arena(unit: UnitId, root: NodeId, shared: &Rc<Shared>) -> Self {
        Instance::in_context(engine_region(|| Context::without_arena(unit, Rc::clone(shared))), root)
    }

    fn in_context(context: Rc<Context>, root: NodeId) -> Self {
        context.state().causality.start(root, &mut context.shared.events.borrow_mut());
        Instance { context, spawned: Vec::new(), polls: 0 }
    }

    /// Feeds one input in the local state `at`, and the answers to the synchronous calls that follow it; `fed` contains
    /// all of them. `recorded`: where the step is known, the operations that the run is to wait for after it; then no
    /// image is made.
    ///
    /// It works in the engine's region, and on a stack that begins at the same place each time: a program never holds
    /// pointers to what is made there, so stale ones do not tell local states apart.
    pub fn step(
        &mut self,
        program: &Program,
        at: NodeId,
        fed: &[Input],
        outcome: &Outcome,
        answers: impl IntoIterator<Item = (Operation, Outcome)>,
        recorded: Option<&[Offer]>,
    ) -> Stepped {
        let step = || {
            let input = fed[0];
            self.context.begin_step(Position::of(at, input), answers);
            let (first, rest) = self.take(program, input.key, outcome, recorded);
            let mut stepped = self.finish(rest);
            self.drop_output(&mut stepped.rest);
            stepped.arrival = self.context.arrival();
            if stepped.alive {
                self.context.overwrite_unread();
            }
            if stepped.alive && matches!(stepped.rest, Rest::Waits(_)) {
                (stepped.image, stepped.held) = self.context.image();
                stepped.waiting = self.context.waiting();
            }
            self.context.attempt(None);
            let is_over =
                stepped.alive || matches!(stepped.rest, Rest::Ended { .. } | Rest::Panicked(_) | Rest::Cancelled);
            if let (true, true, Some(task)) = (is_over, self.context.shared.modes.tracks, first) {
                let fed = fed.iter().map(|input| (input.key, input.outcome)).collect();
                let events = &mut self.context.shared.events.borrow_mut();
                let mut state = self.context.state();
                let has_ended = !state.tasks.all.contains_key(&task);
                stepped.traced = Some(state.causality.end(task, fed, has_ended, events));
            }
            stepped
        };
        call_on_step_stack(|| engine_region(step))
    }

    /// The next step tries the operation that it begins with this number as soon as it is begun.
    pub(in crate::unit) fn attempt(&self, number: u32) {
        self.context.attempt(Some(number));
    }

    /// Takes the step of an input. Returns the task that takes it, too.
    fn take(
        &mut self,
        program: &Program,
        key: OperationKey,
        outcome: &Outcome,
        recorded: Option<&[Offer]>,
    ) -> (Option<TaskId>, Rest) {
        let task = match (key, key.task_to_run()) {
            (OperationKey::START, _) => {
                outcome.files().into_iter().for_each(|tree| self.context.begin_with_files(tree));
                self.start(program);
                return (Some(TaskId(0)), self.run(TaskId(0), recorded));
            }
            (OperationKey::CANCEL, _) => {
                let root = self.cancel();
                return (root, root.map_or(Rest::Cancelled, |root| self.run(root, recorded)));
            }
            (_, task) => task,
        };
        let completed = self.context.offer(key);
        let goes_on = completed.as_ref().is_some_and(|offer| self.context.goes_on(offer));
        if let Err(rest) = self.apart(|context| context.take_turn(key)) {
            return (task, rest);
        }
        let rest = match (task, &completed) {
            (Some(task), _) => self.run(task, recorded),
            (None, Some(offer)) if offer.is_called => self.call(offer, outcome, goes_on, recorded),
            (None, Some(offer)) => self.give(offer, outcome, recorded),
            (None, None) => Rest::Differs("the operation to complete is not pending".to_owned()),
        };
        (task.or(completed.map(|offer| offer.task)), rest)
    }

    /// Aborts the root; `None` if it was never polled.
    fn cancel(&self) -> Option<TaskId> {
        let root = TaskId(0);
        let state = self.context.state();
        state.tasks.all.get(&root)?.control.set_cancelled();
        Some(root)
    }

    fn start(&self, program: &Program) {
        program.sockets.iter().for_each(|(socket, kept)| self.context.receive_socket(*socket, &**kept));
        let factory = &program.factory;
        let make = || netcheck_memory::call_with_clean_registers(factory);
        let root = panics::catch(|| context::enter(&self.context, make));
        let (context, location) = (Rc::clone(&self.context), program.location);
        let spawn = move || {
            let root: Pin<Box<dyn Future<Output = ()>>> = match root {
                Ok(root) => Box::pin(async move {
                    let ended = root.await;
                    context::current().state().ended = Some(ended);
                }),
                // A factory that panics panics again, with the same message, in the root's first poll.
                Err(unwound) => Box::pin(async move {
                    if let Unwound::Panicked(panic) = unwound {
                        std::panic::resume_unwind(Box::new(panic))
                    }
                }),
            };
            context.spawn_task(root, Rc::new(|| ()), (location, false));
        };
        context::enter(&self.context, || netcheck_memory::call_with_clean_registers(spawn));
    }

    /// Polls `task` once, because it was woken.
    fn run(&mut self, task: TaskId, recorded: Option<&[Offer]>) -> Rest {
        let polled = self.poll(task);
        self.end_run(task, polled, recorded)
    }

    /// An operation completes whose waker is that of its task: the task is polled. If it does not take the outcome, the
    /// step is one in which it is woken for nothing; there is none if the outcome is one that the poll which takes it
    /// chooses, and none if the poll does nothing but wait again, as that of most futures: what it may have changed in the
    /// program's memory alone is not explored.
    fn give(&mut self, offer: &Offer, outcome: &Outcome, recorded: Option<&[Offer]>) -> Rest {
        let Offer { key, task, .. } = *offer;
        let was_woken = self.context.state().tasks.runnable().contains(&task);
        let is_waking = *outcome == Outcome::Woken;
        if was_woken && is_waking {
            return Rest::Refused;
        }
        let is_chosen_later = offer.operation.is_tried_again() && !is_waking;
        let before = (!was_woken && !is_chosen_later).then(|| self.context.known());
        let Some(waker) = self.context.complete(key, outcome) else {
            return Rest::Differs("the operation to complete has no waker".to_owned());
        };
        if let Err(waker) = self.context.wake_directly(task, waker.clone())
            && let Err((_, rest)) = Self::attend(&self.context, || waker.wake())
        {
            return rest;
        }
        let polled = self.poll(task);
        let is_as_before = || match &before {
            Some(before) => self.context.is_as_before((key, outcome), waker, before),
            None => true,
        };
        let is_refused = self.context.has_untaken_outcome()
            && match &polled {
                Ok(()) => is_as_before(),
                // A task that was woken anyway and panics without the outcome would have panicked earlier, too.
                Err(Rest::Panicked(_)) => was_woken,
                Err(_) => false,
            };
        if is_refused {
            return Rest::Refused;
        }
        self.end_run(task, polled, recorded)
    }

    /// An operation completes whose waker is the program's: it is called. `goes_on`: with `tasks = fifo`, the task that has
    /// begun the operation goes on at once if it is woken, as if the operation had completed when it was begun.
    fn call(&mut self, offer: &Offer, outcome: &Outcome, goes_on: bool, recorded: Option<&[Offer]>) -> Rest {
        let Some(waker) = self.context.complete(offer.key, outcome) else {
            return Rest::Differs("the operation to complete has no waker".to_owned());
        };
        self.polls += 1;
        self.context.begin_waking(offer.task);
        if let Err((_, rest)) =
            Self::attend(&self.context, || netcheck_memory::call_with_clean_registers(|| waker.wake()))
        {
            return rest;
        }
        if goes_on && self.context.state().tasks.runnable().contains(&offer.task) {
            return self.run(offer.task, recorded);
        }
        if let Err(rest) = self.apart(|context| context.settle()) {
            return rest;
        }
        self.rest(recorded)
    }

    /// The result of a step that has polled a task.
    fn end_run(&mut self, task: TaskId, polled: Result<(), Rest>, recorded: Option<&[Offer]>) -> Rest {
        if let Err(rest) = polled {
            return rest;
        }
        if self.context.state().ended.is_none()
            && let Err(rest) = self.apart(|context| context.end_turn(task))
        {
            return rest;
        }
        self.rest(recorded)
    }

    /// The result of a step that has come to its end.
    fn rest(&self, recorded: Option<&[Offer]>) -> Rest {
        let ended = self.context.state().ended.take();
        if let Some((text, value)) = ended {
            self.context.end_writes();
            return Rest::Ended { text, value: Value::new(value) };
        }
        if self.context.has_unused_answers() {
            return Rest::Differs("a synchronous call of the recorded history was not made".to_owned());
        }
        if !self.context.state().tasks.all.contains_key(&TaskId(0)) {
            return Rest::Cancelled;
        }
        match recorded {
            Some(recorded) if self.has_menu(recorded) => Rest::WaitsAsRecorded,
            _ => Rest::Waits(self.menu()),
        }
    }

    fn menu(&self) -> Vec<Offer> {
        if let Some(in_order) = self.context.offers_in_order(run_of) {
            return in_order;
        }
        let runnable = self.context.state().tasks.runnable();
        runnable.into_iter().map(run_of).chain(self.context.offers()).collect()
    }

    /// Whether these are the operations that the run waits for: a history is mostly replayed as it was, so nothing is
    /// copied.
    fn has_menu(&self, recorded: &[Offer]) -> bool {
        if self.context.has_order() {
            return self.menu() == recorded;
        }
        let runnable = self.context.state().tasks.runnable();
        let Some((runs, operations)) = recorded.split_at_checked(runnable.len()) else { return false };
        let mut runs = runnable.into_iter().map(run_of).zip(runs);
        runs.all(|(run, recorded)| run == *recorded) && self.context.has_offers(operations)
    }

    fn poll(&mut self, task: TaskId) -> Result<(), Rest> {
        let Some((mut future, control, on_cancel)) = self.context.begin_poll(task) else {
            return Err(Rest::Differs(format!("task {} is not there to be run", task.0)));
        };
        self.polls += 1;
        let polled = Self::attend(&self.context, || {
            if control.is_cancelled() {
                drop(future);
                on_cancel();
                return None;
            }
            let waker = self.context.waker(task, control);
            // Registers hold addresses of the engine's for this run, which the program would save on its stack.
            let poll = || future.as_mut().poll(&mut std::task::Context::from_waker(&waker));
            match netcheck_memory::call_with_clean_registers(poll) {
                Poll::Ready(()) => {
                    drop(future);
                    None
                }
                Poll::Pending => Some(future),
            }
        });
        match polled {
            Ok(Some(future)) => {
                if let Some(task) = self.context.state().tasks.all.get_mut(&task) {
                    task.future = Some(future);
                }
                Ok(())
            }
            Ok(None) => {
                let ended = self.context.state().tasks.all.remove(&task).map(Carried::take);
                self.apart(|context| {
                    context::enter(context, || {
                        drop(ended);
                        context.forget_task(task);
                    });
                })
            }
            Err((left, rest)) => {
                if let Some(Some(future)) = left {
                    // The poll could not be unwound. A panic in a destructor does not count.
                    let _ = panics::catch(|| context::enter(&self.context, || drop(future)));
                }
                Err(rest)
            }
        }
    }

    /// Calls the program. If the call was abandoned, what it has returned nevertheless comes with the reason.
    fn attend<R>(context: &Rc<Context>, call: impl FnOnce() -> R) -> Result<R, (Option<R>, Rest)> {
        let shared = Rc::clone(&context.shared);
        shared.watch.begin(&shared.unit(context.unit).name);
        let called = panics::catch(|| {
            context::enter(context, || {
                let result = call();
                context.leave_program();
                result
            })
        });
        shared.watch.end();
        Self::result(context, called)
    }

    /// Calls something that may call the program, outside of a poll.
    fn apart(&self, call: impl FnOnce(&Rc<Context>)) -> Result<(), Rest> {
        let called = panics::catch(|| call(&self.context));
        Self::result(&self.context, called).map_err(|(_, rest)| rest)
    }

    fn result<R>(context: &Rc<Context>, called: Result<R, Unwound>) -> Result<R, (Option<R>, Rest)> {
        if let Some(abandoned) = context.abandoned() {
            // The program may have caught the panic that left the call, or have panicked again: neither counts.
            let rest = match abandoned {
                Abandoned::Differs(mismatch) => Rest::Differs(mismatch),
                Abandoned::Asks(asked) => Rest::Waits(vec![asked]),
                Abandoned::Refused => Rest::Refused,
                Abandoned::Exits(exit) => Rest::Panicked(exit),
                Abandoned::Failed(why) => Rest::Failed(why),
            };
            return Err((called.ok(), rest));
        }
        called.map_err(|unwound| (None, Rest::Panicked(Self::panic_of(unwound))))
    }

    fn panic_of(unwound: Unwound) -> Panic {
        match unwound {
            Unwound::Panicked(panic) => panic,
            Unwound::Thrown(payload) => match payload.downcast::<Panic>() {
                Ok(panic) => *panic,
                Err(payload) => Panic {
                    message: panics::message(&*payload),
                    location: "a resumed panic".to_owned(),
                    cause: Cause::Program,
                },
            },
        }
    }

    /// Drops the value that the program has ended with, unless something is shown it: it is the last thing that the program
    /// does. Nobody else sees it: the end of the program has closed its sockets.
    fn drop_output(&self, rest: &mut Rest) {
        let Rest::Ended { value, .. } = rest else { return };
        if self.context.shared.shows_value(self.context.unit) {
            return;
        }
        self.context.set_discarded();
        let value = value.take();
        if let Err(Unwound::Panicked(panic)) = panics::catch(|| context::enter(&self.context, || drop(value))) {
            *rest = Rest::Panicked(panic);
        }
    }

    fn finish(&mut self, rest: Rest) -> Stepped {
        let remarks = self.context.last_remarks();
        let effects = self.context.last_effects();
        let all = std::mem::take(&mut self.context.state().isolated.spawned);
        let spawned = all
            .iter()
            .filter(|(child, _)| {
                effects.iter().any(|e| matches!(e, Effect::Tasks(tasks::Effect::Spawn { child: c, .. }) if c == child))
            })
            .cloned()
            .collect();
        self.spawned.extend(all);
        let ends = matches!(rest, Rest::Ended { .. } | Rest::Cancelled);
        let rest = ends.then(|| self.left_behind()).flatten().map_or(rest, Rest::Panicked);
        let alive = matches!(&rest, Rest::Waits(offers) if offers.iter().all(|offer| offer.key != OperationKey::ANSWER))
            || matches!(rest, Rest::WaitsAsRecorded);
        let offers = if let Rest::Waits(offers) = &rest { &offers[..] } else { &[] };
        let begun = self.context.last_begun(offers.first().filter(|_| !alive).map(|offer| &offer.operation));
        let (traced, arrival, image, held, waiting) = (None, None, None, Held::default(), None);
        // Of a recorded step they are known.
        let has_files = alive && !matches!(rest, Rest::WaitsAsRecorded) || matches!(rest, Rest::Ended { .. });
        let files = has_files.then(|| self.context.changed_files()).flatten().map(Arc::new);
        Stepped { rest, effects, spawned, alive, traced, arrival, image, held, waiting, files, remarks, begun }
    }

    /// The violation of a task that outlives the root of its isolated task. The tasks of a process end with it.
    fn left_behind(&self) -> Option<Panic> {
        let unit = self.context.shared.unit(self.context.unit);
        let state = self.context.state();
        let goes_on = |(id, task): &(&TaskId, &Carried<Task>)| id.0 > 0 && !task.control.is_cancelled();
        let (_, task) = state.tasks.all.iter().find(goes_on).filter(|_| unit.parent.is_some())?;
        let location = format!("{}:{}", task.location.file(), task.location.line());
        let message = format!(
            "isolated task \"{}\" has ended, and a task that it has spawned at {location} goes on: a check can't follow it\n  \
             await or abort it before, or spawn a `#[netcheck::process]` function, which is a task of its own",
            unit.name
        );
        Some(Panic { message, location, cause: Cause::LeftBehind })
    }
}

/// The poll of a runnable task, as an operation.
fn run_of(task: TaskId) -> Offer {
    Offer {
        key: OperationKey::run(task),
        task,
        is_called: false,
        operation: Operation::Tasks(tasks::Operation::Run(task)),
        location: Location::caller(),
        caller: None,
        execution: 0,
    }
}
