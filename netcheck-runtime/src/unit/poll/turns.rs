//! The tasks and operations that come next with `tasks = fifo`: what [`super::schedule`] says, for tasks and operations
//! as they are.

use crate::id::TaskId;
use crate::operation::{Effect, Offer, Operation, OperationKey};
use crate::operation::{tasks, tcp, time};
use crate::unit::poll::context::{self, Context, State};
use crate::unit::poll::schedule::{Next, Taken};
use netcheck_memory::engine;
use std::rc::Rc;
use std::task::Waker;

impl Context {
    /// The running task lets other tasks run first.
    pub(crate) fn let_others_run(&self, waker: &Waker) {
        if !self.has_order() {
            return waker.wake_by_ref();
        }
        let mut waker = Some(waker.clone());
        engine(|| {
            let State { tasks, .. } = &mut *self.state();
            tasks.schedule.iter_mut().for_each(|schedule| schedule.defer(tasks.running, &mut waker));
        });
    }

    /// Whether tasks are polled in tokio's order.
    pub(crate) fn has_order(&self) -> bool {
        self.shared.modes.queues
    }

    /// A step begins that polls a task, or completes one of its operations.
    pub(in crate::unit) fn take_turn(self: &Rc<Self>, key: OperationKey) {
        let turn = self.state().turn(key);
        let go_on = |context: &Context| {
            let mut state = context.state();
            let (Some((task, taken)), Some(schedule)) = (turn, &mut state.tasks.schedule) else { return true };
            let is_found = schedule.go_on_to(task, taken);
            if !is_found {
                schedule.ask_driver();
            }
            is_found
        };
        if go_on(self) {
            return;
        }
        context::enter(self, || {
            while let Some(waker) =
                { self.state().tasks.schedule.as_mut().and_then(|schedule| schedule.pop_deferred()) }
            {
                waker.wake();
            }
        });
        go_on(self);
    }

    /// The poll of a step is over.
    pub(in crate::unit) fn end_turn(self: &Rc<Self>, task: TaskId) {
        let unneeded = self.state().end_turn(task);
        if !unneeded.is_empty() {
            context::enter(self, || drop(unneeded));
        }
    }

    /// The call of a waker is over that has polled no task.
    pub(in crate::unit) fn settle(self: &Rc<Self>) {
        let unneeded = self.state().settle();
        if !unneeded.is_empty() {
            context::enter(self, || drop(unneeded));
        }
    }

    /// Whether the task that has begun an operation goes on at once when its waker is called.
    pub(in crate::unit) fn goes_on(&self, offer: &Offer) -> bool {
        offer.is_called && self.state().is_begun_last(offer)
    }

    /// The runs of tasks and the operations that may come next, in tokio's order; `None` if any order is possible.
    ///
    /// A task that stands in the queue may be polled early, at one of its operations: if that could complete, and the
    /// poll does not take its outcome.
    pub(in crate::unit) fn offers_in_order(&self, run: impl Fn(TaskId) -> Offer) -> Option<Vec<Offer>> {
        let state = self.state();
        let schedule = state.tasks.schedule.as_ref()?;
        let mut operations: Vec<&Offer> = state.operations.offers().filter(|offer| state.wakes(offer)).collect();
        operations.sort_by_key(|offer| schedule.place_of_timer(offer.key));
        // A task that has aborted itself ends at its next await: it takes no outcome, not even of a choice.
        let chooses =
            |offer: &&&Offer| matches!(offer.operation, Operation::Choices(_)) && !state.is_aborted(offer.task);
        if let Some(chooser) = operations.iter().find(chooses) {
            // A choice is made at once, as if within the poll.
            let of_chooser = operations.iter().filter(|offer| offer.task == chooser.task);
            return Some(of_chooser.map(|offer| (*offer).clone()).collect());
        }
        let mut menu: Vec<Offer> = Vec::new();
        let mut add = |offer: &Offer| {
            if !menu.iter().any(|other| other.key == offer.key) {
                menu.push(offer.clone());
            }
        };
        schedule.at_any_time().for_each(|task| add(&run(task)));
        operations.iter().filter(|offer| is_at_any_time(offer)).for_each(|offer| add(offer));
        for next in schedule.next(state.tasks.root_is_woken()) {
            match next {
                Next::Run(task) => add(&run(task)),
                Next::Call => operations.iter().filter(|offer| offer.is_called).for_each(|offer| add(offer)),
                // The first poll of a future that has a waker of the program's own completes it as if in the same poll.
                Next::OperationBegunBy(task) => {
                    let of_poll = operations.iter().filter(|offer| offer.task == task && !is_event(offer));
                    of_poll.for_each(|offer| add(offer));
                }
                Next::OperationOf(task) => {
                    let of_task = operations.iter().filter(|offer| offer.task == task && !offer.is_called);
                    of_task.for_each(|offer| add(offer));
                }
                Next::EventOfTasks => {
                    let is_of_tasks = |offer: &&Offer| !offer.is_called && !schedule.is_root(offer.task);
                    for (index, offer) in operations.iter().enumerate().filter(|(_, offer)| is_of_tasks(offer)) {
                        add(offer);
                        let has_more =
                            operations[index + 1..].iter().any(|other| other.task == offer.task && !other.is_called);
                        if !has_more && schedule.is_queued(offer.task) {
                            add(&Offer { key: OperationKey::run_early(offer.task), ..run(offer.task) });
                        }
                    }
                }
            }
        }
        drop(state);
        Some(menu)
    }
}

impl State {
    /// The task of a step, and what the step does.
    fn turn(&self, key: OperationKey) -> Option<(TaskId, Taken)> {
        if let Some(task) = key.task_to_run() {
            return Some((task, if key.is_early() { Taken::EarlyRun } else { Taken::Run }));
        }
        let offer = self.operations.offer(key)?;
        let taken = match offer {
            offer if is_at_any_time(offer) => Taken::AtAnyTime,
            offer if offer.is_called && !self.is_begun_last(offer) => Taken::Call,
            offer if is_event(offer) => Taken::Event,
            _ => Taken::Operation,
        };
        Some((offer.task, taken))
    }

    /// Whether the task that was polled last has begun an operation that may complete in the same poll.
    fn is_begun_last(&self, offer: &Offer) -> bool {
        !is_event(offer) && self.tasks.schedule.as_ref().is_some_and(|schedule| schedule.was_polled_last(offer.task))
    }

    /// The poll of a step is over. Returns wakers that are no longer needed.
    fn end_turn(&mut self, task: TaskId) -> Vec<Waker> {
        let (is_woken, is_aborted) = self.tasks.all.get(&task).map_or((false, false), |task| task.control.flags());
        let schedule = self.tasks.schedule.iter_mut();
        schedule.for_each(|schedule| schedule.end_poll(task, is_woken, is_aborted));
        self.settle()
    }

    /// Forgets what makes no difference any more. Returns wakers that are no longer needed.
    fn settle(&mut self) -> Vec<Waker> {
        let State { tasks, operations, .. } = self;
        let root_is_woken = tasks.root_is_woken();
        let Some(schedule) = &mut tasks.schedule else { return Vec::new() };
        schedule.settle(
            root_is_woken,
            |task| tasks.all.contains_key(&task),
            |task| operations.offers().any(|offer| offer.task == task && !is_event(offer)),
            |key| operations.offer(key).is_some_and(is_timer),
        )
    }

    /// The wait for an operation begins.
    pub(super) fn begin_wait(&mut self, offer: &Offer) {
        let Some(schedule) = &mut self.tasks.schedule else { return };
        if let Operation::Time(time::Operation::Timer { timer, .. }) = offer.operation {
            schedule.wait_for_timer(offer.key);
            self.script.affect(Effect::Time(time::Effect::Await { timer }));
        }
    }
}

fn is_timer(offer: &Offer) -> bool {
    matches!(offer.operation, Operation::Time(time::Operation::Timer { .. }))
}

/// Whether an operation completes only when the driver is asked: a connect waits for the first event of its socket.
fn is_event(offer: &Offer) -> bool {
    matches!(offer.operation, Operation::Tcp(tcp::Operation::Open { .. }))
}

/// Whether an operation completes without the driver: an isolated task may end at any time.
fn is_at_any_time(offer: &Offer) -> bool {
    matches!(offer.operation, Operation::Tasks(tasks::Operation::Join { .. }))
}
