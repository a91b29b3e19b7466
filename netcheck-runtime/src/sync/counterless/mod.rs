//! The types of `tokio::sync` that count on for ever, once more, without the counters. They do not know that they are
//! tracked: the modules above wrap them as they wrap tokio's own types.
//!
//! tokio's mpsc numbers its messages, broadcast its positions, watch its versions, `Notify` the calls of
//! `notify_waiters`, and `Barrier` its rounds. By memory, a loop that uses one of them never comes back to a local state.
//! Here the memory depends only on what can still be observed:
//!
//! - A queue is a linked list with an allocation for each value, so that nothing tells where in a buffer it begins.
//! - "Has something happened since?" is a comparison of two pointers: an *epoch* is an allocation that means the time since
//!   the last event, replaced at the next one if somebody has kept it.
//! - How far a receiver of a broadcast is behind is written where all receivers at that position look, and raised at each
//!   send. It counts on only while values are missed, and `Lagged` tells their number.
//!
//! Results, wake-ups and their order are tokio's, as `tests/like_tokio/counterless.rs` checks with random calls on both;
//! where tokio wakes the tasks that watch a value in an order of chance, here it is the order in which they came. Semaphores
//! are tokio's own, as are mutexes, locks, cells and oneshots: their memory does not count.
//!
//! Code of the program (`Drop`, `Clone`, wakers) runs with no lock held, except where tokio holds one, too: the closures
//! that read or change a watched value, and `Clone` of a value that was broadcast.

pub mod broadcast;
pub mod mpsc;
pub mod watch;

mod barrier;
mod notify;

pub use barrier::{Barrier, BarrierWaitResult};
pub use notify::{Notified, Notify};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Locks; nothing is half changed where a panic comes through.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time since the last event of some kind, told by the address of its allocation.
#[derive(Debug, Default)]
struct Epoch(Arc<()>);

impl Epoch {
    /// Another handle to this one.
    fn kept(&self) -> Epoch {
        Epoch(Arc::clone(&self.0))
    }

    fn is(&self, other: &Epoch) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The event happens: whoever has kept the epoch can tell.
    fn end(&mut self) {
        if Arc::strong_count(&self.0) > 1 {
            *self = Epoch::default();
        }
    }
}
