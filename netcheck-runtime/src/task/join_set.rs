//! `JoinSet`: tasks joined in the order in which they end.

use super::{AbortHandle, Id, JoinError, JoinHandle, Joining, LocalSet, lock, spawn, spawn_task};
use crate::isolated::Process;
use crate::operation::choices;
use crate::operation::{Operation, Outcome};
use crate::sync::object::Object;
use crate::unit::poll::context;
use std::any::TypeId;
use std::collections::LinkedList;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

/// A set of tasks, as `tokio::task::JoinSet`. Dropping it aborts the remaining tasks.
#[derive(Debug)]
pub struct JoinSet<T> {
    handles: Vec<(Key, JoinHandle<T>)>,
    /// Tasks of this unit in the order in which they ended.
    ended: Arc<Mutex<LinkedList<Key>>>,
    /// The object of that order, which its tasks share.
    order: Arc<Object>,
}

/// A task of a set, told by the address of the allocation: memory would tell local states apart by a number that counts on.
type Key = Arc<()>;

impl<T: 'static> JoinSet<T> {
    /// An empty set.
    pub fn new() -> Self {
        JoinSet { handles: Vec::new(), ended: Arc::default(), order: Arc::new(Object::new()) }
    }

    /// The number of tasks that have not been joined.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether every task has been joined.
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// Spawns a task into the set.
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        match TypeId::of::<F>() == TypeId::of::<Process<T>>() {
            true => self.add(Key::default(), spawn(future)),
            false => self.spawn_task(future, (Location::caller(), false)),
        }
    }

    /// Spawns a task of this unit into the set.
    fn spawn_task<F>(&mut self, future: F, of: (&'static Location<'static>, bool)) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        let key = Key::default();
        let (ended, order, ending) = (Arc::clone(&self.ended), Arc::clone(&self.order), Arc::clone(&key));
        let end = move || {
            order.touch();
            lock(&ended).push_back(Arc::clone(&ending));
        };
        self.add(key, spawn_task(future, end, of))
    }

    fn add(&mut self, key: Key, handle: JoinHandle<T>) -> AbortHandle {
        let abort = handle.abort_handle();
        self.handles.push((key, handle));
        abort
    }

    /// Spawns a task that need not be `Send` into the set.
    #[track_caller]
    pub fn spawn_local<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        match LocalSet::current() {
            Some(local_set) => self.spawn_local_on(future, &local_set),
            None => self.spawn(future),
        }
    }

    /// Spawns a task that need not be `Send` into the set, and as one of a local set.
    #[track_caller]
    pub fn spawn_local_on<F>(&mut self, future: F, local_set: &LocalSet) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.spawn(local_set.member(future))
    }

    /// Runs a closure as a task of the set, as [`spawn_blocking`](super::spawn_blocking).
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, call: F) -> AbortHandle
    where
        F: FnOnce() -> T + 'static,
    {
        self.spawn_task(async move { call() }, (Location::caller(), true))
    }

    /// The next task that ends; `None` if the set is empty.
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        poll_fn(|cx| self.poll_join_next(cx)).await
    }

    /// The next task that ends, with its id; `None` if the set is empty.
    pub async fn join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        poll_fn(|cx| self.poll_join_next_with_id(cx)).await
    }

    /// Polls for the next task that ends.
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        self.poll_join_next_with_id(cx).map(without_id)
    }

    /// Polls for the next task that ends, with its id.
    pub fn poll_join_next_with_id(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(Id, T), JoinError>>> {
        if self.handles.is_empty() {
            return Poll::Ready(None);
        }
        let first = self.first_of_unit();
        let first = first.map(|first| self.first_ended(Some(first)).unwrap_or(first));
        if let Some(index) = first {
            return Poll::Ready(Some(self.take(index)));
        }
        for index in 0..self.handles.len() {
            if let Poll::Ready(result) = Pin::new(&mut self.handles[index].1).poll(cx) {
                let (_, handle) = self.handles.remove(index);
                return Poll::Ready(Some(result.map(|output| (handle.id(), output))));
            }
        }
        Poll::Pending
    }

    /// The task of this unit that has ended first.
    fn first_of_unit(&self) -> Option<usize> {
        self.order.touch();
        let first = lock(&self.ended).front().cloned()?;
        self.handles.iter().position(|(key, _)| Arc::ptr_eq(key, &first))
    }

    /// The task that has ended first: the first one of this unit, or any of the isolated tasks that have ended. The
    /// order in which isolated tasks have ended is not known, so each of them may have been the first.
    fn first_ended(&self, of_unit: Option<usize>) -> Option<usize> {
        let is_isolated = |index: &usize| matches!(self.handles[*index].1.0, Joining::Unit(_));
        let isolated = (0..self.handles.len()).filter(is_isolated);
        let ended: Vec<usize> = isolated.filter(|&index| self.handles[index].1.is_finished()).collect();
        let candidates: Vec<usize> = of_unit.into_iter().chain(ended).collect();
        match candidates[..] {
            [] => None,
            [only] => Some(only),
            [..] => {
                let choice = Operation::Choices(choices::Operation::Choose { alternatives: candidates.len() });
                let Outcome::Alternative(chosen) = context::current().ask(choice, Location::caller()) else {
                    return None;
                };
                candidates.get(chosen).copied()
            }
        }
    }

    /// Takes a task that has ended out of the set.
    fn take(&mut self, index: usize) -> Result<(Id, T), JoinError> {
        let (key, mut handle) = self.handles.remove(index);
        let mut ended = lock(&self.ended);
        let others = std::mem::take(&mut *ended).into_iter().filter(|other| !Arc::ptr_eq(other, &key));
        *ended = others.collect();
        drop(ended);
        if let Some(result) = handle.look() {
            return result.map(|output| (handle.id(), output));
        }
        let mut cx = Context::from_waker(std::task::Waker::noop());
        match Pin::new(&mut handle).poll(&mut cx) {
            Poll::Ready(result) => result.map(|output| (handle.id(), output)),
            Poll::Pending => unreachable!("the task has ended"),
        }
    }

    /// A task that has ended, if there is one.
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        without_id(self.try_join_next_with_id())
    }

    /// A task that has ended, with its id, if there is one.
    pub fn try_join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        let first = self.first_of_unit();
        let index = self.first_ended(first)?;
        Some(self.take(index))
    }

    /// Waits for all tasks.
    ///
    /// # Panics
    /// If one of them was aborted.
    pub async fn join_all(mut self) -> Vec<T> {
        let mut outputs = Vec::with_capacity(self.len());
        while let Some(output) = self.join_next().await {
            outputs.push(output.unwrap_or_else(|error| panic!("{error}")));
        }
        outputs
    }

    /// Aborts every task.
    pub fn abort_all(&mut self) {
        self.handles.iter().for_each(|(_, handle)| handle.abort());
    }

    /// Aborts every task and waits until all have ended.
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Detaches every task: each goes on without the set.
    pub fn detach_all(&mut self) {
        self.handles.clear();
        self.ended = Arc::default();
    }
}

fn without_id<T>(joined: Option<Result<(Id, T), JoinError>>) -> Option<Result<T, JoinError>> {
    joined.map(|result| result.map(|(_, output)| output))
}

impl<T: 'static, F: Future<Output = T> + 'static> FromIterator<F> for JoinSet<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = F>>(futures: I) -> Self {
        let mut set = JoinSet::new();
        // No closure, because `#[track_caller]` does not pass through one.
        for future in futures {
            set.spawn(future);
        }
        set
    }
}

impl<T: 'static> Default for JoinSet<T> {
    fn default() -> Self {
        JoinSet::new()
    }
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        if crate::unit::poll::context::try_current().is_some() {
            self.handles.iter().for_each(|(_, handle)| handle.abort());
        }
    }
}
