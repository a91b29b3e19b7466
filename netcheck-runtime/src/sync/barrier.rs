//! `tokio::sync::Barrier`, tracked.

use super::handle::Handle;
use super::object::Object;
use std::fmt;
use tokio::sync::{self, BarrierWaitResult};

/// As tokio's `Barrier`.
pub struct Barrier {
    object: Handle<Object>,
    inner: sync::Barrier,
}

impl Barrier {
    /// As tokio's.
    pub fn new(n: usize) -> Self {
        Barrier { object: Handle::new(), inner: sync::Barrier::new(n) }
    }

    /// As tokio's.
    pub async fn wait(&self) -> BarrierWaitResult {
        self.object.during(self.inner.wait()).await
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}
