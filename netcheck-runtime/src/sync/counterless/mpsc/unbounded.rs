//! Channels without a bound.

use super::channel::{self, Room, Rx, Tx, WeakTx};
use super::receiver_methods;
use super::sender_methods;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use tokio::sync::mpsc::error::{SendError, TryRecvError};

/// As tokio's.
pub struct UnboundedSender<T>(Tx<T, Unbounded>);

/// As tokio's.
pub struct WeakUnboundedSender<T>(WeakTx<T, Unbounded>);

/// As tokio's.
pub struct UnboundedReceiver<T>(Rx<T, Unbounded>);

/// Twice the number of values, and whether the channel is closed.
struct Unbounded(AtomicUsize);

const CLOSED: usize = 1;
const VALUE: usize = 2;

/// As tokio's.
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let (tx, rx) = channel::channel(Unbounded(AtomicUsize::new(0)));
    (UnboundedSender(tx), UnboundedReceiver(rx))
}

impl Room for Unbounded {
    fn is_idle(&self) -> bool {
        self.0.load(Ordering::Acquire) < VALUE
    }

    fn add(&self, n: usize) {
        self.0.fetch_sub(n * VALUE, Ordering::Release);
    }

    fn close(&self) {
        self.0.fetch_or(CLOSED, Ordering::Release);
    }

    fn is_closed(&self) -> bool {
        self.0.load(Ordering::Acquire) & CLOSED != 0
    }
}

impl<T> UnboundedSender<T> {
    /// As tokio's.
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let one_more = |number: usize| (number & CLOSED == 0).then(|| number + VALUE);
        match self.0.room.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more) {
            Ok(_) => {
                self.0.send(value);
                Ok(())
            }
            Err(_) => Err(SendError(value)),
        }
    }
}

receiver_methods! { UnboundedReceiver }
sender_methods! { UnboundedSender, WeakUnboundedSender }
