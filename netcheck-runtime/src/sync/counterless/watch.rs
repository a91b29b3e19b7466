//! `tokio::sync::watch`, without versions.

use super::{Epoch, Notify, lock};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use tokio::sync::watch::error::{RecvError, SendError};

/// As tokio's.
#[derive(Debug)]
pub struct Sender<T>(Arc<Shared<T>>);

/// As tokio's.
#[derive(Debug)]
pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
    /// The epoch of the last value that this receiver saw.
    seen: Epoch,
}

/// As tokio's.
#[derive(Debug)]
pub struct Ref<'a, T> {
    value: RwLockReadGuard<'a, T>,
    has_changed: bool,
}

#[derive(Debug)]
struct Shared<T> {
    value: RwLock<T>,
    state: Mutex<State>,
    changed: Notify,
    last_receiver_dropped: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Since the value was changed. It ends while the value is locked for writing.
    epoch: Epoch,
    receivers: usize,
    senders: usize,
}

/// As tokio's.
pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let sender = Sender::new(value);
    let receiver = sender.subscribe();
    (sender, receiver)
}

impl<T> Shared<T> {
    fn value(&self) -> RwLockReadGuard<'_, T> {
        self.value.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn epoch(&self) -> Epoch {
        lock(&self.state).epoch.kept()
    }

    fn receivers(&self) -> usize {
        lock(&self.state).receivers
    }

    fn is_closed(&self) -> bool {
        lock(&self.state).senders == 0
    }

    fn receiver(self: &Arc<Self>, seen: Epoch) -> Receiver<T> {
        lock(&self.state).receivers += 1;
        Receiver { shared: Arc::clone(self), seen }
    }
}

impl<T> Sender<T> {
    /// As tokio's.
    pub fn new(value: T) -> Self {
        Sender(Arc::new(Shared {
            value: RwLock::new(value),
            state: Mutex::new(State { senders: 1, ..State::default() }),
            changed: Notify::new(),
            last_receiver_dropped: Notify::new(),
        }))
    }

    /// As tokio's.
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        if self.0.receivers() == 0 {
            return Err(SendError(value));
        }
        self.send_replace(value);
        Ok(())
    }

    /// As tokio's.
    pub fn send_modify<F>(&self, modify: F)
    where
        F: FnOnce(&mut T),
    {
        self.send_if_modified(|value| {
            modify(value);
            true
        });
    }

    /// As tokio's.
    pub fn send_if_modified<F>(&self, modify: F) -> bool
    where
        F: FnOnce(&mut T) -> bool,
    {
        let mut value = self.0.value.write().unwrap_or_else(PoisonError::into_inner);
        if !modify(&mut value) {
            return false;
        }
        lock(&self.0.state).epoch.end();
        drop(value);
        self.0.changed.notify_waiters();
        true
    }

    /// As tokio's.
    pub fn send_replace(&self, mut value: T) -> T {
        self.send_modify(|old| std::mem::swap(old, &mut value));
        value
    }

    /// As tokio's.
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref { value: self.0.value(), has_changed: false }
    }

    /// As tokio's.
    pub fn is_closed(&self) -> bool {
        self.0.receivers() == 0
    }

    /// As tokio's.
    pub async fn closed(&self) {
        loop {
            let dropped = self.0.last_receiver_dropped.notified();
            if self.0.receivers() == 0 {
                return;
            }
            dropped.await;
        }
    }

    /// As tokio's.
    pub fn subscribe(&self) -> Receiver<T> {
        self.0.receiver(self.0.epoch())
    }

    /// As tokio's.
    pub fn receiver_count(&self) -> usize {
        self.0.receivers()
    }

    /// As tokio's.
    pub fn sender_count(&self) -> usize {
        lock(&self.0.state).senders
    }

    /// As tokio's.
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Receiver<T> {
    /// As tokio's.
    pub fn borrow(&self) -> Ref<'_, T> {
        let value = self.shared.value();
        let has_changed = !self.seen.is(&self.shared.epoch());
        Ref { value, has_changed }
    }

    /// As tokio's.
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let value = self.shared.value();
        let has_changed = see(&self.shared, &mut self.seen);
        Ref { value, has_changed }
    }

    /// As tokio's.
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        match self.shared.is_closed() {
            true => Err(closed()),
            false => Ok(!self.seen.is(&self.shared.epoch())),
        }
    }

    /// As tokio's.
    pub fn mark_changed(&mut self) {
        self.seen = Epoch::default();
    }

    /// As tokio's.
    pub fn mark_unchanged(&mut self) {
        self.seen = self.shared.epoch();
    }

    /// As tokio's.
    pub async fn changed(&mut self) -> Result<(), RecvError> {
        changed(&self.shared, &mut self.seen).await
    }

    /// As tokio's.
    pub async fn wait_for(&mut self, mut f: impl FnMut(&T) -> bool) -> Result<Ref<'_, T>, RecvError> {
        let mut is_closed = false;
        loop {
            {
                let value = self.shared.value();
                let has_changed = see(&self.shared, &mut self.seen);
                if (has_changed || !is_closed) && f(&value) {
                    return Ok(Ref { value, has_changed });
                }
            }
            if is_closed {
                return Err(closed());
            }
            is_closed = changed(&self.shared, &mut self.seen).await.is_err();
        }
    }

    /// As tokio's.
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

/// Makes the present value the one that was seen; whether it was another one.
fn see<T>(shared: &Shared<T>, seen: &mut Epoch) -> bool {
    let epoch = shared.epoch();
    let has_changed = !seen.is(&epoch);
    *seen = epoch;
    has_changed
}

/// Waits until the value that was seen is not the present one.
async fn changed<T>(shared: &Shared<T>, seen: &mut Epoch) -> Result<(), RecvError> {
    loop {
        let changed = shared.changed.notified();
        // In this order: a last sender may send, and go, in between.
        let is_closed = shared.is_closed();
        if see(shared, seen) {
            return Ok(());
        }
        if is_closed {
            return Err(closed());
        }
        changed.await;
    }
}

/// tokio's error, which only tokio makes.
fn closed() -> RecvError {
    let (_, receiver) = tokio::sync::watch::channel(());
    receiver.has_changed().expect_err("there is no sender")
}

impl<T> Ref<'_, T> {
    /// As tokio's.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        lock(&self.0.state).senders += 1;
        Sender(Arc::clone(&self.0))
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.shared.receiver(self.seen.kept())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.senders -= 1;
        if state.senders == 0 {
            drop(state);
            self.0.changed.notify_waiters();
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut state = lock(&self.shared.state);
        state.receivers -= 1;
        if state.receivers == 0 {
            drop(state);
            self.shared.last_receiver_dropped.notify_waiters();
        }
    }
}
