//! `std::sync::OnceLock`, tracked.

use crate::sync::handle::Handle;
use crate::sync::object::Object;
use std::fmt;
use std::sync;

/// As std's `OnceLock`.
pub struct OnceLock<T> {
    object: Handle<Object>,
    inner: sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// As std's, but not const.
    pub fn new() -> Self {
        OnceLock { object: Handle::new(), inner: sync::OnceLock::new() }
    }

    /// As std's.
    pub fn get(&self) -> Option<&T> {
        self.object.touch();
        self.inner.get()
    }

    /// As std's.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.object.touch();
        self.inner.get_mut()
    }

    /// As std's.
    ///
    /// # Errors
    /// The value, if the cell already has one.
    pub fn set(&self, value: T) -> Result<(), T> {
        self.object.touch();
        self.inner.set(value)
    }

    /// As std's.
    ///
    /// # Panics
    /// If `f` initializes the cell itself.
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        self.object.touch();
        self.inner.get_or_init(f)
    }

    /// As std's.
    pub fn into_inner(self) -> Option<T> {
        self.object.touch();
        self.inner.into_inner()
    }

    /// As std's.
    pub fn take(&mut self) -> Option<T> {
        self.object.touch();
        self.inner.take()
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> Self {
        OnceLock { object: Handle::new(), inner: value.into() }
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> Self {
        self.object.touch();
        OnceLock { object: Handle::new(), inner: self.inner.clone() }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}
