//! Channels with a bound.

use super::channel::{self, Channel, Room, Rx, Tx, WeakTx};
use super::receiver_methods;
use super::sender_methods;
use std::mem;
use std::task::{Context, Poll};
use tokio::sync::mpsc::error::{SendError, TryRecvError, TrySendError};
use tokio::sync::{Semaphore, TryAcquireError};

/// As tokio's.
pub struct Sender<T>(Tx<T, Bounded>);

/// As tokio's.
pub struct WeakSender<T>(WeakTx<T, Bounded>);

/// As tokio's.
pub struct Receiver<T>(Rx<T, Bounded>);

/// As tokio's.
pub struct Permit<'a, T>(&'a Channel<T, Bounded>);

/// As tokio's.
pub struct PermitIterator<'a, T> {
    channel: &'a Channel<T, Bounded>,
    n: usize,
}

/// As tokio's.
pub struct OwnedPermit<T>(Option<Tx<T, Bounded>>);

struct Bounded {
    semaphore: Semaphore,
    bound: usize,
}

/// As tokio's.
#[track_caller]
pub fn channel<T>(buffer: usize) -> (Sender<T>, Receiver<T>) {
    assert!(buffer > 0, "mpsc bounded channel requires buffer > 0");
    let (tx, rx) = channel::channel(Bounded { semaphore: Semaphore::new(buffer), bound: buffer });
    (Sender(tx), Receiver(rx))
}

impl Bounded {
    fn try_reserve(&self, n: usize) -> Result<(), TryAcquireError> {
        self.semaphore.try_acquire_many(permits(n)).map(|permit| permit.forget())
    }
}

/// As many permits as tokio's semaphore gives to one task at a time, outside of tokio.
fn permits(n: usize) -> u32 {
    u32::try_from(n).expect("at most u32::MAX reservations at a time")
}

impl Room for Bounded {
    fn is_idle(&self) -> bool {
        self.semaphore.available_permits() == self.bound
    }

    fn add(&self, n: usize) {
        self.semaphore.add_permits(n);
    }

    fn close(&self) {
        self.semaphore.close();
    }

    fn is_closed(&self) -> bool {
        self.semaphore.is_closed()
    }
}

receiver_methods! { Receiver }
sender_methods! { Sender, WeakSender }

impl<T> Receiver<T> {
    /// As tokio's.
    pub fn capacity(&self) -> usize {
        self.0.room.semaphore.available_permits()
    }

    /// As tokio's.
    pub fn max_capacity(&self) -> usize {
        self.0.room.bound
    }
}

impl<T> Sender<T> {
    /// As tokio's.
    pub async fn send(&self, value: T) -> Result<(), SendError<T>> {
        match self.reserve().await {
            Ok(permit) => {
                permit.send(value);
                Ok(())
            }
            Err(_) => Err(SendError(value)),
        }
    }

    /// As tokio's.
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        match self.0.room.try_reserve(1) {
            Ok(()) => {
                self.0.send(value);
                Ok(())
            }
            Err(error) => Err(refused(&error, value)),
        }
    }

    /// As tokio's.
    pub async fn reserve(&self) -> Result<Permit<'_, T>, SendError<()>> {
        self.reserved(1).await?;
        Ok(Permit(&self.0))
    }

    /// As tokio's.
    pub async fn reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, SendError<()>> {
        self.reserved(n).await?;
        Ok(PermitIterator { channel: &self.0, n })
    }

    /// As tokio's.
    pub async fn reserve_owned(self) -> Result<OwnedPermit<T>, SendError<()>> {
        self.reserved(1).await?;
        Ok(OwnedPermit(Some(self.0)))
    }

    async fn reserved(&self, n: usize) -> Result<(), SendError<()>> {
        /// The permits that it has so far go back without a word to the receiver.
        struct GivenUp<'a, T>(&'a Channel<T, Bounded>);

        impl<T> Drop for GivenUp<'_, T> {
            fn drop(&mut self) {
                self.0.wake_if_ended();
            }
        }

        if n > self.max_capacity() {
            return Err(SendError(()));
        }
        let given_up = GivenUp(&self.0);
        let permit = self.0.room.semaphore.acquire_many(permits(n)).await.map_err(|_| SendError(()))?;
        mem::forget(given_up);
        permit.forget();
        Ok(())
    }

    /// As tokio's.
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        self.0.room.try_reserve(1).map_err(|error| refused(&error, ()))?;
        Ok(Permit(&self.0))
    }

    /// As tokio's.
    pub fn try_reserve_many(&self, n: usize) -> Result<PermitIterator<'_, T>, TrySendError<()>> {
        if n > self.max_capacity() {
            return Err(TrySendError::Full(()));
        }
        self.0.room.try_reserve(n).map_err(|error| refused(&error, ()))?;
        Ok(PermitIterator { channel: &self.0, n })
    }

    /// As tokio's.
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T>, TrySendError<Self>> {
        match self.0.room.try_reserve(1) {
            Ok(()) => Ok(OwnedPermit(Some(self.0))),
            Err(error) => Err(refused(&error, self)),
        }
    }

    /// As tokio's.
    pub fn capacity(&self) -> usize {
        self.0.room.semaphore.available_permits()
    }

    /// As tokio's.
    pub fn max_capacity(&self) -> usize {
        self.0.room.bound
    }
}

fn refused<T>(error: &TryAcquireError, value: T) -> TrySendError<T> {
    match error {
        TryAcquireError::Closed => TrySendError::Closed(value),
        TryAcquireError::NoPermits => TrySendError::Full(value),
    }
}

impl<T> Permit<'_, T> {
    /// As tokio's.
    pub fn send(self, value: T) {
        let channel = self.0;
        mem::forget(self);
        channel.send(value);
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        self.0.give_back(1);
    }
}

impl<'a, T> Iterator for PermitIterator<'a, T> {
    type Item = Permit<'a, T>;

    fn next(&mut self) -> Option<Permit<'a, T>> {
        self.n = self.n.checked_sub(1)?;
        Some(Permit(self.channel))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.n, Some(self.n))
    }
}

impl<T> Drop for PermitIterator<'_, T> {
    fn drop(&mut self) {
        if self.n > 0 {
            self.channel.give_back(self.n);
        }
    }
}

impl<T> OwnedPermit<T> {
    fn take(&mut self) -> Sender<T> {
        Sender(self.0.take().expect("it has its channel until it is used up"))
    }

    /// As tokio's.
    pub fn send(mut self, value: T) -> Sender<T> {
        let sender = self.take();
        sender.0.send(value);
        sender
    }

    /// As tokio's.
    pub fn release(mut self) -> Sender<T> {
        let sender = self.take();
        sender.0.give_back(1);
        sender
    }
}

impl<T> Drop for OwnedPermit<T> {
    fn drop(&mut self) {
        if let Some(tx) = self.0.take() {
            tx.give_back(1);
        }
    }
}
