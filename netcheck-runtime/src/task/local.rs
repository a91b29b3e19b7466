//! `LocalSet`: in a check every task is local.

use super::{JoinHandle, spawn_local};
use std::future::Future;

/// A set of tasks on one thread, as `tokio::task::LocalSet`. All tasks of a unit are.
#[derive(Debug, Default)]
pub struct LocalSet(());

impl LocalSet {
    /// A new set.
    pub fn new() -> LocalSet {
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
