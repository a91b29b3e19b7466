//! Tracked look-alikes of the types of `std::sync` that tasks may share.
//!
//! `Arc` and `Weak` are std's own: to keep a value alive is not an access. Types that block a thread until another one
//! acts (`Condvar`, `Barrier`, `mpsc`) are left out.

pub mod atomic;

mod mutex;
mod once_lock;
mod rw_lock;

pub use mutex::{Mutex, MutexGuard};
pub use once_lock::OnceLock;
pub use rw_lock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{Arc, LazyLock, LockResult, PoisonError, TryLockError, TryLockResult, Weak};

/// A result of std's, with its guard wrapped in the look-alike.
fn wrap_lock<G, W>(result: LockResult<G>, wrap: impl FnOnce(G) -> W) -> LockResult<W> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(poisoned) => Err(PoisonError::new(wrap(poisoned.into_inner()))),
    }
}

/// As [`wrap_lock`], for the result of a `try_` call.
fn wrap_try_lock<G, W>(result: TryLockResult<G>, wrap: impl FnOnce(G) -> W) -> TryLockResult<W> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(TryLockError::Poisoned(poisoned)) => {
            Err(TryLockError::Poisoned(PoisonError::new(wrap(poisoned.into_inner()))))
        }
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}
