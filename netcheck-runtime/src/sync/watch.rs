//! `tokio::sync::watch`, tracked.

use super::counterless::watch;
use super::handle::Handle;
use super::object::Object;
use error::{RecvError, SendError};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

pub use tokio::sync::watch::error;

/// As tokio's `watch::Sender`.
pub struct Sender<T> {
    object: Handle<Arc<Object>>,
    inner: watch::Sender<T>,
}

/// As tokio's `watch::Receiver`.
pub struct Receiver<T> {
    object: Handle<Arc<Object>>,
    inner: watch::Receiver<T>,
}

/// As tokio's `watch::Ref`.
pub struct Ref<'a, T> {
    object: Handle<&'a Object>,
    inner: watch::Ref<'a, T>,
}

/// As tokio's `watch::channel`.
pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = watch::channel(value);
    let (one, other) = Handle::pair();
    (Sender { object: one, inner: sender }, Receiver { object: other, inner: receiver })
}

impl<T> Sender<T> {
    /// As tokio's.
    pub fn new(value: T) -> Self {
        channel(value).0
    }

    /// As tokio's.
    ///
    /// # Errors
    /// The value, if there are no receivers.
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.object.touch();
        self.inner.send(value)
    }

    /// As tokio's.
    pub fn send_modify<F>(&self, modify: F)
    where
        F: FnOnce(&mut T),
    {
        self.object.touch();
        self.inner.send_modify(modify);
    }

    /// As tokio's.
    pub fn send_if_modified<F>(&self, modify: F) -> bool
    where
        F: FnOnce(&mut T) -> bool,
    {
        self.object.touch();
        self.inner.send_if_modified(modify)
    }

    /// As tokio's.
    pub fn send_replace(&self, value: T) -> T {
        self.object.touch();
        self.inner.send_replace(value)
    }

    /// As tokio's.
    pub fn borrow(&self) -> Ref<'_, T> {
        self.object.touch();
        Ref { inner: self.inner.borrow(), object: self.object.borrow() }
    }

    /// As tokio's.
    pub fn is_closed(&self) -> bool {
        self.object.touch();
        self.inner.is_closed()
    }

    /// As tokio's.
    pub async fn closed(&self) {
        self.object.during(self.inner.closed()).await;
    }

    /// As tokio's.
    pub fn subscribe(&self) -> Receiver<T> {
        Receiver { object: self.object.clone(), inner: self.inner.subscribe() }
    }

    /// As tokio's.
    pub fn receiver_count(&self) -> usize {
        self.object.touch();
        self.inner.receiver_count()
    }

    /// As tokio's.
    pub fn sender_count(&self) -> usize {
        self.object.touch();
        self.inner.sender_count()
    }

    /// As tokio's.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }
}

impl<T> Receiver<T> {
    /// As tokio's.
    pub fn borrow(&self) -> Ref<'_, T> {
        self.object.touch();
        Ref { inner: self.inner.borrow(), object: self.object.borrow() }
    }

    /// As tokio's.
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        self.object.touch();
        Ref { inner: self.inner.borrow_and_update(), object: self.object.borrow() }
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there are no senders any more.
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        self.object.touch();
        self.inner.has_changed()
    }

    /// As tokio's.
    pub fn mark_changed(&mut self) {
        self.object.touch();
        self.inner.mark_changed();
    }

    /// As tokio's.
    pub fn mark_unchanged(&mut self) {
        self.object.touch();
        self.inner.mark_unchanged();
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there are no senders any more.
    pub async fn changed(&mut self) -> Result<(), RecvError> {
        self.object.during(self.inner.changed()).await
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there are no senders any more.
    pub async fn wait_for(&mut self, f: impl FnMut(&T) -> bool) -> Result<Ref<'_, T>, RecvError> {
        let inner = self.object.during(self.inner.wait_for(f)).await?;
        Ok(Ref { object: self.object.borrow(), inner })
    }

    /// As tokio's.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }
}

impl<T> Ref<'_, T> {
    /// As tokio's.
    pub fn has_changed(&self) -> bool {
        self.inner.has_changed()
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender { object: self.object.clone(), inner: self.inner.clone() }
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Receiver { object: self.object.clone(), inner: self.inner.clone() }
    }
}

impl<T: Default> Default for Sender<T> {
    fn default() -> Self {
        Sender::new(T::default())
    }
}

impl<T: fmt::Debug> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

impl<T: fmt::Debug> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

impl<T: fmt::Debug> fmt::Debug for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}
