//! `tokio::sync::OnceCell`, tracked.

use super::handle::Handle;
use super::object::Object;
use std::fmt;
use std::future::Future;
use tokio::sync::{self, SetError};

/// As tokio's `OnceCell`.
pub struct OnceCell<T> {
    object: Handle<Object>,
    inner: sync::OnceCell<T>,
}

impl<T> OnceCell<T> {
    /// As tokio's.
    pub fn new() -> Self {
        Self::new_with(None)
    }

    /// As tokio's.
    pub fn new_with(value: Option<T>) -> Self {
        OnceCell { object: Handle::new(), inner: sync::OnceCell::new_with(value) }
    }

    /// As tokio's.
    pub const fn const_new() -> Self {
        OnceCell { object: Handle::of_static(), inner: sync::OnceCell::const_new() }
    }

    /// As tokio's.
    pub const fn const_new_with(value: T) -> Self {
        OnceCell { object: Handle::of_static(), inner: sync::OnceCell::const_new_with(value) }
    }

    /// As tokio's.
    pub fn initialized(&self) -> bool {
        self.object.touch();
        self.inner.initialized()
    }

    /// As tokio's.
    pub fn get(&self) -> Option<&T> {
        self.object.touch();
        self.inner.get()
    }

    /// As tokio's.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.object.touch();
        self.inner.get_mut()
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the cell has a value, or is being initialized.
    pub fn set(&self, value: T) -> Result<(), SetError<T>> {
        self.object.touch();
        self.inner.set(value)
    }

    /// As tokio's.
    pub async fn get_or_init<F, Fut>(&self, f: F) -> &T
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        self.object.during(self.inner.get_or_init(f)).await
    }

    /// As tokio's.
    ///
    /// # Errors
    /// The error of `f`.
    pub async fn get_or_try_init<E, F, Fut>(&self, f: F) -> Result<&T, E>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.object.during(self.inner.get_or_try_init(f)).await
    }

    /// As tokio's.
    pub fn into_inner(self) -> Option<T> {
        self.object.touch();
        self.inner.into_inner()
    }

    /// As tokio's.
    pub fn take(&mut self) -> Option<T> {
        self.object.touch();
        self.inner.take()
    }
}

impl<T> Default for OnceCell<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceCell<T> {
    fn from(value: T) -> Self {
        Self::new_with(Some(value))
    }
}

impl<T: Clone> Clone for OnceCell<T> {
    fn clone(&self) -> Self {
        Self::new_with(self.get().cloned())
    }
}

impl<T: PartialEq> PartialEq for OnceCell<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceCell<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}
