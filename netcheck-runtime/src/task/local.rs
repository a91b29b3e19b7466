//! `LocalSet`: in a check every task is local.

use super::{JoinHandle, spawn_local};
use crate::unit::poll::context;
use std::future::Future;

/// A set of tasks on one thread, as `tokio::task::LocalSet`. All tasks of a unit are.
#[derive(Debug)]
pub struct LocalSet(());

impl Default for LocalSet {
    fn default() -> Self {
        LocalSet::new()
    }
}

impl LocalSet {
    /// A new set.
    ///
    /// # Panics
    /// In a check with `tasks = fifo`: tokio polls the tasks of a set in an order of their own.
    #[track_caller]
    pub fn new() -> LocalSet {
        let is_in_order = context::try_current().is_some_and(|context| context.has_order());
        assert!(
            !is_in_order,
            "a `LocalSet` polls its tasks in an order of its own, which `tasks = fifo` does not have: \
             spawn them with `tokio::spawn`, or check it with `tasks = shared`"
        );
        LocalSet(())
    }

    /// Spawns a task that need not be `Send`.
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        spawn_local(future)
    }

    /// Runs a future with the set's tasks.
    pub async fn run_until<F: Future>(&self, future: F) -> F::Output {
        future.await
    }
}
