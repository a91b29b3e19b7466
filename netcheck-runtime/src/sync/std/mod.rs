//! What of `std::sync` tasks may share, tracked.
//!
//! `Arc` and `Weak` are std's own: that one lives on is not an access. What blocks a thread
//! until another one does something (`Condvar`, `Barrier`, `mpsc`) is left out.

pub mod atomic;

mod mutex;
mod once_lock;
mod rw_lock;

pub use mutex::{Mutex, MutexGuard};
pub use once_lock::OnceLock;
pub use rw_lock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{Arc, LazyLock, LockResult, PoisonError, TryLockError, TryLockResult, Weak};

/// A result of std's, with the look-alike of the guard in it.
fn wrap_lock<G, W>(result: LockResult<G>, wrap: impl FnOnce(G) -> W) -> LockResult<W> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(poisoned) => Err(PoisonError::new(wrap(poisoned.into_inner()))),
    }
}

/// As [`wrap_lock`], for the result of a try.
fn wrap_try_lock<G, W>(result: TryLockResult<G>, wrap: impl FnOnce(G) -> W) -> TryLockResult<W> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(TryLockError::Poisoned(poisoned)) => {
            Err(TryLockError::Poisoned(PoisonError::new(wrap(poisoned.into_inner()))))
        }
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}
