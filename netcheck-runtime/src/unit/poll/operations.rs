//! The operations that a unit waits for.
//!
//! # Wakers decide
//!
//! An operation that completes calls the waker of its last poll, and nothing else: whom that wakes is the program's
//! business. The waker is used up then, as in tokio, and the operation stands in no menu until it is polled again; that
//! poll takes the outcome, whichever task makes it. Until then the outcome is part of the local state.
//!
//! An operation takes things out of the world (a datagram, bytes, a connection of a backlog) in the poll that
//! returns it: in tokio, a future that is dropped between its wake-up and its next poll has taken nothing. So such an
//! operation is only marked as *ready* when its waker is called, and the next poll tries it ([`Operation::Again`]): it
//! chooses the outcome, and waits again if another task has taken what was there. The outcome of a timer, of a connect, of
//! a choice or a failure is kept: nothing is taken away from others by it.
//!
//! Where the waker is that of a task (`Offer::is_called` is false), the call and the poll of that task are one step, to
//! keep states few, and the outcome is taken in it. Nothing is lost: between the call and the poll, the only difference
//! for others is that the task is woken. Whatever another task does there it can also do before the call, and the
//! operation then completes for it instead; if it takes over the future, it polls it, and the waker is another one from
//! then on. If the task does not take the outcome, the step is one in which it is woken for nothing; there is such a step
//! if the poll does more than wait again. The waker of a task that has ended wakes nobody: the operation waits until it is
//! polled again.

use crate::id::TaskId;
use crate::operation::{BegunCall, Decided, Effect, Offer, Operation, OperationKey, Outcome, time};
use crate::sorted::SortedMap;
use crate::unit::identity::checkpoint::Values;
use crate::unit::poll::branches::{Branches, are_unordered};
use crate::unit::poll::script::Place;
use netcheck_memory::{Carried, Scan};
use std::hash::Hash;
use std::panic::Location;
use std::task::Waker;

/// A future that is one operation: registered at its first poll, withdrawn when dropped. [`super::calls`] polls it.
pub struct Pending {
    /// The operation, until it is registered.
    pub(super) operation: Option<Operation>,
    pub(super) location: &'static Location<'static>,
    /// Its key among the unit's operations, while it is registered.
    pub(super) key: Option<OperationKey>,
}

impl Pending {
    pub fn new(operation: Operation, location: &'static Location<'static>) -> Self {
        Pending { operation: Some(operation), location, key: None }
    }

    /// A copy, for a run that is set back: the operation is registered in its record.
    pub(super) fn copy(&self) -> Self {
        Pending { operation: self.operation.clone(), location: self.location, key: self.key }
    }
}

/// An operation that was begun in the current poll and not tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh {
    pub(super) key: OperationKey,
    /// Its number among the operations that the step has begun.
    pub(crate) number: u32,
    /// The place of the step at which it was begun.
    pub(super) place: Place,
    /// The number of answers that the step had taken by then.
    pub(super) answered: usize,
    /// The number of acts of the step by then, if it was polled in a branch of a `select!`, or as the delay of a time-out.
    branch: Option<Acts>,
}

/// A timer that this step has polled and not set before.
#[derive(Clone)]
struct Looked {
    /// Its number among the operations that the step has begun.
    number: u32,
    offer: Offer,
    /// The number of answers that the step had taken by then.
    answered: usize,
    branch: Option<Acts>,
    branches: Branches,
    /// Whether the step takes an outcome in another branch of an unbiased `select!`, which might have been polled first.
    is_unordered: bool,
}

/// How often a step has done something that others may see, or that depends on the order in which it does things.
type Acts = u32;

/// How this step has set a timer.
#[derive(Clone, Copy)]
struct Set {
    timer: u32,
    /// For so much time from now, rather than for an instant.
    is_ahead: bool,
    /// The number of answers that the step had taken by then.
    answered: usize,
}

/// An operation that the unit waits for, with the waker of the future.
#[derive(Clone)]
struct Registered {
    offer: Offer,
    /// `None`: it was called, and no poll has left another one, or the last one has left none that wakes anybody.
    waker: Option<Carried<Waker>>,
    outcome: Option<Outcome>,
    /// Whether the waker was called because it could complete.
    is_ready: bool,
}

/// The operations that a unit waits for.
#[derive(Clone, Default)]
pub(in crate::unit) struct Operations {
    registered: SortedMap<OperationKey, Registered>,
    /// The number of operations that this step has begun.
    begun: u32,
    /// The operations that were begun in this poll and not tried.
    fresh: Vec<Fresh>,
    /// The timers that this step has set last.
    set: Vec<Set>,
    /// The timers that this step has polled, whose outcome it does not have.
    looked: Vec<Looked>,
    /// Whether the delay of a time-out is being polled.
    pub(super) is_in_timeout: bool,
    acts: Acts,
    /// The operation whose waker was called in this step, until it is polled.
    given: Option<OperationKey>,
    /// The operations that this poll has found to wait, with the branches in which it has.
    waiting: Vec<(OperationKey, Branches)>,
    /// The operations that the poll has found to wait before it took an outcome, if it has taken one.
    passed: Option<Vec<OperationKey>>,
    /// Wakers that are no longer needed. To drop one is the program's business, and done where the program runs.
    unneeded: Vec<Carried<Waker>>,
}

impl Operations {
    pub(super) fn begin_step(&mut self) {
        self.begun = 0;
        self.given = None;
        self.passed = None;
        self.set.clear();
        self.looked.clear();
        self.is_in_timeout = false;
        self.acts = 0;
    }

    pub(super) fn begin_poll(&mut self) {
        self.fresh.clear();
        self.waiting.clear();
    }

    /// The program has an effect: it may set a timer.
    pub(super) fn note_effect(&mut self, effect: &Effect, answered: usize) {
        self.act();
        let (timer, is_ahead) = match *effect {
            Effect::Time(time::Effect::Arm { timer, .. }) => (timer, true),
            Effect::Time(time::Effect::ArmAt { timer, .. } | time::Effect::Rearm { timer, .. }) => (timer, false),
            _ => return,
        };
        self.set.retain(|set| set.timer != timer);
        self.set.push(Set { timer, is_ahead, answered });
    }

    /// The step does something, or the order of what it has done is seen.
    pub(super) fn act(&mut self) {
        self.acts += 1;
    }

    /// Records that a poll has come to a registered operation that it has not tried.
    pub(super) fn note_untried(
        &mut self,
        key: OperationKey,
        (place, answered): (Place, usize),
        (in_branch, branches): (bool, Branches),
    ) {
        let branch = in_branch.then_some(self.acts);
        let Some(offer) = self.offer(key) else { return };
        let Operation::Time(time::Operation::Timer { timer, .. }) = offer.operation else {
            return self.note_fresh(key, (place, answered), branch);
        };
        match self.set.iter().find(|set| set.timer == timer) {
            // Not even one that is set for now is due at once: tokio counts milliseconds, and rounds up.
            Some(set) if set.is_ahead => {}
            Some(set) if set.answered == answered => self.note_fresh(key, (place, answered), branch),
            _ => {
                let offer = offer.clone();
                // Of several polls, the first one finds what there is.
                let is_it = |looked: &Looked| (looked.offer.key, looked.answered) == (key, answered);
                if !self.looked.iter().any(is_it) {
                    let number = self.begun;
                    self.looked.push(Looked { number, offer, answered, branch, branches, is_unordered: false });
                }
            }
        }
    }

    /// Numbers an operation that is begun.
    pub(super) fn begin(&mut self) -> u32 {
        self.begun += 1;
        self.begun
    }

    /// The number of operations that this step has begun.
    pub(super) fn begun(&self) -> u32 {
        self.begun
    }

    /// The smallest free key from `first` on.
    pub(super) fn free_key(&self, first: u32) -> OperationKey {
        let free = (first..).map(OperationKey).find(|key| !self.registered.contains_key(key));
        free.expect("numbers do not run out")
    }

    pub(super) fn register(&mut self, offer: Offer, waker: Option<Waker>) {
        let waker = waker.map(Carried::new);
        self.registered.insert(offer.key, Registered { offer, waker, outcome: None, is_ready: false });
    }

    /// Records that the operation that was begun last has not been tried, with the place at which it was begun.
    pub(super) fn note_fresh(&mut self, key: OperationKey, (place, answered): (Place, usize), branch: Option<Acts>) {
        if self.fresh.iter().any(|fresh| (fresh.key, fresh.answered) == (key, answered)) {
            return;
        }
        self.fresh.push(Fresh { key, number: self.begun, place, answered, branch });
    }

    /// The calls to which the step has come since it took so many answers, and that complete at once if they can, with
    /// their tasks. `is_over`: the step has come to its end.
    pub(super) fn begun_calls(&self, answered: usize, is_over: bool) -> Vec<(BegunCall, TaskId)> {
        let waits = |offer: &Offer| self.waiting_timer(offer.key).as_ref() == Some(&offer.operation);
        let goes_on = |offer: &Offer, branch| is_over && branch == Some(self.acts) && waits(offer);
        let call = |number, offer: &Offer, decided, goes_on| {
            let Offer { operation, execution, task, .. } = offer.clone();
            (BegunCall { number, operation, execution, decided, goes_on }, task)
        };
        let fresh = self.fresh.iter().filter(|fresh| fresh.answered == answered && self.is_at_once(fresh));
        let fresh = fresh.filter_map(|fresh| {
            let offer = self.offer(fresh.key)?;
            Some(call(fresh.number, offer, Decided::After, goes_on(offer, fresh.branch)))
        });
        let looked = self.looked.iter().filter(|looked| looked.answered == answered).map(|looked| {
            let goes_on = looked.is_unordered || goes_on(&looked.offer, looked.branch);
            call(looked.number, &looked.offer, Decided::Before, goes_on)
        });
        let mut all: Vec<_> = fresh.chain(looked).collect();
        all.sort_by_key(|(call, _)| call.number);
        all
    }

    /// Whether an operation completes at once if it can: a timer, or a call with a waker of the program's own.
    pub(super) fn is_at_once(&self, fresh: &Fresh) -> bool {
        self.offer(fresh.key).is_some_and(|Offer { operation, is_called, .. }| {
            operation.is_tried_at_first() && (*is_called || matches!(operation, Operation::Time(_)))
        })
    }

    /// The offer of a registered operation.
    pub(super) fn offer(&self, key: OperationKey) -> Option<&Offer> {
        Some(&self.registered.get(&key)?.offer)
    }

    /// Whether a registered operation has its outcome, or could complete when its waker was called.
    pub(super) fn is_done(&self, key: OperationKey) -> bool {
        self.registered.get(&key).is_some_and(|registered| registered.outcome.is_some() || registered.is_ready)
    }

    /// Whether a poll tries an operation that was begun before: it could complete when its waker was called, or is polled
    /// once.
    pub(super) fn is_to_be_tried_again(&self, key: OperationKey, is_polled_once: bool) -> bool {
        let is_waiting = |registered: &Registered| is_polled_once && registered.outcome.is_none();
        self.registered.get(&key).is_some_and(|registered| registered.is_ready || is_waiting(registered))
    }

    /// Takes the outcome of an operation, which is then removed; in these branches.
    pub(super) fn take(&mut self, key: OperationKey, branches: &Branches) -> Option<(Operation, Outcome)> {
        let outcome = self.registered.get_mut(&key)?.outcome.take()?;
        if self.given == Some(key) {
            let before = self.waiting.iter().filter(|(_, other)| !are_unordered(branches, other));
            self.passed = Some(before.map(|(key, _)| *key).collect());
            let unordered = self.looked.iter_mut().filter(|looked| are_unordered(branches, &looked.branches));
            unordered.for_each(|looked| looked.is_unordered = true);
        }
        self.note_poll(key);
        Some((self.remove(key)?, outcome))
    }

    /// The operations that the step has found to wait before the one whose outcome it has taken; if it has taken none, all
    /// but those in branches whose order is open.
    pub(super) fn passed(&self) -> Box<[OperationKey]> {
        let in_order =
            || self.waiting.iter().filter(|(_, branches)| branches.is_empty()).map(|(key, _)| *key).collect();
        self.passed.as_ref().map_or_else(in_order, |passed| passed.as_slice().into())
    }

    /// An operation is polled, so that it was not given its outcome for nothing.
    pub(super) fn note_poll(&mut self, key: OperationKey) {
        self.given = self.given.filter(|given| *given != key);
    }

    /// A registered operation that waits for a timer and has no outcome.
    pub(super) fn waiting_timer(&self, key: OperationKey) -> Option<Operation> {
        let Registered { offer, outcome, .. } = self.registered.get(&key)?;
        let is_timer = matches!(offer.operation, Operation::Time(time::Operation::Timer { .. }));
        (is_timer && outcome.is_none()).then(|| offer.operation.clone())
    }

    /// Removes an operation.
    pub(super) fn remove(&mut self, key: OperationKey) -> Option<Operation> {
        let Registered { offer, waker, .. } = self.registered.remove(&key)?;
        // Another operation may get the key.
        self.fresh.retain(|fresh| fresh.key != key);
        self.unneeded.extend(waker);
        Some(offer.operation)
    }

    /// From now on, `task` waits for an operation, with a waker that is its own or the program's; in these branches.
    pub(super) fn wait(
        &mut self,
        key: OperationKey,
        (task, branches): (TaskId, Branches),
        is_called: bool,
        waker: &mut Option<Waker>,
    ) {
        let registered = self.registered.get_mut(&key).expect("an operation that is polled is registered");
        self.waiting.push((key, branches));
        (registered.offer.task, registered.offer.is_called, registered.is_ready) = (task, is_called, false);
        let is_known = |known: &Carried<Waker>| waker.as_ref().is_some_and(|waker| known.will_wake(waker));
        if !registered.waker.as_ref().is_some_and(is_known) {
            self.unneeded.extend(std::mem::replace(&mut registered.waker, waker.take().map(Carried::new)));
        }
    }

    /// A task has ended. What it has waited for with a waker of the program's own may still complete.
    pub(super) fn outlive(&mut self, task: TaskId) {
        let offers = self.registered.values_mut().map(|registered| &mut registered.offer);
        offers.filter(|offer| offer.task == task && offer.is_called).for_each(|offer| offer.task = TaskId(0));
    }

    /// Gives an operation its outcome, or says that it could complete; returns the waker to call.
    pub(super) fn complete(&mut self, key: OperationKey, outcome: Outcome) -> Option<Waker> {
        let registered = self.registered.get_mut(&key)?;
        let waker = registered.waker.take()?.take();
        match outcome {
            Outcome::Woken => registered.is_ready = true,
            outcome => registered.outcome = Some(outcome),
        }
        self.given = Some(key);
        Some(waker)
    }

    /// An operation that has got an outcome, or is ready, waits again with this waker. Returns whether it is there.
    pub(super) fn wait_again(&mut self, key: OperationKey, waker: Waker) -> bool {
        let Some(registered) = self.registered.get_mut(&key) else { return false };
        (registered.waker, registered.outcome, registered.is_ready) = (Some(Carried::new(waker)), None, false);
        true
    }

    /// An operation waits for another outcome than it was given.
    pub(super) fn renew(&mut self, key: OperationKey) {
        if let Some(registered) = self.registered.get_mut(&key) {
            registered.outcome = None;
        }
    }

    /// Whether the operation whose waker was called in this step has not been polled.
    pub(super) fn has_untaken_outcome(&self) -> bool {
        self.given.is_some()
    }

    /// Takes a waker that is no longer needed.
    pub(super) fn pop_unneeded(&mut self) -> Option<Waker> {
        self.unneeded.pop().map(Carried::take)
    }

    /// Takes all wakers, of a run that ends.
    pub(in crate::unit) fn take_wakers(&mut self) -> Vec<Waker> {
        let kept = self.registered.values_mut().filter_map(|registered| registered.waker.take());
        kept.chain(self.unneeded.drain(..)).map(Carried::take).collect()
    }

    /// The operations that may complete, by key.
    pub(super) fn offers(&self) -> impl Iterator<Item = &Offer> {
        self.registered.values().filter(|registered| registered.waker.is_some()).map(|registered| &registered.offer)
    }

    /// The first of some fresh operations that can be tried: its offer, and the operation that tries it.
    pub(super) fn to_be_tried(&self, which: impl Fn(&Fresh) -> bool) -> Option<(Fresh, Offer, Operation)> {
        self.fresh.iter().filter(|fresh| which(fresh)).find_map(|fresh| {
            let offer = self.offer(fresh.key)?;
            Some((*fresh, offer.clone(), offer.operation.tried()?))
        })
    }

    /// Records everything here that the unit's future depends on, but for the wakers and the operations begun so far.
    pub(super) fn record(&self, values: &mut Values) {
        for Registered { offer, waker, outcome, is_ready } in self.registered.values() {
            (offer, waker.is_some(), is_ready).hash(values);
            match outcome {
                Some(Outcome::Elapsed { at: Some(at), is_missed }) => {
                    ("elapsed", at.mark, is_missed).hash(values);
                    values.instants.push(at.ns());
                }
                outcome => outcome.hash(values),
            }
        }
    }

    /// Adds the futures that wait for the registered operations to an image of the unit's memory.
    pub(in crate::unit) fn scan(&self, scan: &mut Scan<'_>) {
        for waker in self.registered.values().filter_map(|registered| registered.waker.as_ref()) {
            scan.pointer(waker.data());
            scan.word(std::ptr::from_ref(waker.vtable()) as u64);
        }
    }
}
