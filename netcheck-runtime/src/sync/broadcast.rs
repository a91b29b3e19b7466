//! `tokio::sync::broadcast`, tracked.

use super::counterless::broadcast;
use super::handle::Handle;
use super::object::Object;
use error::{RecvError, SendError, TryRecvError};
use std::fmt;
use std::sync::Arc;

pub use tokio::sync::broadcast::error;

/// As tokio's `broadcast::Sender`.
pub struct Sender<T> {
    object: Handle<Arc<Object>>,
    inner: broadcast::Sender<T>,
}

/// As tokio's `broadcast::WeakSender`.
pub struct WeakSender<T> {
    object: Handle<Arc<Object>>,
    inner: broadcast::WeakSender<T>,
}

/// As tokio's `broadcast::Receiver`.
pub struct Receiver<T> {
    object: Handle<Arc<Object>>,
    inner: broadcast::Receiver<T>,
}

/// As tokio's `broadcast::channel`.
///
/// # Panics
/// If `capacity` is 0 or more than half of `usize::MAX`.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = broadcast::channel(capacity);
    let (one, other) = Handle::pair();
    (Sender { object: one, inner: sender }, Receiver { object: other, inner: receiver })
}

impl<T> Sender<T> {
    /// As tokio's.
    ///
    /// # Panics
    /// If `capacity` is 0 or more than half of `usize::MAX`.
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Sender { object: Handle::of(Arc::new(Object::new())), inner: broadcast::Sender::new(capacity) }
    }

    /// As tokio's.
    ///
    /// # Errors
    /// The value, if there are no receivers.
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        self.object.touch();
        self.inner.send(value)
    }

    /// As tokio's.
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver { object: self.object.clone(), inner: self.inner.subscribe() }
    }

    /// As tokio's.
    #[must_use = "Downgrade creates a WeakSender without destroying the original non-weak sender."]
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender { object: self.object.clone(), inner: self.inner.downgrade() }
    }

    /// As tokio's.
    pub fn len(&self) -> usize {
        self.object.touch();
        self.inner.len()
    }

    /// As tokio's.
    pub fn is_empty(&self) -> bool {
        self.object.touch();
        self.inner.is_empty()
    }

    /// As tokio's.
    pub fn receiver_count(&self) -> usize {
        self.object.touch();
        self.inner.receiver_count()
    }

    /// As tokio's.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// As tokio's.
    pub async fn closed(&self) {
        self.object.during(self.inner.closed()).await;
    }

    /// As tokio's.
    pub fn strong_count(&self) -> usize {
        self.object.touch();
        self.inner.strong_count()
    }

    /// As tokio's.
    pub fn weak_count(&self) -> usize {
        self.object.touch();
        self.inner.weak_count()
    }
}

impl<T> WeakSender<T> {
    /// As tokio's.
    #[must_use]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        self.object.touch();
        Some(Sender { inner: self.inner.upgrade()?, object: self.object.clone() })
    }

    /// As tokio's.
    pub fn strong_count(&self) -> usize {
        self.object.touch();
        self.inner.strong_count()
    }

    /// As tokio's.
    pub fn weak_count(&self) -> usize {
        self.object.touch();
        self.inner.weak_count()
    }
}

impl<T> Receiver<T> {
    /// As tokio's.
    pub fn len(&self) -> usize {
        self.object.touch();
        self.inner.len()
    }

    /// As tokio's.
    pub fn is_empty(&self) -> bool {
        self.object.touch();
        self.inner.is_empty()
    }

    /// As tokio's.
    pub fn is_closed(&self) -> bool {
        self.object.touch();
        self.inner.is_closed()
    }

    /// As tokio's.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// As tokio's.
    pub fn sender_strong_count(&self) -> usize {
        self.object.touch();
        self.inner.sender_strong_count()
    }

    /// As tokio's.
    pub fn sender_weak_count(&self) -> usize {
        self.object.touch();
        self.inner.sender_weak_count()
    }
}

impl<T: Clone> Receiver<T> {
    /// As tokio's.
    pub fn resubscribe(&self) -> Self {
        Receiver { object: self.object.clone(), inner: self.inner.resubscribe() }
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there are no senders any more, or values were overwritten before they were received.
    pub async fn recv(&mut self) -> Result<T, RecvError> {
        self.object.during(self.inner.recv()).await
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there is no value yet, there are no senders any more, or values were overwritten before they were received.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.object.touch();
        self.inner.try_recv()
    }

    /// As tokio's, where there is a value, or will be none any more. Else it ends the check.
    ///
    /// # Errors
    /// As [`recv`](Self::recv).
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        match self.try_recv() {
            Ok(value) => Ok(value),
            Err(TryRecvError::Closed) => Err(RecvError::Closed),
            Err(TryRecvError::Lagged(missed)) => Err(RecvError::Lagged(missed)),
            Err(TryRecvError::Empty) => self.object.owner().blocks("blocking_recv"),
        }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender { object: self.object.clone(), inner: self.inner.clone() }
    }
}

impl<T> Clone for WeakSender<T> {
    fn clone(&self) -> Self {
        WeakSender { object: self.object.clone(), inner: self.inner.clone() }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

impl<T> fmt::Debug for WeakSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}
