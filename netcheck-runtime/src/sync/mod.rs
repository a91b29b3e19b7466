//! Tracked look-alikes of the types that tasks share: of `tokio::sync`, and in [`std`] of `std::sync`.
//!
//! Each is tokio's or std's own type, or one of `counterless`, together with an `Object` that is touched before every use:
//! at every call that can read or change the shared state, at every poll of a waiting future, and when a future, a guard,
//! a permit or an end of a channel is dropped. None of them decides which task goes first; the wrapped type does, in tokio's order.
//!
//! Objects are made by the running task, so `new` is not const. What `const_new` makes is no object: `tasks = tracked` refuses it.
//! The `blocking_` methods end the check where they would have to wait, because nothing can happen meanwhile.

pub mod broadcast;
pub mod mpsc;
pub mod noted;
pub mod oneshot;
pub mod std;
pub mod watch;

mod barrier;
mod counterless;
mod guard;
mod handle;
mod mutex;
mod notify;
pub(crate) mod object;
mod once_cell;
mod rw_lock;
mod semaphore;

pub use barrier::Barrier;
pub use counterless::BarrierWaitResult;
pub use mutex::{MappedMutexGuard, Mutex, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard};
pub use notify::Notify;
pub use once_cell::OnceCell;
pub use rw_lock::{
    OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, RwLockMappedWriteGuard,
    RwLockReadGuard, RwLockWriteGuard,
};
pub use semaphore::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
pub use tokio::sync::{AcquireError, SetError, TryAcquireError, TryLockError};

pub mod futures {
    //! Named futures, as `tokio::sync::futures`.
    pub use super::notify::Notified;
}
