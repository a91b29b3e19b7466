//! Operations that a poll waits for, and synchronous calls.

use crate::id::{TaskId, UnitId};
use crate::operation::{Begun, Failure, Offer, Operation, OperationKey, Outcome};
use crate::operation::{mailboxes, tasks, tcp, time, udp};
use crate::unit::poll::context::{self, Context, State};
use crate::unit::poll::handles::first_key_of;
use crate::unit::poll::operations::Pending;
use crate::unit::poll::script::Place;
use crate::unit::shared::Modes;
use netcheck_memory::engine;
use std::any::Any;
use std::cmp::Ordering;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, Waker};

impl Context {
    /// Adds an operation of the running task to those that the unit waits for, with a waker that it takes, unless it was
    /// tried at once, and completed, in the history.
    fn register(
        &self,
        operation: Operation,
        first: Option<u32>,
        location: &'static Location<'static>,
        waker: &mut Option<Waker>,
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
                return Err(self.told_outcome(&outcome));
            }
            let first = match first {
                _ if self.shared.modes.tracks => self.first_number(),
                Some(first) => first,
                None => first_key_of(&operation),
            };
            let polled_with = waker.as_ref().expect("a poll has a waker");
            let is_synchronous = is_synchronous(&operation, polled_with);
            let mut state = self.state();
            let operation = self.detached(operation);
            let key = state.operations.free_key(first);
            let (task, is_called) = (state.tasks.running, !state.is_of_running(polled_with, self.shared.modes));
            let offer = Offer { key, task, is_called, operation, location, caller, execution };
            let place = state.script.place();
            state.begin_wait(&offer);
            state.operations.register(offer, if is_synchronous { None } else { waker.take() });
            drop(state);
            self.look(key, place, tried.is_none());
            if is_synchronous {
                self.try_at_once(|fresh| fresh.key == key);
            }
            Ok(key)
        })
    }

    /// A poll has come to a registered operation, and not tried it if it `is_untried`. It is tried if that is what is to be
    /// learned.
    fn look(&self, key: OperationKey, place: Place, is_untried: bool) {
        let mut state = self.state();
        let come_to = (place, state.script.answered());
        let is_in_branch = state.operations.is_in_timeout || !state.selects.rounds.is_empty();
        if is_untried {
            let branches = state.selects.branches();
            state.operations.note_untried(key, come_to, (is_in_branch, branches));
        }
        if state.script.attempt == Some(state.operations.begun()) {
            state.operations.note_fresh(key, come_to, None);
            drop(state);
            self.try_at_once(|fresh| fresh.key == key);
        }
    }

    /// The delay of a time-out is polled by this.
    pub(crate) fn in_timeout<T>(&self, poll: impl FnOnce() -> T) -> T {
        engine(|| self.state().operations.is_in_timeout = true);
        let polled = poll();
        engine(|| self.state().operations.is_in_timeout = false);
        polled
    }

    /// The outcome of a timer that this poll has tried, though it was waited for before; `None` if it has not.
    fn tried_timer(&self, key: OperationKey) -> Option<Outcome> {
        let operation = self.state().operations.waiting_timer(key)?;
        let tried = self.tried(&operation);
        if tried.is_none() {
            let place = self.state().script.place();
            self.look(key, place, true);
        }
        tried.filter(|outcome| !outcome.is_not_yet()).map(|outcome| self.told_outcome(&outcome))
    }

    /// The outcome of a registered operation, if there is one; the operation is then removed. Else the running task waits
    /// for it, with a waker that it takes if the operation has another one.
    fn outcome(&self, key: OperationKey, waker: &mut Option<Waker>) -> Poll<Outcome> {
        engine(|| {
            self.state().causality.act();
            let is_polled_once = waker.as_ref().is_some_and(|waker| {
                self.state().operations.offer(key).is_some_and(|offer| is_synchronous(&offer.operation, waker))
            });
            let is_tried = self.state().operations.is_to_be_tried_again(key, is_polled_once) && !self.is_discarded();
            let again = match is_tried {
                true => Some(self.try_again(key)).filter(|outcome| !outcome.is_not_yet()),
                false => self.tried_timer(key),
            };
            let mut state = self.state();
            let taken = match again {
                Some(outcome) => state.operations.remove(key).map(|operation| (operation, outcome)),
                None => {
                    let branches = state.selects.branches();
                    state.operations.take(key, &branches)
                }
            };
            let Some((operation, outcome)) = taken else {
                let running = state.tasks.running;
                let is_of_running = |waker| state.is_of_running(waker, self.shared.modes);
                let is_called = !waker.as_ref().is_some_and(is_of_running);
                let branches = state.selects.branches();
                let waker = if is_polled_once { &mut None } else { waker };
                state.operations.wait(key, (running, branches), is_called, waker);
                return Poll::Pending;
            };
            if let Operation::Tasks(tasks::Operation::Join { child, .. }) = operation {
                state.isolated.see_end(child);
            }
            Poll::Ready(outcome)
        })
    }

    /// Tries an operation again: it could complete when its waker was called, or a poll with a waker that wakes nobody looks.
    fn try_again(&self, key: OperationKey) -> Outcome {
        let offer = self.state().operations.offer(key).cloned().expect("it is registered");
        self.state().operations.note_poll(key);
        let tried = offer.operation.tried().expect("an operation is ready if it can be tried");
        let operation = Operation::Again(Box::new(tried));
        if self.state().script.answer() == Some(&operation) {
            return self.state().take_answer(0);
        }
        if let Some(mismatch) = self.mismatch(&operation, offer.location) {
            self.state().script.mismatch = Some(mismatch);
            self.discard()
        }
        self.settle_rounds();
        let task = self.state().tasks.running;
        self.state().script.asked =
            Some(Offer { key: OperationKey::ANSWER, task, is_called: false, operation, ..offer });
        self.discard()
    }

    fn withdraw(&self, key: OperationKey) {
        engine(|| {
            self.try_at_once(|fresh| fresh.key == key);
            let mut state = self.state();
            state.causality.act();
            state.operations.remove(key);
        })
    }

    /// An operation waits for another outcome than it was given: a timer that is set anew.
    pub(crate) fn renew(&self, pending: &Pending) {
        if let Some(key) = pending.key {
            engine(|| self.state().operations.renew(key));
        }
    }

    /// Ends a call of the program. To be called where the program runs.
    pub(in crate::unit) fn leave_program(&self) {
        self.drop_unneeded();
        self.check_lent();
    }

    /// Drops the wakers that are no longer needed.
    pub(super) fn drop_unneeded(&self) {
        loop {
            let waker = self.state().operations.pop_unneeded();
            if waker.is_none() {
                return;
            }
        }
    }

    /// A socket of std stands in for one of the check.
    pub(crate) fn lend(&self, stand_in: i32, lent: Box<dyn Any>) {
        engine(|| self.state().handles.lend(stand_in, lent));
    }

    /// The socket for which one of std stands in.
    pub(crate) fn take_back(&self, stand_in: i32) -> Option<Box<dyn Any>> {
        self.state().handles.take_back(stand_in)
    }

    /// Ends the check if a socket is still lent at the end of a poll: nobody would see when the stand-in is closed.
    fn check_lent(&self) {
        if !self.is_discarded() && self.state().handles.is_lent() {
            self.fail(
                "a socket of std (by `into_std`, or bound by `std::net`) was not made one of tokio in the same poll: a check \
                 can't follow what is done with it",
            );
        }
    }

    /// The first bytes of a write: as many as a stream takes at once.
    pub(crate) fn first_to_write<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[..bytes.len().min(self.shared.modes.written_bytes_max)]
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
            self.state().causality.act();
            if self.state().script.answer() == Some(&operation) {
                let outcome = self.state().take_answer(0);
                self.execution(location);
                return outcome;
            }
            if let Some(mismatch) = self.mismatch(&operation, location) {
                self.state().script.mismatch = Some(mismatch);
                self.discard()
            }
            self.settle_rounds();
            self.give_up_asking(operation, location)
        })
    }

    /// As [`Context::ask`], about time. Programs read the clock while they hold locks of the standard library. Unwinding would
    /// poison the locks, and a destructor that finds one poisoned would end the test program. So a poll that has no answer goes
    /// on with a guess until it makes another call or ends, and counts for nothing.
    pub(crate) fn ask_time(&self, operation: time::Operation, location: &'static Location<'static>) -> Outcome {
        engine(|| {
            let operation = Operation::Time(operation);
            if !self.is_discarded()
                && let Some(outcome) = self.without_unwinding(|| self.ask(operation.clone(), location))
            {
                return outcome;
            }
            self.guess();
            match unheard(&operation) {
                Outcome::Time { .. } => {
                    Outcome::Time { at: time::At::new(time::At::START, self.state().clock.latest_known_ns()) }
                }
                other => other,
            }
        })
    }

    /// The difference between a call and the one that the next recorded answer is for, if there is one.
    fn mismatch(&self, operation: &Operation, location: &'static Location<'static>) -> Option<String> {
        let state = self.state();
        let expected = state.script.answer()?;
        let (file, line) = (location.file(), location.line());
        Some(format!("expected the call {expected:?}, seen {operation:?} at {file}:{line}"))
    }

    /// The history has seen the end of an isolated task.
    pub(crate) fn see_end(&self, child: UnitId) {
        engine(|| {
            self.state().isolated.see_end(child);
        })
    }

    /// A pending operation that an outcome is for.
    pub(in crate::unit) fn offer(&self, key: OperationKey) -> Option<Offer> {
        self.state().operations.offer(key).cloned()
    }

    /// The calls that the last poll has let wait and that might have completed, unless it has taken an answer since.
    /// `asked`: the synchronous call at which it was abandoned.
    pub(in crate::unit) fn last_begun(&self, asked: Option<&Operation>) -> Begun {
        let state = self.state();
        let is_before = |number| match asked {
            Some(Operation::AtOnce { number: tried, .. }) => number < *tried,
            _ => true,
        };
        // A task that has aborted itself ends at its next await.
        let calls = state.operations.begun_calls(state.script.answered(), asked.is_none()).into_iter();
        let calls = calls.filter(|(call, task)| is_before(call.number) && !state.is_aborted(*task));
        Begun { calls: calls.map(|(call, _)| call).collect(), passed: state.operations.passed() }
    }

    /// The next step tries the operation that it begins with this number as soon as it is begun.
    pub(in crate::unit) fn attempt(&self, number: Option<u32>) {
        self.state().script.attempt = number;
    }

    /// Gives an outcome to a pending operation, with instants by the clock of the run; returns the waker to call.
    pub(in crate::unit) fn complete(&self, key: OperationKey, outcome: &Outcome) -> Option<Waker> {
        let outcome = self.told_outcome(outcome);
        self.state().operations.complete(key, outcome)
    }

    /// Whether the step has given an outcome that no poll has taken.
    pub(in crate::unit) fn has_untaken_outcome(&self) -> bool {
        self.state().operations.has_untaken_outcome()
    }

    /// The operations that may complete, by key, without those that would wake nobody.
    pub(in crate::unit) fn offers(&self) -> Vec<Offer> {
        let state = self.state();
        let offers = state.operations.offers().filter(|offer| state.wakes(offer));
        offers.cloned().collect()
    }

    /// Whether these are the operations that may complete.
    pub(in crate::unit) fn has_offers(&self, recorded: &[Offer]) -> bool {
        let state = self.state();
        let mut offers = state.operations.offers().filter(|offer| state.wakes(offer));
        recorded.iter().all(|recorded| offers.next() == Some(recorded)) && offers.next().is_none()
    }
}

impl State {
    /// Whether a waker is that of the task that is being polled, or of a branch of a `select!` in it.
    pub(super) fn is_of_running(&self, waker: &Waker, modes: Modes) -> bool {
        let control = self.tasks.running().map(|running| Arc::as_ptr(&running.control).cast());
        let target = if modes.explains { netcheck_memory::target(waker) } else { None };
        control == Some(target.unwrap_or(waker.data())) || self.selects.is_branch_of(self.tasks.running, waker.data())
    }

    /// Whether a task was aborted and has not ended yet.
    pub(super) fn is_aborted(&self, task: TaskId) -> bool {
        self.tasks.all.get(&task).is_some_and(|task| task.control.is_cancelled())
    }

    /// Whether the waker of an operation wakes somebody: not if it is that of a task that has ended.
    pub(super) fn wakes(&self, offer: &Offer) -> bool {
        offer.is_called || self.tasks.all.contains_key(&offer.task)
    }
}

/// Whether an operation is polled once, as by `now_or_never`: a waker without data knows nobody whom it could wake, so it is
/// a synchronous call, tried in each such poll, and does not wait between them.
fn is_synchronous(operation: &Operation, waker: &Waker) -> bool {
    waker.data().is_null() && operation.is_tried_again()
}

/// The answer to a call in a poll that is being abandoned: a `Drop` may read the clock, for example, but its effects
/// are discarded.
fn unheard(operation: &Operation) -> Outcome {
    match operation {
        Operation::Time(time::Operation::Clock { .. }) | Operation::Time(time::Operation::Deadline { .. }) => {
            Outcome::Time { at: time::At::ORIGIN }
        }
        Operation::Time(time::Operation::Compare { .. }) => Outcome::Compared(Ordering::Equal),
        Operation::Time(time::Operation::Distance { .. }) => Outcome::Distance { ns: 0 },
        Operation::Udp(udp::Operation::TryReceive { .. })
        | Operation::Tcp(tcp::Operation::Dial { .. })
        | Operation::Mailboxes(mailboxes::Operation::Receive { .. })
        | Operation::Mailboxes(mailboxes::Operation::Send { .. })
        | Operation::Tcp(tcp::Operation::Read { .. })
        | Operation::Tcp(tcp::Operation::Write { .. })
        | Operation::Tasks(tasks::Operation::Join { waits: false, .. }) => Outcome::WouldBlock,
        Operation::Tcp(tcp::Operation::Ready { read, write, .. })
        | Operation::Mailboxes(mailboxes::Operation::Ready { read, write, .. }) => {
            Outcome::Ready { read: *read, write: *write }
        }
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
        // A waker is cloned and dropped where the program runs: both are calls of the program's.
        let mut waker = Some(cx.waker().clone());
        let outcome = self.poll_with(&context, None, &mut waker);
        drop(waker);
        context.drop_unneeded();
        outcome
    }
}

impl Pending {
    /// Polls with a waker that is taken if it is needed; `first`: the number from which on a key is looked
    /// for, if the operation does not say it.
    pub(super) fn poll_with(
        &mut self,
        context: &Context,
        first: Option<u32>,
        waker: &mut Option<Waker>,
    ) -> Poll<Outcome> {
        if let Some(operation) = self.operation.take() {
            return match context.register(operation, first, self.location, waker) {
                Ok(key) => {
                    self.key = Some(key);
                    Poll::Pending
                }
                Err(outcome) => Poll::Ready(outcome),
            };
        }
        let key = self.key.expect("an operation is not polled after it has completed");
        let outcome = context.outcome(key, waker);
        if outcome.is_ready() {
            self.key = None;
        }
        outcome
    }

    /// Withdraws the operation. Its waker is dropped when the context is asked to.
    pub(super) fn withdraw(mut self, context: &Context) {
        if let Some(key) = self.key.take() {
            context.withdraw(key);
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let (Some(key), Some(context)) = (self.key, context::try_current()) {
            context.withdraw(key);
            context.drop_unneeded();
        }
    }
}
