//! Runtimes, shaped like `tokio::runtime`, so that code which builds one compiles.
//!
//! In a check, the checker runs the tasks. `spawn` is netcheck's; `block_on` would wait for
//! what only the checker can bring about, so it panics and says what to do instead.

use crate::task::{self, AbortHandle, JoinHandle, JoinSet, LocalSet};
use crate::unit::poll::context;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::time::Duration;

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

    /// Nothing: tasks have no threads.
    pub fn thread_name_fn(&mut self, _name: impl Fn() -> String + Send + Sync + 'static) -> &mut Self {
        self
    }

    /// Nothing: tasks have no threads.
    pub fn thread_stack_size(&mut self, _bytes: usize) -> &mut Self {
        self
    }

    /// Nothing: tasks have no threads.
    pub fn thread_keep_alive(&mut self, _duration: Duration) -> &mut Self {
        self
    }

    /// Nothing: tasks have no threads.
    pub fn max_blocking_threads(&mut self, _threads: usize) -> &mut Self {
        self
    }

    /// Nothing: tasks have no threads.
    pub fn on_thread_start(&mut self, _call: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self
    }

    /// Nothing: tasks have no threads.
    pub fn on_thread_stop(&mut self, _call: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self
    }

    /// Nothing: tasks have no threads.
    pub fn on_thread_park(&mut self, _call: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self
    }

    /// Nothing: tasks have no threads.
    pub fn on_thread_unpark(&mut self, _call: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self
    }

    /// Nothing: every schedule is explored.
    pub fn event_interval(&mut self, _ticks: u32) -> &mut Self {
        self
    }

    /// Nothing: every schedule is explored.
    pub fn global_queue_interval(&mut self, _ticks: u32) -> &mut Self {
        self
    }

    /// Nothing: every schedule is explored.
    pub fn max_io_events_per_tick(&mut self, _events: usize) -> &mut Self {
        self
    }

    /// Nothing: a check has one runtime.
    pub fn name(&mut self, _name: impl Into<String>) -> &mut Self {
        self
    }

    /// Nothing: the time of a check passes only where nothing else can happen.
    pub fn start_paused(&mut self, _start_paused: bool) -> &mut Self {
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

    /// Nothing: in a check, tasks can be spawned anywhere.
    pub fn enter(&self) -> EnterGuard<'_> {
        self.handle.enter()
    }

    /// Nothing: the tasks of a process end with it.
    pub fn shutdown_timeout(self, _duration: Duration) {}

    /// Nothing: the tasks of a process end with it.
    pub fn shutdown_background(self) {}

    /// Runs a closure as a task of its own, as [`crate::task::spawn_blocking`].
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, call: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + 'static,
        R: 'static,
    {
        self.handle.spawn_blocking(call)
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

    /// The handle to whatever runs this task.
    ///
    /// # Errors
    /// Outside a check.
    pub fn try_current() -> Result<Self, TryCurrentError> {
        context::try_current().map(|_| Handle(())).ok_or(TryCurrentError(()))
    }

    /// Nothing: in a check, tasks can be spawned anywhere.
    pub fn enter(&self) -> EnterGuard<'_> {
        EnterGuard(PhantomData)
    }

    /// As of a runtime of several threads: all its tasks may run at any time.
    pub fn runtime_flavor(&self) -> RuntimeFlavor {
        RuntimeFlavor::MultiThread
    }

    /// None: a check has one runtime.
    pub fn name(&self) -> Option<&str> {
        None
    }

    /// Runs a closure as a task of its own, as [`crate::task::spawn_blocking`].
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, call: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + 'static,
        R: 'static,
    {
        task::spawn_blocking(call)
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

/// The sort of a runtime, as `tokio::runtime::RuntimeFlavor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimeFlavor {
    /// A runtime of one thread.
    CurrentThread,
    /// A runtime of several threads.
    MultiThread,
}

/// Until it is dropped, a runtime is the current one, as `tokio::runtime::EnterGuard`.
#[derive(Debug)]
#[must_use = "the guard is what makes the runtime the current one"]
pub struct EnterGuard<'a>(PhantomData<&'a Handle>);

/// Tokio's guard has a destructor, too: `drop(guard)` is no mistake.
impl Drop for EnterGuard<'_> {
    fn drop(&mut self) {}
}

/// There is no runtime, as `tokio::runtime::TryCurrentError`.
pub struct TryCurrentError(());

impl TryCurrentError {
    /// Whether this is outside a check: always.
    pub fn is_missing_context(&self) -> bool {
        true
    }

    /// Whether what is local to the thread is gone: never.
    pub fn is_thread_local_destroyed(&self) -> bool {
        false
    }
}

impl fmt::Debug for TryCurrentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryCurrentError").finish_non_exhaustive()
    }
}

impl fmt::Display for TryCurrentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no check that runs this code")
    }
}

impl Error for TryCurrentError {}

impl LocalSet {
    /// Refuses to block.
    ///
    /// # Panics
    /// Always: see [`Handle::block_on`].
    #[track_caller]
    pub fn block_on<F: Future>(&self, runtime: &Runtime, future: F) -> F::Output {
        runtime.block_on(future)
    }
}

/// Spawning on a handle: whatever it is, the checker runs the tasks.
impl<T: 'static> JoinSet<T> {
    /// Spawns a task into the set.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, future: F, _handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.spawn(future)
    }

    /// Runs a closure as a task of the set, as [`spawn_blocking`](crate::task::spawn_blocking).
    #[track_caller]
    pub fn spawn_blocking_on<F>(&mut self, call: F, _handle: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + 'static,
    {
        self.spawn_blocking(call)
    }
}
