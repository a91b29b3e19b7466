//! Tasks, shaped like `tokio::task`.
//!
//! A task of the same process shares its memory, so it belongs to the same unit; the runnable task that is polled next
//! is a choice. A [`Process`] value is spawned as a unit of its own.

mod id;
mod join_set;
mod local;

pub use id::{Id, id, try_id};
pub use join_set::JoinSet;
pub use local::{LocalEnterGuard, LocalSet, spawn_local};

// These need no runtime. A task-local value is set whenever its task is polled.
pub use tokio::task::{LocalKey, Unconstrained, unconstrained};

pub mod futures {
    //! Futures of tasks, as `tokio::task::futures`.
    pub use tokio::task::futures::TaskLocalFuture;
}

use crate::capture::{Capture, Values};
use crate::id::UnitId;
use crate::isolated::Process;
use crate::operation::tasks;
use crate::operation::{Effect, Operation, Outcome};
use crate::unit::poll::context;
use crate::unit::poll::operations::Pending;
use crate::unit::poll::tasks::{TaskControl, TaskNumber};
use std::any::{Any, type_name};
use std::fmt;
use std::future::{Future, poll_fn};
use std::hash::Hash;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Spawns a task, as `tokio::spawn`. It becomes runnable; it is not polled at once.
///
/// A value of a `#[netcheck::process]` function becomes a unit of its own.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let location = Location::caller();
    let mut future = Some(future);
    // A future that is isolated can only be a `Process` with the same output.
    let any: &mut dyn Any = &mut future;
    if let Some(process) = any.downcast_mut::<Option<Process<F::Output>>>().and_then(Option::take) {
        let value = process.value();
        let child = process.spawn_unit(location);
        return JoinHandle(Joining::Unit(Box::new(OfUnit { child, value, pending: None, joined: false, location })));
    }
    let future = future.take().expect("it is not a process");
    spawn_task(future, || (), (location, false))
}

/// Spawns a task of this unit; `finished` is called when it ends. `blocks`: tokio would run it on a thread of its own.
fn spawn_task<F>(
    future: F,
    finished: impl Fn() + 'static,
    (location, blocks): (&'static Location<'static>, bool),
) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let cell = Arc::new(Mutex::new(Cell { result: None, waker: None, ended: false }));
    let finished = Rc::new(finished);
    let context = context::current();
    let (ended, cancelled) = (Arc::clone(&cell), Arc::clone(&cell));
    let (on_end, on_cancel) = (Rc::clone(&finished), finished);
    let (number, control) = context.spawn_task(
        Box::pin(async move {
            let output = future.await;
            finish(&ended, Ok(output));
            on_end();
        }),
        Rc::new(move || {
            finish(&cancelled, Err(JoinError { id: id() }));
            on_cancel();
        }),
        (location, blocks),
    );
    let id = Id(context.name_of_task(context.unit, number.0));
    JoinHandle(Joining::Task { cell, task: Arc::new(Known { id, control, _number: number }) })
}

/// A task with a handle.
struct Known {
    id: Id,
    control: Arc<TaskControl>,
    _number: Arc<TaskNumber>,
}

impl Drop for Known {
    fn drop(&mut self) {
        self.control.forget_end();
    }
}

struct Cell<T> {
    result: Option<Result<T, JoinError>>,
    waker: Option<Waker>,
    ended: bool,
}

fn lock<T>(cell: &Mutex<T>) -> MutexGuard<'_, T> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The running task ends.
fn finish<T: 'static>(cell: &Mutex<Cell<T>>, result: Result<T, JoinError>) {
    // The text is the program's memory: without tracked tasks nobody needs it.
    let told = match &result {
        _ if !context::current().tracks() => None,
        Ok(output) => told(output),
        Err(JoinError { .. }) => Some("cancelled".to_owned()),
    };
    context::current().end_task(told);
    context::current().end_running();
    let waker = {
        let mut cell = lock(cell);
        cell.result = Some(result);
        cell.ended = true;
        cell.waker.take()
    };
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// A text that represents an output completely, for types that are known to have one.
fn told(output: &dyn Any) -> Option<String> {
    macro_rules! of_type {
        ($($type:ty)*) => { $(if let Some(output) = output.downcast_ref::<$type>() { return Some(format!("{output:?}")) })* };
    }
    of_type!(() bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize String &'static str);
    None
}

/// A handle to a task, as `tokio::task::JoinHandle`. Dropped, it lets the task go on.
pub struct JoinHandle<T>(Joining<T>);

enum Joining<T> {
    Task {
        cell: Arc<Mutex<Cell<T>>>,
        task: Arc<Known>,
    },
    /// Apart: a handle with room for it, copied before that is written, would take what earlier calls have left on the stack
    /// into a future, and tell equal states apart.
    Unit(Box<OfUnit<T>>),
}

/// The handle of an isolated task.
struct OfUnit<T> {
    child: UnitId,
    value: fn(&Rc<dyn Any>) -> Option<T>,
    pending: Option<Pending>,
    joined: bool,
    location: &'static Location<'static>,
}

/// The handle of an isolated task records the task, and whether it was joined. The output of any other task is in
/// shared memory, which cannot be recorded.
impl<T> Capture for JoinHandle<T> {
    fn capture(&self, values: &mut Values) {
        match &self.0 {
            Joining::Unit(unit) => (unit.child, unit.joined).hash(values),
            Joining::Task { .. } => values.refuse("a task's handle", type_name::<Self>()),
        }
    }
}

impl<T> JoinHandle<T> {
    /// Asks the task to end at its next await.
    pub fn abort(&self) {
        self.abort_handle().abort();
    }

    /// Whether the task has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.abort_handle().is_finished()
    }

    /// The result of an isolated task, if it has ended, without waiting.
    #[track_caller]
    fn look(&mut self) -> Option<Result<T, JoinError>> {
        let Joining::Unit(unit) = &mut self.0 else { return None };
        unit.pending = None;
        let context = context::current();
        let join = Operation::Tasks(tasks::Operation::Join { child: unit.child, waits: false });
        let outcome = context.ask(join, Location::caller());
        if outcome.is_not_yet() {
            return None;
        }
        context.see_end(unit.child);
        unit.joined = true;
        Some(ended(unit.child, unit.value, &outcome))
    }

    /// The id of the task.
    pub fn id(&self) -> Id {
        self.abort_handle().id()
    }

    /// A handle that can abort the task, and test whether it has ended.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle(match &self.0 {
            Joining::Task { task, .. } => Abort::Task(Arc::clone(task)),
            Joining::Unit(unit) => Abort::Unit(unit.child),
        })
    }
}

/// The result of an isolated task.
fn ended<T>(child: UnitId, value: fn(&Rc<dyn Any>) -> Option<T>, outcome: &Outcome) -> Result<T, JoinError> {
    match outcome {
        Outcome::Ended { output } => {
            let output = context::current().shared.output(*output);
            let output = output.value().and_then(value);
            Ok(output.expect("an isolated task ends with its own type of output, and its output is kept"))
        }
        _ => Err(JoinError { id: Id::of_unit(child) }),
    }
}

fn is_ended(child: UnitId, location: &'static Location<'static>) -> bool {
    matches!(
        context::current().ask(Operation::Tasks(tasks::Operation::IsEnded { child }), location),
        Outcome::Alternative(1)
    )
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Joining::Task { cell, task } => {
                let control = &task.control;
                control.look_for_end();
                let mut cell = lock(cell);
                match cell.result.take() {
                    Some(result) => {
                        control.join();
                        Poll::Ready(result)
                    }
                    None => {
                        assert!(!cell.ended, "JoinHandle polled after completion");
                        cell.waker = Some(cx.waker().clone());
                        control.wait_for_end();
                        Poll::Pending
                    }
                }
            }
            Joining::Unit(unit) => {
                let OfUnit { child, value, pending, joined, location } = &mut **unit;
                let operation = Operation::Tasks(tasks::Operation::Join { child: *child, waits: true });
                let join = pending.get_or_insert_with(|| Pending::new(operation, location));
                let Poll::Ready(outcome) = Pin::new(join).poll(cx) else { return Poll::Pending };
                *pending = None;
                *joined = true;
                Poll::Ready(ended(*child, *value, &outcome))
            }
        }
    }
}

impl<T> Unpin for JoinHandle<T> {}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        if let Joining::Unit(unit) = &mut self.0 {
            unit.pending = None;
            if let (false, Some(context)) = (unit.joined, context::try_current()) {
                context.detach_unit(unit.child);
            }
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("id", &self.id()).finish()
    }
}

/// Aborts a task, as `tokio::task::AbortHandle`.
#[derive(Clone)]
pub struct AbortHandle(Abort);

#[derive(Clone)]
enum Abort {
    Task(Arc<Known>),
    Unit(UnitId),
}

impl AbortHandle {
    /// Asks the task to end at its next await.
    pub fn abort(&self) {
        let Some(context) = context::try_current() else { return };
        match &self.0 {
            Abort::Task(task) => task.control.cancel(),
            Abort::Unit(child) => context.effect(Effect::Tasks(tasks::Effect::Abort { child: *child })),
        }
    }

    /// Whether the task has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Abort::Task(task) => {
                task.control.ask_for_end();
                task.control.has_ended()
            }
            Abort::Unit(child) => is_ended(*child, Location::caller()),
        }
    }

    /// The id of the task.
    pub fn id(&self) -> Id {
        match &self.0 {
            Abort::Task(task) => task.id,
            Abort::Unit(child) => Id::of_unit(*child),
        }
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle").field("id", &self.id()).finish()
    }
}

/// The error of a task without an output, as `tokio::task::JoinError`: the task was aborted.
///
/// A panic in a task is a violation and ends the execution, so a task that panicked is never joined.
pub struct JoinError {
    id: Id,
}

impl JoinError {
    /// The id of the task that has no output.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Whether the task was aborted.
    pub fn is_cancelled(&self) -> bool {
        true
    }

    /// Whether the task panicked: never, see above.
    pub fn is_panic(&self) -> bool {
        false
    }

    /// The payload of the panic.
    ///
    /// # Panics
    /// Always: the task did not panic.
    pub fn into_panic(self) -> Box<dyn Any + Send + 'static> {
        panic!("`JoinError` reason is not a panic.")
    }

    /// The payload of the panic, or the error itself: always the latter.
    ///
    /// # Errors
    /// Always.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send + 'static>, JoinError> {
        Err(self)
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {} was cancelled", self.id)
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JoinError::Cancelled({:?})", self.id)
    }
}

impl std::error::Error for JoinError {}

impl From<JoinError> for std::io::Error {
    fn from(_: JoinError) -> Self {
        std::io::Error::other("task was cancelled")
    }
}

/// Runs a closure as a task of its own, as `tokio::task::spawn_blocking`: in a check it is
/// polled like any other task, so it must not block.
#[track_caller]
pub fn spawn_blocking<F, R>(call: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + 'static,
    R: 'static,
{
    spawn_blocking_at(Location::caller(), call)
}

/// As [`spawn_blocking`], for a source line.
pub(crate) fn spawn_blocking_at<F, R>(location: &'static Location<'static>, call: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + 'static,
    R: 'static,
{
    spawn_task(async move { call() }, || (), (location, true))
}

/// Runs a closure in place, as `tokio::task::block_in_place`.
pub fn block_in_place<F: FnOnce() -> R, R>(call: F) -> R {
    call()
}

/// Lets other tasks run, as `tokio::task::yield_now`.
pub async fn yield_now() {
    let mut yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context::current().let_others_run(cx.waker());
        Poll::Pending
    })
    .await;
}
