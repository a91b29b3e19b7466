//! Channels without a bound.

use super::error::{SendError, TryRecvError};
use super::{receiver, sender};
use crate::sync::counterless::mpsc;
use crate::sync::handle::Handle;
use crate::sync::object::Object;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

/// As tokio's `mpsc::UnboundedSender`.
pub struct UnboundedSender<T> {
    object: Handle<Arc<Object>>,
    inner: mpsc::UnboundedSender<T>,
}

/// As tokio's `mpsc::WeakUnboundedSender`.
pub struct WeakUnboundedSender<T> {
    object: Handle<Arc<Object>>,
    inner: mpsc::WeakUnboundedSender<T>,
}

/// As tokio's `mpsc::UnboundedReceiver`.
pub struct UnboundedReceiver<T> {
    object: Handle<Arc<Object>>,
    inner: mpsc::UnboundedReceiver<T>,
}

/// As tokio's `mpsc::unbounded_channel`.
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let (one, other) = Handle::pair();
    (UnboundedSender { object: one, inner: sender }, UnboundedReceiver { object: other, inner: receiver })
}

receiver! { UnboundedReceiver }
sender! { UnboundedSender, WeakUnboundedSender }

impl<T> UnboundedSender<T> {
    /// As tokio's.
    ///
    /// # Errors
    /// The value, if there is no receiver.
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.object.touch();
        self.inner.send(value)
    }
}
