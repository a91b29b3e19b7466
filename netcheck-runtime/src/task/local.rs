//! `LocalSet`: in a check every task is local, and runs without its set being polled. A set counts its tasks: it is done
//! when all of them are.

use super::{JoinHandle, spawn};
use crate::sync::object::Object;
use crate::unit::poll::context;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

thread_local! {
    /// The set whose task, or whose `run_until`, is being polled.
    static CURRENT: RefCell<Option<Rc<Tasks>>> = const { RefCell::new(None) };
}

/// A set of tasks on one thread, as `tokio::task::LocalSet`. All tasks of a unit are.
///
/// As a future it is done when all of its tasks are: those that were spawned by it, and by [`spawn_local`] from within.
pub struct LocalSet(Rc<Tasks>);

/// The tasks of a set that have not ended.
struct Tasks {
    count: Cell<usize>,
    /// Who waits for the set.
    waker: Cell<Option<Waker>>,
    /// The object that its tasks share.
    object: Object,
}

/// A task of a set, until it has ended or was dropped.
struct Member(Rc<Tasks>);

impl Member {
    fn new(tasks: &Rc<Tasks>) -> Member {
        tasks.object.touch();
        tasks.count.set(tasks.count.get() + 1);
        Member(Rc::clone(tasks))
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let Member(tasks) = self;
        tasks.object.touch();
        tasks.count.set(tasks.count.get() - 1);
        if tasks.count.get() == 0
            && let Some(waker) = tasks.waker.take()
        {
            waker.wake();
        }
    }
}

/// Until it is dropped, tasks that are spawned by [`spawn_local`] are those of a set.
struct Entered(Option<Rc<Tasks>>);

impl Entered {
    fn new(tasks: &Rc<Tasks>) -> Entered {
        Entered(CURRENT.replace(Some(Rc::clone(tasks))))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Until it is dropped, a set is the current one, as `tokio::task::LocalEnterGuard`.
pub struct LocalEnterGuard {
    _entered: Entered,
}

impl fmt::Debug for LocalEnterGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalEnterGuard").finish_non_exhaustive()
    }
}

/// Polls a future within a set.
async fn within<F: Future>(tasks: Rc<Tasks>, future: F) -> F::Output {
    let mut future = Box::pin(future);
    poll_fn(move |cx| {
        let _entered = Entered::new(&tasks);
        future.as_mut().poll(cx)
    })
    .await
}

/// Spawns a task that need not be `Send`, as `tokio::task::spawn_local`.
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    match LocalSet::current() {
        Some(set) => set.spawn_local(future),
        None => spawn(future),
    }
}

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
        LocalSet(Rc::new(Tasks { count: Cell::new(0), waker: Cell::new(None), object: Object::new() }))
    }

    /// Spawns a task that need not be `Send`.
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        spawn(self.member(future))
    }

    /// From here on, until the guard is dropped, tasks that are spawned by [`spawn_local`] are those of this set.
    pub fn enter(&self) -> LocalEnterGuard {
        LocalEnterGuard { _entered: Entered::new(&self.0) }
    }

    /// Runs a future with the set's tasks.
    pub async fn run_until<F: Future>(&self, future: F) -> F::Output {
        within(Rc::clone(&self.0), future).await
    }

    /// The set whose task, or whose `run_until`, is being polled.
    pub(super) fn current() -> Option<LocalSet> {
        CURRENT.with_borrow(Clone::clone).map(LocalSet)
    }

    /// The future of one of the set's tasks.
    pub(super) fn member<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        let (member, tasks) = (Member::new(&self.0), Rc::clone(&self.0));
        async move {
            let _member = member;
            within(tasks, future).await
        }
    }
}

impl Future for LocalSet {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let LocalSet(tasks) = &*self;
        tasks.object.touch();
        if tasks.count.get() == 0 {
            return Poll::Ready(());
        }
        tasks.waker.set(Some(cx.waker().clone()));
        Poll::Pending
    }
}

impl fmt::Debug for LocalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSet").finish_non_exhaustive()
    }
}
