//! `tokio::sync::Mutex`, tracked.

use super::guard::{guard, narrow};
use super::handle::{Handle, Tracked};
use super::object::Object;
use std::fmt;
use std::sync::Arc;
use tokio::sync::{self, TryLockError};

/// As tokio's `Mutex`.
///
/// Unlike tokio's, it cannot become an `Arc<Mutex<dyn Trait>>`.
pub struct Mutex<T: ?Sized> {
    object: Handle<Object>,
    /// Owned guards share it; each of them keeps the whole mutex alive, too.
    inner: Arc<sync::Mutex<T>>,
}

impl<T> Mutex<T> {
    /// As tokio's.
    pub fn new(value: T) -> Self {
        Mutex { object: Handle::new(), inner: Arc::new(sync::Mutex::new(value)) }
    }

    /// As tokio's.
    pub fn into_inner(self) -> T {
        self.object.touch();
        Arc::into_inner(self.inner).expect("a guard would keep the mutex alive").into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// As tokio's.
    pub async fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard { inner: self.object.during(self.inner.lock()).await, object: self.object.borrow() }
    }

    /// As tokio's.
    pub async fn lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        let inner = self.object.during(Arc::clone(&self.inner).lock_owned()).await;
        OwnedMutexGuard { object: Handle::of(self), inner }
    }

    /// As tokio's, where the mutex is free. Else it ends the check.
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        self.try_lock().unwrap_or_else(|_| self.object.object().blocks("blocking_lock"))
    }

    /// As tokio's, where the mutex is free. Else it ends the check.
    pub fn blocking_lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        let locked = Arc::clone(&self).try_lock_owned();
        locked.unwrap_or_else(|_| self.object.object().blocks("blocking_lock_owned"))
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the mutex is locked.
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        self.object.touch();
        Ok(MutexGuard { inner: self.inner.try_lock()?, object: self.object.borrow() })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the mutex is locked.
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        self.object.touch();
        Ok(OwnedMutexGuard { inner: Arc::clone(&self.inner).try_lock_owned()?, object: Handle::of(self) })
    }

    /// As tokio's.
    pub fn get_mut(&mut self) -> &mut T {
        self.object.touch();
        Arc::get_mut(&mut self.inner).expect("a guard would borrow the mutex").get_mut()
    }
}

impl<T: ?Sized> Tracked for Mutex<T> {
    fn object(&self) -> &Object {
        self.object.object()
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
    /// As tokio's `MutexGuard`.
    #[must_use = "if unused the Mutex will immediately unlock"]
    MutexGuard<'a, T>(&'a Object, sync::MutexGuard<'a, T>) to T mut
}

guard! {
    /// As tokio's `OwnedMutexGuard`.
    OwnedMutexGuard<T>(Arc<Mutex<T>>, sync::OwnedMutexGuard<T>) to T mut
}

guard! {
    /// As tokio's `MappedMutexGuard`.
    #[must_use = "if unused the Mutex will immediately unlock"]
    MappedMutexGuard<'a, T>(&'a Object, sync::MappedMutexGuard<'a, T>) to T mut
}

guard! {
    /// As tokio's `OwnedMappedMutexGuard`.
    #[must_use = "if unused the Mutex will immediately unlock"]
    OwnedMappedMutexGuard<T, U = T>(Arc<Mutex<T>>, sync::OwnedMappedMutexGuard<T, U>) to U mut
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    narrow! { map<V: ?Sized>, try_map: sync::MutexGuard<'a, T> => MappedMutexGuard<'a, V>, &mut T }
}

impl<T: ?Sized> OwnedMutexGuard<T> {
    narrow! { map<V: ?Sized>, try_map: sync::OwnedMutexGuard<T> => OwnedMappedMutexGuard<T, V>, &mut T }

    /// As tokio's.
    pub fn mutex(this: &Self) -> &Arc<Mutex<T>> {
        this.object.owner()
    }
}

impl<'a, T: ?Sized> MappedMutexGuard<'a, T> {
    narrow! { map<V>, try_map: sync::MappedMutexGuard<'a, T> => MappedMutexGuard<'a, V>, &mut T }
}

impl<T: ?Sized, U: ?Sized> OwnedMappedMutexGuard<T, U> {
    narrow! { map<V>, try_map: sync::OwnedMappedMutexGuard<T, U> => OwnedMappedMutexGuard<T, V>, &mut U }
}
