//! Channels with a bound.

use super::error::{SendError, SendTimeoutError, TryRecvError, TrySendError};
use super::{receiver, sender};
use crate::sync::counterless::mpsc;
use crate::sync::handle::Handle;
use crate::sync::object::Object;
use crate::time::timeout;
use std::fmt;
use std::future::Future;
use std::iter::FusedIterator;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// As tokio's `mpsc::Sender`.
pub struct Sender<T> {
    object: Handle<Arc<Object>>,
    inner: mpsc::Sender<T>,
}

/// As tokio's `mpsc::WeakSender`.
pub struct WeakSender<T> {
    object: Handle<Arc<Object>>,
    inner: mpsc::WeakSender<T>,
}

/// As tokio's `mpsc::Receiver`.
pub struct Receiver<T> {
    object: Handle<Arc<Object>>,
    inner: mpsc::Receiver<T>,
}

/// As tokio's `mpsc::Permit`.
pub struct Permit<'a, T> {
    object: Handle<&'a Object>,
    inner: mpsc::Permit<'a, T>,
}

/// As tokio's `mpsc::PermitIterator`.
pub struct PermitIterator<'a, T> {
    object: Handle<&'a Object>,
    inner: mpsc::PermitIterator<'a, T>,
}

/// As tokio's `mpsc::OwnedPermit`.
pub struct OwnedPermit<T> {
    object: Handle<Arc<Object>>,
    inner: mpsc::OwnedPermit<T>,
}

/// As tokio's `mpsc::channel`.
///
/// # Panics
/// If `buffer` is 0 or larger than a semaphore can be.
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::channel(buffer);
    let (one, other) = Handle::pair();
    (Sender { object: one, inner: sender }, Receiver { object: other, inner: receiver })
}

receiver! { Receiver }
sender! { Sender, WeakSender }

impl<T> Receiver<T> {
    /// As tokio's.
    pub fn capacity(&self) -> usize {
        self.object.touch();
        self.inner.capacity()
    }

    /// As tokio's.
    pub fn max_capacity(&self) -> usize {
        self.inner.max_capacity()
    }
}

impl<T> Sender<T> {
    /// As tokio's.
    ///
    /// # Errors
    /// The value, if there is no receiver.
    pub async fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.object.during(self.inner.send(value)).await
    }

    /// As tokio's.
    ///
    /// # Errors
    /// The value, if there is no receiver, or no room in time.
    #[track_caller]
    pub fn send_timeout(&self, value: T, duration: Duration) -> impl Future<Output = Result<(), SendTimeoutError<T>>> {
        let permit = timeout(duration, self.reserve());
        async move {
            match permit.await {
                Ok(Ok(permit)) => {
                    permit.send(value);
                    Ok(())
                }
                Ok(Err(_)) => Err(SendTimeoutError::Closed(value)),
                Err(_) => Err(SendTimeoutError::Timeout(value)),
            }
        }
    }

    /// As tokio's, where there is room, or no receiver. Else it ends the check.
    ///
    /// # Errors
    /// The value, if there is no receiver.
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        match self.try_send(value) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(value)) => Err(SendError(value)),
            Err(TrySendError::Full(_)) => self.object.owner().blocks("blocking_send"),
        }
    }

    /// As tokio's.
    ///
    /// # Errors
    /// The value, if there is no room or no receiver.
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        self.object.touch();
        self.inner.try_send(value)
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there is no receiver.
    pub async fn reserve(&self) -> Result<Permit<'_, T>, SendError<()>> {
        let inner = self.object.during(self.inner.reserve()).await?;
        Ok(Permit { object: self.object.borrow(), inner })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there is no receiver, or the channel can never hold so many values.
    pub async fn reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, SendError<()>> {
        let inner = self.object.during(self.inner.reserve_many(n)).await?;
        Ok(PermitIterator { object: self.object.borrow(), inner })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there is no receiver.
    pub async fn reserve_owned(self) -> Result<OwnedPermit<T>, SendError<()>> {
        let inner = self.object.during(self.inner.reserve_owned()).await?;
        Ok(OwnedPermit { object: self.object, inner })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there is no room or no receiver.
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        self.object.touch();
        Ok(Permit { inner: self.inner.try_reserve()?, object: self.object.borrow() })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there is no room for so many values, or no receiver.
    pub fn try_reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, TrySendError<()>> {
        self.object.touch();
        Ok(PermitIterator { inner: self.inner.try_reserve_many(n)?, object: self.object.borrow() })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// The sender, if there is no room or no receiver.
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T>, TrySendError<Self>> {
        let Sender { object, inner } = self;
        object.touch();
        match inner.try_reserve_owned() {
            Ok(inner) => Ok(OwnedPermit { object, inner }),
            Err(TrySendError::Full(inner)) => Err(TrySendError::Full(Sender { object, inner })),
            Err(TrySendError::Closed(inner)) => Err(TrySendError::Closed(Sender { object, inner })),
        }
    }

    /// As tokio's.
    pub fn capacity(&self) -> usize {
        self.object.touch();
        self.inner.capacity()
    }

    /// As tokio's.
    pub fn max_capacity(&self) -> usize {
        self.inner.max_capacity()
    }
}

impl<T> Permit<'_, T> {
    /// As tokio's.
    pub fn send(self, value: T) {
        self.object.touch();
        self.inner.send(value);
    }
}

impl<T> OwnedPermit<T> {
    /// As tokio's.
    pub fn send(self, value: T) -> Sender<T> {
        self.object.touch();
        Sender { object: self.object, inner: self.inner.send(value) }
    }

    /// As tokio's.
    pub fn release(self) -> Sender<T> {
        self.object.touch();
        Sender { object: self.object, inner: self.inner.release() }
    }
}

impl<'a, T> Iterator for PermitIterator<'a, T> {
    type Item = Permit<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(Permit { inner: self.inner.next()?, object: self.object.again() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}

impl<T> ExactSizeIterator for PermitIterator<'_, T> {}
impl<T> FusedIterator for PermitIterator<'_, T> {}

impl<T> fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for PermitIterator<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermitIterator").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for OwnedPermit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedPermit").finish_non_exhaustive()
    }
}
