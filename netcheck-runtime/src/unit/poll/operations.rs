//! The operations that a unit waits for.

use crate::id::TaskId;
use crate::operation::{Offer, Operation, OperationKey, Outcome};
use crate::sorted::SortedMap;
use crate::unit::poll::script::Place;
use netcheck_memory::Scan;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::task::{Poll, Waker};

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
}

/// An operation that was begun in the current poll and not tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh {
    pub(super) key: OperationKey,
    /// Its number among the operations that the step has begun.
    pub(crate) number: u32,
    /// The place of the step at which it was begun.
    pub(super) place: Place,
}

/// An operation that the unit waits for, with the waker of the future.
struct Registered {
    offer: Offer,
    waker: Waker,
    outcome: Option<Outcome>,
}

/// The operations that a unit waits for.
#[derive(Default)]
pub(in crate::unit) struct Operations {
    registered: SortedMap<OperationKey, Registered>,
    /// The number of operations that this step has begun.
    begun: u32,
    /// The operations that were begun in this poll and not tried.
    fresh: Vec<Fresh>,
}

impl Operations {
    pub(super) fn begin_step(&mut self) {
        self.begun = 0;
    }

    pub(super) fn begin_poll(&mut self) {
        self.fresh.clear();
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

    pub(super) fn register(&mut self, offer: Offer, waker: Waker) {
        self.registered.insert(offer.key, Registered { offer, waker, outcome: None });
    }

    /// Records that the operation that was begun last has not been tried, with the place at which it was begun.
    pub(super) fn note_fresh(&mut self, key: OperationKey, place: Place) {
        self.fresh.push(Fresh { key, number: self.begun, place });
    }

    /// The offer of a registered operation.
    pub(super) fn offer(&self, key: OperationKey) -> Option<&Offer> {
        Some(&self.registered.get(&key)?.offer)
    }

    pub(super) fn waker(&self, key: OperationKey) -> Option<&Waker> {
        Some(&self.registered.get(&key)?.waker)
    }

    /// Whether a registered operation has its outcome.
    pub(super) fn has_outcome(&self, key: OperationKey) -> bool {
        self.registered.get(&key).is_some_and(|registered| registered.outcome.is_some())
    }

    /// The outcome of an operation, which is then removed; without an outcome, `task` waits for it with `waker`.
    pub(super) fn poll(&mut self, key: OperationKey, task: TaskId, waker: &Waker) -> Poll<(Operation, Outcome)> {
        let registered = self.registered.get_mut(&key).expect("a registered operation stands in the menu");
        let Some(outcome) = registered.outcome.take() else {
            registered.waker.clone_from(waker);
            registered.offer.task = task;
            return Poll::Pending;
        };
        let done = self.registered.remove(&key).expect("it stood there just now");
        Poll::Ready((done.offer.operation, outcome))
    }

    /// Removes an operation. An operation whose outcome no poll has taken stays, so that the step is refused.
    pub(super) fn withdraw(&mut self, key: OperationKey) {
        if !self.has_outcome(key) {
            self.registered.remove(&key);
        }
    }

    /// Gives an operation its outcome; returns the task that waits for it, and the waker to call.
    pub(super) fn complete(&mut self, key: OperationKey, outcome: Outcome) -> Option<(TaskId, Waker)> {
        let registered = self.registered.get_mut(&key)?;
        registered.outcome = Some(outcome);
        Some((registered.offer.task, registered.waker.clone()))
    }

    /// Whether an outcome was given that no poll has taken.
    pub(super) fn has_untaken_outcome(&self) -> bool {
        self.registered.values().any(|registered| registered.outcome.is_some())
    }

    /// The registered operations, by key.
    pub(super) fn offers(&self) -> impl Iterator<Item = &Offer> {
        self.registered.values().map(|registered| &registered.offer)
    }

    /// The first of some fresh operations that can be tried: its offer, and the operation that tries it.
    pub(super) fn to_be_tried(&self, which: impl Fn(&Fresh) -> bool) -> Option<(Fresh, Offer, Operation)> {
        self.fresh.iter().filter(|fresh| which(fresh)).find_map(|fresh| {
            let offer = self.offer(fresh.key)?;
            Some((*fresh, offer.clone(), offer.operation.tried()?))
        })
    }

    /// Records everything here that the unit's future depends on, but for the wakers and the operations begun so far.
    pub(super) fn record(&self, values: &mut impl Hasher) {
        for Registered { offer, outcome, .. } in self.registered.values() {
            (offer, outcome).hash(values);
        }
    }

    /// Adds the futures that wait for the registered operations to an image of the unit's memory.
    pub(in crate::unit) fn scan(&self, scan: &mut Scan<'_>) {
        for Registered { waker, .. } in self.registered.values() {
            scan.pointer(waker.data());
            scan.word(std::ptr::from_ref(waker.vtable()) as u64);
        }
    }
}
