//! `tokio::sync::Semaphore`, tracked.

use super::handle::{Handle, Tracked};
use super::object::Object;
use std::fmt;
use std::sync::Arc;
use tokio::sync::{self, AcquireError, TryAcquireError};

/// As tokio's `Semaphore`.
pub struct Semaphore {
    object: Handle<Object>,
    inner: Arc<sync::Semaphore>,
}

/// As tokio's `SemaphorePermit`.
#[must_use]
pub struct SemaphorePermit<'a> {
    object: Handle<&'a Object>,
    inner: sync::SemaphorePermit<'a>,
}

/// As tokio's `OwnedSemaphorePermit`.
#[must_use]
pub struct OwnedSemaphorePermit {
    object: Handle<Arc<Semaphore>>,
    inner: sync::OwnedSemaphorePermit,
}

impl Semaphore {
    /// As tokio's.
    pub const MAX_PERMITS: usize = sync::Semaphore::MAX_PERMITS;

    /// As tokio's.
    ///
    /// # Panics
    /// If `permits` is more than [`Self::MAX_PERMITS`].
    pub fn new(permits: usize) -> Self {
        Semaphore { object: Handle::new(), inner: Arc::new(sync::Semaphore::new(permits)) }
    }

    /// As tokio's.
    pub fn available_permits(&self) -> usize {
        self.object.touch();
        self.inner.available_permits()
    }

    /// As tokio's.
    ///
    /// # Panics
    /// If there would be more than [`Self::MAX_PERMITS`].
    pub fn add_permits(&self, n: usize) {
        self.object.touch();
        self.inner.add_permits(n);
    }

    /// As tokio's.
    pub fn forget_permits(&self, n: usize) -> usize {
        self.object.touch();
        self.inner.forget_permits(n)
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the semaphore is closed.
    pub async fn acquire(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.acquire_many(1).await
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the semaphore is closed.
    pub async fn acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, AcquireError> {
        let inner = self.object.during(self.inner.acquire_many(n)).await?;
        Ok(SemaphorePermit { object: self.object.borrow(), inner })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there are no permits, or the semaphore is closed.
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_acquire_many(1)
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there are fewer permits, or the semaphore is closed.
    pub fn try_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.object.touch();
        Ok(SemaphorePermit { inner: self.inner.try_acquire_many(n)?, object: self.object.borrow() })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the semaphore is closed.
    pub async fn acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.acquire_many_owned(1).await
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If the semaphore is closed.
    pub async fn acquire_many_owned(self: Arc<Self>, n: u32) -> Result<OwnedSemaphorePermit, AcquireError> {
        let inner = self.object.during(Arc::clone(&self.inner).acquire_many_owned(n)).await?;
        Ok(OwnedSemaphorePermit { object: Handle::of(self), inner })
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there are no permits, or the semaphore is closed.
    pub fn try_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_acquire_many_owned(1)
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there are fewer permits, or the semaphore is closed.
    pub fn try_acquire_many_owned(self: Arc<Self>, n: u32) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.object.touch();
        let inner = Arc::clone(&self.inner).try_acquire_many_owned(n)?;
        Ok(OwnedSemaphorePermit { object: Handle::of(self), inner })
    }

    /// As tokio's.
    pub fn close(&self) {
        self.object.touch();
        self.inner.close();
    }

    /// As tokio's.
    pub fn is_closed(&self) -> bool {
        self.object.touch();
        self.inner.is_closed()
    }
}

impl Tracked for Semaphore {
    fn object(&self) -> &Object {
        self.object.object()
    }
}

impl SemaphorePermit<'_> {
    /// As tokio's.
    pub fn forget(self) {
        self.object.touch();
        self.inner.forget();
    }

    /// As tokio's.
    ///
    /// # Panics
    /// If the permits belong to different semaphores.
    pub fn merge(&mut self, other: Self) {
        self.inner.merge(other.inner);
    }

    /// As tokio's.
    pub fn split(&mut self, n: usize) -> Option<Self> {
        Some(SemaphorePermit { inner: self.inner.split(n)?, object: self.object.again() })
    }

    /// As tokio's.
    pub fn num_permits(&self) -> usize {
        self.inner.num_permits()
    }
}

impl OwnedSemaphorePermit {
    /// As tokio's.
    pub fn forget(self) {
        self.object.touch();
        self.inner.forget();
    }

    /// As tokio's.
    ///
    /// # Panics
    /// If the permits belong to different semaphores.
    pub fn merge(&mut self, other: Self) {
        self.inner.merge(other.inner);
    }

    /// As tokio's.
    pub fn split(&mut self, n: usize) -> Option<Self> {
        Some(OwnedSemaphorePermit { inner: self.inner.split(n)?, object: self.object.clone() })
    }

    /// As tokio's.
    pub fn semaphore(&self) -> &Arc<Semaphore> {
        self.object.owner()
    }

    /// As tokio's.
    pub fn num_permits(&self) -> usize {
        self.inner.num_permits()
    }
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

impl fmt::Debug for SemaphorePermit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

impl fmt::Debug for OwnedSemaphorePermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}
