//! Objects that the tasks of a program share.

use super::super::program::{CELLS, ORDERED_TASKS};
use super::tokio;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, Semaphore, broadcast, mpsc, oneshot, watch};
use tokio::task::JoinHandle;

/// Nobody holds the lock of a place across an `await`.
pub(crate) fn open<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) struct World {
    pub(crate) trace: Mutex<Vec<u8>>,
    pub(crate) cells: Mutex<[u8; CELLS]>,
    pub(crate) tasks: [Mutex<Option<JoinHandle<()>>>; ORDERED_TASKS],
    pub(crate) sender: Mutex<Option<mpsc::Sender<u8>>>,
    pub(crate) receiver: Mutex<Option<mpsc::Receiver<u8>>>,
    pub(crate) answer: Mutex<Option<oneshot::Sender<u8>>>,
    pub(crate) question: Mutex<Option<oneshot::Receiver<u8>>>,
    pub(crate) announcer: broadcast::Sender<u8>,
    pub(crate) listener: Mutex<Option<broadcast::Receiver<u8>>>,
    pub(crate) watched: watch::Sender<u8>,
    pub(crate) watcher: Mutex<Option<watch::Receiver<u8>>>,
    pub(crate) notify: Notify,
    pub(crate) lock: tokio::sync::Mutex<()>,
    pub(crate) permits: Semaphore,
}

impl World {
    pub(crate) fn new() -> World {
        let (sender, receiver) = mpsc::channel(1);
        let (answer, question) = oneshot::channel();
        let (announcer, listener) = broadcast::channel(2);
        let (watched, watcher) = watch::channel(0);
        World {
            trace: Mutex::default(),
            cells: Mutex::default(),
            tasks: Default::default(),
            sender: Mutex::new(Some(sender)),
            receiver: Mutex::new(Some(receiver)),
            answer: Mutex::new(Some(answer)),
            question: Mutex::new(Some(question)),
            announcer,
            listener: Mutex::new(Some(listener)),
            watched,
            watcher: Mutex::new(Some(watcher)),
            notify: Notify::new(),
            lock: tokio::sync::Mutex::new(()),
            permits: Semaphore::new(1),
        }
    }

    pub(crate) fn mark(&self, mark: u8) {
        open(&self.trace).push(mark);
    }

    pub(crate) fn is_even(&self, cell: Option<usize>) -> bool {
        cell.is_none_or(|cell| open(&self.cells)[cell].is_multiple_of(2))
    }
}

/// A value that is taken out of its place to wait for, and put back at the end.
pub(crate) struct Taken<'a, T> {
    place: &'a Mutex<Option<T>>,
    it: Option<T>,
}

impl<'a, T> Taken<'a, T> {
    pub(crate) fn new(place: &'a Mutex<Option<T>>) -> Option<Self> {
        let it = open(place).take()?;
        Some(Taken { place, it: Some(it) })
    }

    pub(crate) fn get(&mut self) -> &mut T {
        self.it.as_mut().expect("it is used up at the end")
    }

    /// It will not be put back.
    pub(crate) fn used_up(&mut self) {
        self.it = None;
    }
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        *open(self.place) = self.it.take();
    }
}

/// Its end is seen in the trace.
pub(crate) struct Guard<'a>(pub(crate) &'a World);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.mark(70);
    }
}
