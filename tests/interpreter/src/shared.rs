//! Objects that the tasks of one process share, of types that `super` names: tokio's own, or their tracked look-alikes.

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use netcheck::tracked::std::sync::atomic::AtomicBool;

use super::sync::{Notify, mpsc, oneshot, watch};
use crate::everyday::within;
use crate::memory::Memory;
use oracle::language::everyday::Share;
use oracle::language::program::{ELAPSED, END, FAILED};

pub struct Objects {
    notify: Notify,
    sender: Place<mpsc::Sender<u8>>,
    receiver: Place<mpsc::Receiver<u8>>,
    answer: Place<oneshot::Sender<u8>>,
    question: Place<oneshot::Receiver<u8>>,
    watched: watch::Sender<u8>,
    watcher: Place<watch::Receiver<u8>>,
}

impl Objects {
    pub fn new() -> Self {
        let (sender, receiver) = mpsc::channel(1);
        let (answer, question) = oneshot::channel();
        let (watched, watcher) = watch::channel(0);
        Objects {
            notify: Notify::new(),
            sender: Place::of(sender),
            receiver: Place::of(receiver),
            answer: Place::of(answer),
            question: Place::of(question),
            watched,
            watcher: Place::of(watcher),
        }
    }

    pub async fn step(&self, memory: &Memory, share: Share) {
        match share {
            Share::NotifyOne => self.notify.notify_one(),
            Share::NotifyWaiters => self.notify.notify_waiters(),
            Share::Notified { limit_ms, into } => {
                let notified = within(limit_ms, self.notify.notified()).await;
                memory.write(into, notified.map_or(ELAPSED, |()| 0));
            }
            Share::Send { value, limit_ms, into } => {
                let value = memory.value(value);
                if let Some(sender) = self.sender.cloned() {
                    let sent = within(limit_ms, sender.send(value)).await;
                    memory.write(into, sent.map_or(ELAPSED, |sent| if sent.is_ok() { 0 } else { FAILED }));
                }
            }
            Share::TrySend { value, into } => {
                let value = memory.value(value);
                if let Some(sender) = self.sender.cloned() {
                    let is_sent = sender.try_send(value).is_ok();
                    memory.write(into, if is_sent { 0 } else { FAILED });
                }
            }
            Share::Recv { limit_ms, into } => {
                if let Some(mut receiver) = self.receiver.take() {
                    let received = within(limit_ms, receiver.it().recv()).await;
                    memory.write(into, received.map_or(ELAPSED, |received| received.unwrap_or(END)));
                }
            }
            Share::TryRecv { into } => {
                if let Some(mut receiver) = self.receiver.take() {
                    let received = receiver.it().try_recv();
                    memory.write(into, received.unwrap_or_else(code_of));
                }
            }
            Share::DropSender => {
                if let Some(sender) = self.sender.take() {
                    sender.use_up();
                }
            }
            Share::Answer { value } => {
                let value = memory.value(value);
                if let Some(answer) = self.answer.take() {
                    // an error says that the answer comes too late
                    let _ = answer.use_up().send(value);
                }
            }
            Share::DropAnswer => {
                if let Some(answer) = self.answer.take() {
                    answer.use_up();
                }
            }
            Share::Ask { limit_ms, into } => {
                if let Some(mut question) = self.question.take() {
                    let answered = within(limit_ms, question.it()).await;
                    if answered.is_some() {
                        question.use_up();
                    }
                    memory.write(into, answered.map_or(ELAPSED, |answer| answer.unwrap_or(FAILED)));
                }
            }
            Share::Publish { value } => {
                self.watched.send_replace(memory.value(value));
            }
            Share::Changed { limit_ms, into } => {
                if let Some(mut watcher) = self.watcher.take() {
                    let changed = within(limit_ms, watcher.it().changed()).await;
                    let value = match changed {
                        Some(changed) => {
                            changed.expect("the sender is kept");
                            *watcher.it().borrow_and_update()
                        }
                        None => ELAPSED,
                    };
                    memory.write(into, value);
                }
            }
            Share::Borrow { into } => {
                let value = *self.watched.borrow();
                memory.write(into, value);
            }
        }
    }
}

fn code_of(error: mpsc::error::TryRecvError) -> u8 {
    match error {
        mpsc::error::TryRecvError::Empty => FAILED,
        mpsc::error::TryRecvError::Disconnected => END,
    }
}

/// Something that one task at a time may take.
pub struct Place<T> {
    it: RefCell<Option<T>>,
    /// says of each use that it is one
    uses: AtomicBool,
}

/// A value that a task has taken: it is put back at the end.
pub struct Taken<'a, T> {
    place: &'a Place<T>,
    it: Option<T>,
}

impl<T> Place<T> {
    pub fn of(it: T) -> Self {
        Place { it: RefCell::new(Some(it)), uses: AtomicBool::new(false) }
    }

    pub fn take(&self) -> Option<Taken<'_, T>> {
        self.uses.store(true, Ordering::Relaxed);
        let it = self.it.borrow_mut().take()?;
        Some(Taken { place: self, it: Some(it) })
    }

    fn cloned(&self) -> Option<T>
    where
        T: Clone,
    {
        self.uses.store(true, Ordering::Relaxed);
        self.it.borrow().clone()
    }
}

impl<T> Taken<'_, T> {
    pub fn it(&mut self) -> &mut T {
        self.it.as_mut().expect("it is there until it is used up")
    }

    fn use_up(mut self) -> T {
        self.it.take().expect("it is used up once")
    }
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let Some(it) = self.it.take() else { return };
        self.place.uses.store(true, Ordering::Relaxed);
        *self.place.it.borrow_mut() = Some(it);
    }
}
