//! `tokio::sync::Barrier`, tracked.

use super::counterless::{self, BarrierWaitResult};
use super::handle::Handle;
use super::object::Object;
use std::fmt;

/// As tokio's `Barrier`.
pub struct Barrier {
    object: Handle<Object>,
    inner: counterless::Barrier,
}

impl Barrier {
    /// As tokio's.
    pub fn new(n: usize) -> Self {
        Barrier { object: Handle::new(), inner: counterless::Barrier::new(n) }
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
