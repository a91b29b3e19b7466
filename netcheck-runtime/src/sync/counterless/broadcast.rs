//! `tokio::sync::broadcast`, without positions.

use super::{Notify, lock};
use std::collections::LinkedList;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::broadcast::error::{RecvError, SendError, TryRecvError};

/// As tokio's.
pub struct Sender<T>(Arc<Shared<T>>);

/// As tokio's.
pub struct WeakSender<T>(Arc<Shared<T>>);

/// As tokio's.
pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
    place: Arc<Place>,
}

struct Shared<T> {
    capacity: usize,
    state: Mutex<State<T>>,
    /// A value was sent, or the last sender is gone.
    arrived: Notify,
    last_receiver_dropped: Notify,
}

struct State<T> {
    /// The latest values, those that some receiver has not received yet: as many as the receiver that is the most behind
    /// is behind, at most the capacity.
    values: LinkedList<Arc<Mutex<T>>>,
    /// Where receivers are, the ones that are the most behind first; each place once.
    places: LinkedList<Arc<Place>>,
    receivers: usize,
    senders: usize,
    weak_senders: usize,
    is_closed: bool,
}

/// Where receivers are. It is read and changed with the state locked.
#[derive(Default)]
struct Place {
    /// The values that were sent and are not yet received.
    behind: AtomicU64,
    receivers: AtomicUsize,
}

/// As tokio's.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let sender = Sender::new(capacity);
    let receiver = sender.subscribe();
    (sender, receiver)
}

impl Place {
    fn behind(&self) -> u64 {
        self.behind.load(Ordering::Relaxed)
    }

    fn receivers(&self) -> usize {
        self.receivers.load(Ordering::Relaxed)
    }
}

impl<T> State<T> {
    /// A receiver comes to a place.
    fn enter(&mut self, behind: u64) -> Arc<Place> {
        let position = self.places.iter().position(|place| place.behind() <= behind).unwrap_or(self.places.len());
        let mut after = self.places.split_off(position);
        let place = match after.pop_front() {
            Some(place) if place.behind() == behind => place,
            other => {
                other.into_iter().for_each(|place| after.push_front(place));
                Arc::new(Place { behind: AtomicU64::new(behind), receivers: AtomicUsize::new(0) })
            }
        };
        place.receivers.store(place.receivers() + 1, Ordering::Relaxed);
        self.places.push_back(Arc::clone(&place));
        self.places.append(&mut after);
        place
    }

    /// A receiver leaves a place.
    fn leave(&mut self, place: &Arc<Place>) {
        place.receivers.store(place.receivers() - 1, Ordering::Relaxed);
        let is_it = |other: &Arc<Place>| Arc::ptr_eq(other, place);
        if let Some(position) = self.places.iter().position(is_it).filter(|_| place.receivers() == 0) {
            let mut after = self.places.split_off(position);
            after.pop_front();
            self.places.append(&mut after);
        }
    }

    /// The oldest value, if all receivers have received it.
    fn received_by_all(&mut self) -> Option<Arc<Mutex<T>>> {
        let behind = self.places.front().map_or(0, |place| place.behind());
        if self.values.len() as u64 > behind { self.values.pop_front() } else { None }
    }
}

impl<T> Sender<T> {
    /// As tokio's.
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "broadcast channel capacity cannot be zero");
        assert!(capacity <= usize::MAX >> 1, "broadcast channel capacity exceeded `usize::MAX / 2`");
        let state = State {
            values: LinkedList::new(),
            places: LinkedList::new(),
            receivers: 0,
            senders: 1,
            weak_senders: 0,
            is_closed: true,
        };
        Sender(Arc::new(Shared {
            // tokio's ring has such a size
            capacity: capacity.next_power_of_two(),
            state: Mutex::new(state),
            arrived: Notify::new(),
            last_receiver_dropped: Notify::new(),
        }))
    }

    /// As tokio's.
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        let mut state = lock(&self.0.state);
        let receivers = state.receivers;
        if receivers == 0 {
            drop(state);
            return Err(SendError(value));
        }
        for place in &state.places {
            place.behind.store(place.behind() + 1, Ordering::Relaxed);
        }
        let overwritten = if state.values.len() == self.0.capacity { state.values.pop_front() } else { None };
        state.values.push_back(Arc::new(Mutex::new(value)));
        drop(state);
        drop(overwritten);
        self.0.arrived.notify_waiters();
        Ok(receivers)
    }

    /// As tokio's.
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver::new(&self.0)
    }

    /// As tokio's.
    pub fn downgrade(&self) -> WeakSender<T> {
        lock(&self.0.state).weak_senders += 1;
        WeakSender(Arc::clone(&self.0))
    }

    /// As tokio's.
    pub fn len(&self) -> usize {
        lock(&self.0.state).values.len()
    }

    /// As tokio's.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As tokio's.
    pub fn receiver_count(&self) -> usize {
        lock(&self.0.state).receivers
    }

    /// As tokio's.
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// As tokio's.
    pub async fn closed(&self) {
        loop {
            let dropped = self.0.last_receiver_dropped.notified();
            if lock(&self.0.state).is_closed {
                return;
            }
            dropped.await;
        }
    }

    /// As tokio's.
    pub fn strong_count(&self) -> usize {
        lock(&self.0.state).senders
    }

    /// As tokio's.
    pub fn weak_count(&self) -> usize {
        lock(&self.0.state).weak_senders
    }
}

impl<T> WeakSender<T> {
    /// As tokio's.
    pub fn upgrade(&self) -> Option<Sender<T>> {
        let mut state = lock(&self.0.state);
        (state.senders > 0).then(|| {
            state.senders += 1;
            Sender(Arc::clone(&self.0))
        })
    }

    /// As tokio's.
    pub fn strong_count(&self) -> usize {
        lock(&self.0.state).senders
    }

    /// As tokio's.
    pub fn weak_count(&self) -> usize {
        lock(&self.0.state).weak_senders
    }
}

impl<T> Receiver<T> {
    /// A receiver of what will be sent.
    fn new(shared: &Arc<Shared<T>>) -> Self {
        let mut state = lock(&shared.state);
        if state.receivers == 0 {
            state.is_closed = false;
        }
        state.receivers += 1;
        let place = state.enter(0);
        drop(state);
        Receiver { shared: Arc::clone(shared), place }
    }

    /// As tokio's.
    pub fn len(&self) -> usize {
        let _locked = lock(&self.shared.state);
        usize::try_from(self.place.behind()).unwrap_or(usize::MAX)
    }

    /// As tokio's.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As tokio's.
    pub fn is_closed(&self) -> bool {
        self.sender_strong_count() == 0
    }

    /// As tokio's.
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// As tokio's.
    pub fn sender_strong_count(&self) -> usize {
        lock(&self.shared.state).senders
    }

    /// As tokio's.
    pub fn sender_weak_count(&self) -> usize {
        lock(&self.shared.state).weak_senders
    }
}

impl<T: Clone> Receiver<T> {
    /// As tokio's.
    pub fn resubscribe(&self) -> Self {
        Receiver::new(&self.shared)
    }

    /// As tokio's.
    pub async fn recv(&mut self) -> Result<T, RecvError> {
        loop {
            let arrived = self.shared.arrived.notified();
            match received(&self.shared, &mut self.place) {
                Ok(value) => return Ok(value),
                Err(TryRecvError::Closed) => return Err(RecvError::Closed),
                Err(TryRecvError::Lagged(missed)) => return Err(RecvError::Lagged(missed)),
                Err(TryRecvError::Empty) => arrived.await,
            }
        }
    }

    /// As tokio's.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        received(&self.shared, &mut self.place)
    }
}

/// The next value. The last receiver of a value drops it, once it has cloned it.
fn received<T: Clone>(shared: &Shared<T>, place: &mut Arc<Place>) -> Result<T, TryRecvError> {
    let value = next(shared, place)?;
    let cloned = lock(&value).clone();
    Ok(cloned)
}

/// Goes on to the next value.
fn next<T>(shared: &Shared<T>, place: &mut Arc<Place>) -> Result<Arc<Mutex<T>>, TryRecvError> {
    let mut state = lock(&shared.state);
    let behind = place.behind();
    if behind == 0 {
        return Err(if state.is_closed { TryRecvError::Closed } else { TryRecvError::Empty });
    }
    let missed = behind.saturating_sub(shared.capacity as u64);
    state.leave(place);
    *place = state.enter(if missed > 0 { behind - missed } else { behind - 1 });
    if missed > 0 {
        return Err(TryRecvError::Lagged(missed));
    }
    let position = state.values.len() - usize::try_from(behind).expect("no more than the capacity");
    let value = state.values.iter().nth(position).map(Arc::clone);
    let last = state.received_by_all();
    drop(state);
    drop(last);
    Ok(value.expect("a value that a receiver has not received is kept"))
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        lock(&self.0.state).senders += 1;
        Sender(Arc::clone(&self.0))
    }
}

impl<T> Clone for WeakSender<T> {
    fn clone(&self) -> Self {
        lock(&self.0.state).weak_senders += 1;
        WeakSender(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.senders -= 1;
        if state.senders == 0 {
            state.is_closed = true;
            drop(state);
            self.0.arrived.notify_waiters();
        }
    }
}

impl<T> Drop for WeakSender<T> {
    fn drop(&mut self) {
        lock(&self.0.state).weak_senders -= 1;
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        /// Tells senders that it was the last receiver, also if dropping a value panics.
        struct Last<'a>(Option<&'a Notify>);

        impl Drop for Last<'_> {
            fn drop(&mut self) {
                self.0.into_iter().for_each(Notify::notify_waiters);
            }
        }

        let mut state = lock(&self.shared.state);
        state.receivers -= 1;
        let is_last = state.receivers == 0;
        state.is_closed |= is_last;
        state.leave(&self.place);
        drop(state);
        let _last = Last(is_last.then_some(&self.shared.last_receiver_dropped));
        let next = || lock(&self.shared.state).received_by_all();
        while let Some(value) = next() {
            drop(value);
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broadcast::Sender")
    }
}

impl<T> fmt::Debug for WeakSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broadcast::WeakSender")
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broadcast::Receiver")
    }
}
