//! Runtimes, shaped like `tokio::runtime`, so that code which builds one compiles.
//!
//! In a check, the checker runs the tasks. `spawn` is netcheck's; `block_on` would wait for
//! what only the checker can bring about, so it panics and says what to do instead.

use crate::task::{self, JoinHandle};
use crate::unit::context;
use std::future::Future;
use std::io;

/// Builds a runtime, as `tokio::runtime::Builder`. Its settings mean nothing to a check.
#[derive(Debug)]
pub struct Builder(());

impl Builder {
    /// As for a runtime of one thread.
    pub fn new_current_thread() -> Self {
        Builder(())
    }

    /// As for a runtime of several threads.
    pub fn new_multi_thread() -> Self {
        Builder(())
    }

    /// Nothing: a check has I/O and time.
    pub fn enable_all(&mut self) -> &mut Self {
        self
    }

    /// Nothing: a check has I/O.
    pub fn enable_io(&mut self) -> &mut Self {
        self
    }

    /// Nothing: a check has time.
    pub fn enable_time(&mut self) -> &mut Self {
        self
    }

    /// Nothing: every schedule is explored, on however many threads it would happen.
    ///
    /// # Panics
    /// If `threads` is 0, as tokio's.
    #[track_caller]
    pub fn worker_threads(&mut self, threads: usize) -> &mut Self {
        assert!(threads > 0, "Worker threads cannot be set to 0");
        self
    }

    /// Nothing: tasks have no threads.
    pub fn thread_name(&mut self, _name: impl Into<String>) -> &mut Self {
        self
    }

    /// The runtime.
    ///
    /// # Errors
    /// None.
    pub fn build(&mut self) -> io::Result<Runtime> {
        Runtime::new()
    }
}

/// A runtime, as `tokio::runtime::Runtime`: it spawns, but it can't block.
#[derive(Debug)]
pub struct Runtime {
    handle: Handle,
}

impl Runtime {
    /// A runtime.
    ///
    /// # Errors
    /// None.
    pub fn new() -> io::Result<Runtime> {
        Ok(Runtime { handle: Handle(()) })
    }

    /// The handle to it.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Spawns a task of the current process, as [`crate::task::spawn`].
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.handle.spawn(future)
    }

    /// Refuses to block.
    ///
    /// # Panics
    /// Always: see [`Handle::block_on`].
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.handle.block_on(future)
    }
}

/// A handle to a runtime, as `tokio::runtime::Handle`.
#[derive(Clone, Debug)]
pub struct Handle(());

impl Handle {
    /// The handle to whatever runs this task: the checker.
    ///
    /// # Panics
    /// Outside a check.
    #[track_caller]
    pub fn current() -> Self {
        context::current();
        Handle(())
    }

    /// Spawns a task of the current process, as [`crate::task::spawn`].
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        task::spawn(future)
    }

    /// Refuses to block: while a thread waits here, the checker could not go on, and what it
    /// waits for would never happen.
    ///
    /// # Panics
    /// Always.
    #[track_caller]
    pub fn block_on<F: Future>(&self, _future: F) -> F::Output {
        panic!(
            "`block_on` blocks, which nothing can do in a check: \
             register the async fn that it runs as a process, `net.process(\"name\", || async {{ … }})`, \
             or `.await` it where this is called from async code"
        )
    }
}
