//! `tokio::sync::RwLock`, tracked.

use super::guard::{guard, narrow};
use super::handle::{Handle, Tracked};
use super::object::Object;
use std::fmt;
use std::sync::Arc;
use tokio::sync::{self, TryLockError};

/// As tokio's `RwLock`.
///
/// Unlike tokio's, it cannot become an `Arc<RwLock<dyn Trait>>`.
pub struct RwLock<T: ?Sized> {
    object: Handle<Object>,
    /// Owned guards share it; each of them keeps the whole lock alive, too.
    inner: Arc<sync::RwLock<T>>,
}

impl<T> RwLock<T> {
    /// As tokio's.
    pub fn new(value: T) -> Self {
        RwLock { object: Handle::new(), inner: Arc::new(sync::RwLock::new(value)) }
    }

    /// As tokio's.
    ///
    /// # Panics
    /// If `readers_max` is more than `u32::MAX >> 3`.
    pub fn with_max_readers(value: T, readers_max: u32) -> Self {
        RwLock { object: Handle::new(), inner: Arc::new(sync::RwLock::with_max_readers(value, readers_max)) }
    }

    /// As tokio's.
    pub fn into_inner(self) -> T {
        self.object.touch();
        Arc::into_inner(self.inner).expect("a guard would keep the lock alive").into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// As tokio's.
    pub async fn read(&self) -> RwLockReadGuard<'_, T> {
        RwLockReadGuard { inner: self.object.during(self.inner.read()).await, object: self.object.borrow() }
    }

    /// As tokio's.
    pub async fn read_owned(self: Arc<Self>) -> OwnedRwLockReadGuard<T> {
        let inner = self.object.during(Arc::clone(&self.inner).read_owned()).await;
        OwnedRwLockReadGuard { object: Handle::of(self), inner }
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the lock is held for writing.
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        self.object.touch();
        Ok(RwLockReadGuard { inner: self.inner.try_read()?, object: self.object.borrow() })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the lock is held for writing.
    pub fn try_read_owned(self: Arc<Self>) -> Result<OwnedRwLockReadGuard<T>, TryLockError> {
        self.object.touch();
        Ok(OwnedRwLockReadGuard { inner: Arc::clone(&self.inner).try_read_owned()?, object: Handle::of(self) })
    }

    /// As tokio's, where the lock is not held for writing. Else it ends the check.
    pub fn blocking_read(&self) -> RwLockReadGuard<'_, T> {
        self.try_read().unwrap_or_else(|_| self.object.object().blocks("blocking_read"))
    }

    /// As tokio's, where the lock is free. Else it ends the check.
    pub fn blocking_write(&self) -> RwLockWriteGuard<'_, T> {
        self.try_write().unwrap_or_else(|_| self.object.object().blocks("blocking_write"))
    }

    /// As tokio's.
    pub async fn write(&self) -> RwLockWriteGuard<'_, T> {
        RwLockWriteGuard { inner: self.object.during(self.inner.write()).await, object: self.object.borrow() }
    }

    /// As tokio's.
    pub async fn write_owned(self: Arc<Self>) -> OwnedRwLockWriteGuard<T> {
        let inner = self.object.during(Arc::clone(&self.inner).write_owned()).await;
        OwnedRwLockWriteGuard { object: Handle::of(self), inner }
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the lock is held.
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        self.object.touch();
        Ok(RwLockWriteGuard { inner: self.inner.try_write()?, object: self.object.borrow() })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the lock is held.
    pub fn try_write_owned(self: Arc<Self>) -> Result<OwnedRwLockWriteGuard<T>, TryLockError> {
        self.object.touch();
        Ok(OwnedRwLockWriteGuard { inner: Arc::clone(&self.inner).try_write_owned()?, object: Handle::of(self) })
    }

    /// As tokio's.
    pub fn get_mut(&mut self) -> &mut T {
        self.object.touch();
        Arc::get_mut(&mut self.inner).expect("a guard would borrow the lock").get_mut()
    }
}

impl<T: ?Sized> Tracked for RwLock<T> {
    fn object(&self) -> &Object {
        self.object.object()
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
    /// As tokio's `RwLockReadGuard`.
    RwLockReadGuard<'a, T>(&'a Object, sync::RwLockReadGuard<'a, T>) to T
}

guard! {
    /// As tokio's `OwnedRwLockReadGuard`.
    OwnedRwLockReadGuard<T, U = T>(Arc<RwLock<T>>, sync::OwnedRwLockReadGuard<T, U>) to U
}

guard! {
    /// As tokio's `RwLockWriteGuard`.
    RwLockWriteGuard<'a, T>(&'a Object, sync::RwLockWriteGuard<'a, T>) to T mut
}

guard! {
    /// As tokio's `OwnedRwLockWriteGuard`.
    OwnedRwLockWriteGuard<T>(Arc<RwLock<T>>, sync::OwnedRwLockWriteGuard<T>) to T mut
}

guard! {
    /// As tokio's `RwLockMappedWriteGuard`.
    RwLockMappedWriteGuard<'a, T>(&'a Object, sync::RwLockMappedWriteGuard<'a, T>) to T mut
}

guard! {
    /// As tokio's `OwnedRwLockMappedWriteGuard`.
    OwnedRwLockMappedWriteGuard<T, U = T>(Arc<RwLock<T>>, sync::OwnedRwLockMappedWriteGuard<T, U>) to U mut
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    narrow! { map<V: ?Sized>, try_map: sync::RwLockReadGuard<'a, T> => RwLockReadGuard<'a, V>, &T }
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockReadGuard<T, U> {
    narrow! { map<V: ?Sized>, try_map: sync::OwnedRwLockReadGuard<T, U> => OwnedRwLockReadGuard<T, V>, &U }

    /// As tokio's.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.object.owner()
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    narrow! { map<V: ?Sized>, try_map: sync::RwLockWriteGuard<'a, T> => RwLockMappedWriteGuard<'a, V>, &mut T }
    narrow! { downgrade_map<V: ?Sized>, try_downgrade_map: sync::RwLockWriteGuard<'a, T> => RwLockReadGuard<'a, V>, &T }

    /// As tokio's.
    pub fn into_mapped(this: Self) -> RwLockMappedWriteGuard<'a, T> {
        RwLockMappedWriteGuard { object: this.object, inner: sync::RwLockWriteGuard::into_mapped(this.inner) }
    }

    /// As tokio's.
    pub fn downgrade(self) -> RwLockReadGuard<'a, T> {
        self.object.touch();
        RwLockReadGuard { object: self.object, inner: self.inner.downgrade() }
    }
}

impl<T: ?Sized> OwnedRwLockWriteGuard<T> {
    narrow! { map<V: ?Sized>, try_map: sync::OwnedRwLockWriteGuard<T> => OwnedRwLockMappedWriteGuard<T, V>, &mut T }
    narrow! {
        downgrade_map<V: ?Sized>, try_downgrade_map: sync::OwnedRwLockWriteGuard<T> => OwnedRwLockReadGuard<T, V>, &T
    }

    /// As tokio's.
    pub fn into_mapped(this: Self) -> OwnedRwLockMappedWriteGuard<T> {
        OwnedRwLockMappedWriteGuard { object: this.object, inner: sync::OwnedRwLockWriteGuard::into_mapped(this.inner) }
    }

    /// As tokio's.
    pub fn downgrade(self) -> OwnedRwLockReadGuard<T> {
        self.object.touch();
        OwnedRwLockReadGuard { object: self.object, inner: self.inner.downgrade() }
    }

    /// As tokio's.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.object.owner()
    }
}

impl<'a, T: ?Sized> RwLockMappedWriteGuard<'a, T> {
    narrow! { map<V: ?Sized>, try_map: sync::RwLockMappedWriteGuard<'a, T> => RwLockMappedWriteGuard<'a, V>, &mut T }
}

impl<T: ?Sized, U: ?Sized> OwnedRwLockMappedWriteGuard<T, U> {
    narrow! {
        map<V: ?Sized>, try_map:
        sync::OwnedRwLockMappedWriteGuard<T, U> => OwnedRwLockMappedWriteGuard<T, V>, &mut U
    }

    /// As tokio's.
    pub fn rwlock(this: &Self) -> &Arc<RwLock<T>> {
        this.object.owner()
    }
}
