//! `std::sync::Mutex`, tracked.

use super::{wrap_lock, wrap_try_lock};
use crate::sync::guard::guard;
use crate::sync::handle::Handle;
use crate::sync::object::Object;
use std::fmt;
use std::sync::{self, LockResult, TryLockResult};

/// As std's `Mutex`.
pub struct Mutex<T: ?Sized> {
    object: Handle<Object>,
    inner: sync::Mutex<T>,
}

impl<T> Mutex<T> {
    /// As std's, but not const.
    pub fn new(value: T) -> Self {
        Mutex { object: Handle::new(), inner: sync::Mutex::new(value) }
    }

    /// As std's.
    ///
    /// # Errors
    /// If a task panicked while it held the lock.
    pub fn into_inner(self) -> LockResult<T> {
        self.object.touch();
        self.inner.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// As std's.
    ///
    /// # Errors
    /// If a task panicked while it held the lock.
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.object.touch();
        wrap_lock(self.inner.lock(), |inner| MutexGuard { object: self.object.borrow(), inner })
    }

    /// As std's.
    ///
    /// # Errors
    /// If the lock is held, or a task panicked while it held the lock.
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        self.object.touch();
        wrap_try_lock(self.inner.try_lock(), |inner| MutexGuard { object: self.object.borrow(), inner })
    }

    /// As std's.
    pub fn is_poisoned(&self) -> bool {
        self.object.touch();
        self.inner.is_poisoned()
    }

    /// As std's.
    pub fn clear_poison(&self) {
        self.object.touch();
        self.inner.clear_poison();
    }

    /// As std's.
    ///
    /// # Errors
    /// If a task panicked while it held the lock.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.object.touch();
        self.inner.get_mut()
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Mutex::new(value)
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

guard! {
    /// As std's `MutexGuard`.
    #[must_use = "if unused the Mutex will immediately unlock"]
    MutexGuard<'a, T>(&'a Object, sync::MutexGuard<'a, T>) to T mut
}
