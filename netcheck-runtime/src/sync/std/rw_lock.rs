//! `std::sync::RwLock`, tracked.

use super::{wrap_lock, wrap_try_lock};
use crate::sync::guard::guard;
use crate::sync::handle::Handle;
use crate::sync::object::Object;
use std::fmt;
use std::sync::{self, LockResult, TryLockResult};

/// As std's `RwLock`.
pub struct RwLock<T: ?Sized> {
    object: Handle<Object>,
    inner: sync::RwLock<T>,
}

impl<T> RwLock<T> {
    /// As std's, but not const.
    pub fn new(value: T) -> Self {
        RwLock { object: Handle::new(), inner: sync::RwLock::new(value) }
    }

    /// As std's.
    ///
    /// # Errors
    /// If a task panicked while writing.
    pub fn into_inner(self) -> LockResult<T> {
        self.object.touch();
        self.inner.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// As std's.
    ///
    /// # Errors
    /// If a task panicked while writing.
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        self.object.touch();
        wrap_lock(self.inner.read(), |inner| RwLockReadGuard { object: self.object.borrow(), inner })
    }

    /// As std's.
    ///
    /// # Errors
    /// If the lock is held for writing, or a task panicked while writing.
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        self.object.touch();
        wrap_try_lock(self.inner.try_read(), |inner| RwLockReadGuard { object: self.object.borrow(), inner })
    }

    /// As std's.
    ///
    /// # Errors
    /// If a task panicked while writing.
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        self.object.touch();
        wrap_lock(self.inner.write(), |inner| RwLockWriteGuard { object: self.object.borrow(), inner })
    }

    /// As std's.
    ///
    /// # Errors
    /// If the lock is held, or a task panicked while writing.
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        self.object.touch();
        wrap_try_lock(self.inner.try_write(), |inner| RwLockWriteGuard { object: self.object.borrow(), inner })
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
    /// If a task panicked while writing.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.object.touch();
        self.inner.get_mut()
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        RwLock::new(value)
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

guard! {
    /// As std's `RwLockReadGuard`.
    #[must_use = "if unused the RwLock will immediately unlock"]
    RwLockReadGuard<'a, T>(&'a Object, sync::RwLockReadGuard<'a, T>) to T
}

guard! {
    /// As std's `RwLockWriteGuard`.
    #[must_use = "if unused the RwLock will immediately unlock"]
    RwLockWriteGuard<'a, T>(&'a Object, sync::RwLockWriteGuard<'a, T>) to T mut
}
