//! Operations that a poll waits for, and synchronous calls.

use crate::id::{TaskId, UnitId};
use crate::operation::{Failure, Offer, Operation, OperationKey, Outcome};
use crate::operation::{tasks, tcp, time, udp};
use crate::unit::poll::context::{self, Context};
use crate::unit::poll::operations::Pending;
use netcheck_memory::engine;
use std::cmp::Ordering;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Poll, Waker};

impl Context {
    /// Adds an operation of the running task to those that the unit waits for, unless it was tried at once, and
    /// completed, in the history.
    fn register(
        &self,
        operation: Operation,
        location: &'static Location<'static>,
        waker: &Waker,
    ) -> Result<OperationKey, Outcome> {
        engine(|| {
            self.shared.watch.operation(location);
            self.state().causality.act();
            let (caller, execution) = self.execution(location);
            let tried = self.tried(&operation);
            if let Some(outcome) = tried.clone().filter(|outcome| !outcome.is_not_yet()) {
                if let Operation::Tasks(tasks::Operation::Join { child, .. }) = operation {
                    self.see_end(child);
                }
                return Err(outcome);
            }
            let first = self.first_number();
            let mut state = self.state();
            let operation = self.detached(operation);
            let key = state.operations.free_key(first);
            let offer = Offer { key, task: state.tasks.running, operation, location, caller, execution };
            if tried.is_none() {
                let place = state.script.place();
                state.operations.note_fresh(key, place);
            }
            state.begin_wait(&offer);
            state.operations.register(offer, waker.clone());
            drop(state);
            if waker.will_wake(Waker::noop()) {
                self.try_at_once(|fresh| fresh.key == key);
            }
            Ok(key)
        })
    }

    /// The outcome of a registered operation, if there is one; the operation is then removed.
    fn outcome(&self, key: OperationKey, waker: &Waker) -> Poll<Outcome> {
        engine(|| {
            let mut state = self.state();
            state.causality.act();
            let running = state.tasks.running;
            let Poll::Ready((operation, outcome)) = state.operations.poll(key, running, waker) else {
                return Poll::Pending;
            };
            if let Operation::Tasks(tasks::Operation::Join { child, .. }) = operation {
                state.isolated.see_end(child);
            }
            Poll::Ready(outcome)
        })
    }

    fn withdraw(&self, key: OperationKey) {
        engine(|| {
            self.try_at_once(|fresh| fresh.key == key);
            let mut state = self.state();
            state.causality.act();
            state.operations.withdraw(key);
        })
    }

    /// An operation for the engine to keep, which may outlive what the program has allocated. To be called while the
    /// state is borrowed.
    pub(super) fn detached(&self, operation: Operation) -> Operation {
        if self.arena().is_some() { operation.detached() } else { operation }
    }

    /// Answers a synchronous call, or abandons the poll until there is an answer.
    pub(crate) fn ask(&self, operation: Operation, location: &'static Location<'static>) -> Outcome {
        engine(|| {
            if self.is_discarded() {
                return unheard(&operation);
            }
            self.shared.watch.operation(location);
            let mut state = self.state();
            state.causality.act();
            match state.script.answer() {
                Some(expected) if *expected == operation => {
                    let outcome = state.take_answer(0);
                    drop(state);
                    self.execution(location);
                    outcome
                }
                Some(expected) => {
                    let mismatch = format!(
                        "expected the call {expected:?}, seen {operation:?} at {}:{}",
                        location.file(),
                        location.line()
                    );
                    state.script.mismatch = Some(mismatch);
                    drop(state);
                    self.discard()
                }
                None => {
                    drop(state);
                    self.settle_rounds();
                    self.give_up_asking(operation, location)
                }
            }
        })
    }

    /// The history has seen the end of an isolated task.
    pub(crate) fn see_end(&self, child: UnitId) {
        engine(|| {
            self.state().isolated.see_end(child);
        })
    }

    /// Gives an outcome to a pending operation and wakes the future that waits for it.
    /// Returns the task that waits, or `None` if there is no such operation.
    pub(in crate::unit) fn complete(&self, key: OperationKey, outcome: Outcome) -> Option<TaskId> {
        let (task, waker) = self.state().operations.complete(key, outcome)?;
        waker.wake();
        Some(task)
    }

    /// Whether an outcome was given that no poll has taken.
    pub(in crate::unit) fn has_untaken_outcome(&self) -> bool {
        self.state().operations.has_untaken_outcome()
    }

    /// The pending operations, by key, without those of tasks that have ended.
    pub(in crate::unit) fn offers(&self) -> Vec<Offer> {
        let state = self.state();
        let offers = state.operations.offers().filter(|offer| state.tasks.all.contains_key(&offer.task));
        offers.cloned().collect()
    }

    /// Whether these are the pending operations.
    pub(in crate::unit) fn has_offers(&self, recorded: &[Offer]) -> bool {
        let state = self.state();
        let mut offers = state.operations.offers().filter(|offer| state.tasks.all.contains_key(&offer.task));
        recorded.iter().all(|recorded| offers.next() == Some(recorded)) && offers.next().is_none()
    }
}

/// The answer to a call in a poll that is being abandoned: a `Drop` may read the clock, for example, but its effects
/// are discarded.
fn unheard(operation: &Operation) -> Outcome {
    match operation {
        Operation::Time(time::Operation::Clock) | Operation::Time(time::Operation::Deadline { .. }) => {
            Outcome::Time { at: time::At::ORIGIN }
        }
        Operation::Time(time::Operation::Compare { .. }) => Outcome::Compared(Ordering::Equal),
        Operation::Time(time::Operation::Distance { .. }) => Outcome::Distance { ns: 0 },
        Operation::Udp(udp::Operation::TryReceive { .. })
        | Operation::Tcp(tcp::Operation::Read { .. })
        | Operation::Tcp(tcp::Operation::Write { .. })
        | Operation::Tasks(tasks::Operation::Join { waits: false, .. }) => Outcome::WouldBlock,
        Operation::Tcp(tcp::Operation::Ready { read, write, .. }) => Outcome::Ready { read: *read, write: *write },
        Operation::Tcp(tcp::Operation::BindStream { .. }) | Operation::Tcp(tcp::Operation::Listen { .. }) => {
            Outcome::Failed(Failure::AddressInUse)
        }
        Operation::Tasks(tasks::Operation::IsEnded { .. }) => Outcome::Alternative(1),
        _ => Outcome::Done,
    }
}

impl Future for Pending {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Outcome> {
        let context = context::current();
        if let Some(operation) = self.operation.take() {
            return match context.register(operation, self.location, cx.waker()) {
                Ok(key) => {
                    self.key = Some(key);
                    Poll::Pending
                }
                Err(outcome) => Poll::Ready(outcome),
            };
        }
        let key = self.key.expect("an operation is not polled after it has completed");
        let outcome = context.outcome(key, cx.waker());
        if outcome.is_ready() {
            self.key = None;
        }
        outcome
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let (Some(key), Some(context)) = (self.key, context::try_current()) {
            context.withdraw(key);
        }
    }
}
