//! `Notify`, without the number of calls of `notify_waiters`.

use super::{Epoch, lock};
use std::collections::LinkedList;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// As tokio's.
#[derive(Debug, Default)]
pub struct Notify(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// A notification that nobody has waited for.
    has_permit: bool,
    /// First come, first notified.
    waiters: LinkedList<Arc<Waiter>>,
    /// Since the last call of `notify_waiters`.
    epoch: Epoch,
}

#[derive(Debug, Default)]
struct Waiter(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    waker: Option<Waker>,
    notification: Option<Notification>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notification {
    One(End),
    All,
}

/// The end of the queue at which a waiter is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// As tokio's.
#[derive(Debug)]
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct Notified<'a> {
    notify: &'a Notify,
    /// Until it waits or is notified: when it was made.
    made: Option<Epoch>,
    /// From the first poll until it is notified.
    waiter: Option<Arc<Waiter>>,
}

impl Notify {
    /// As tokio's.
    pub fn new() -> Self {
        Notify::default()
    }

    /// As tokio's.
    pub fn notified(&self) -> Notified<'_> {
        Notified { notify: self, made: Some(lock(&self.0).epoch.kept()), waiter: None }
    }

    /// As tokio's.
    pub fn notify_one(&self) {
        self.notify(End::First);
    }

    /// As tokio's.
    pub fn notify_last(&self) {
        self.notify(End::Last);
    }

    fn notify(&self, end: End) {
        let mut state = lock(&self.0);
        let waiter = match end {
            End::First => state.waiters.pop_front(),
            End::Last => state.waiters.pop_back(),
        };
        state.has_permit |= waiter.is_none();
        let waker = waiter.and_then(|waiter| waiter.notify(Notification::One(end)));
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// As tokio's.
    pub fn notify_waiters(&self) {
        let mut state = lock(&self.0);
        state.epoch.end();
        let waiters = std::mem::take(&mut state.waiters);
        let wakers: Vec<Waker> = waiters.iter().filter_map(|waiter| waiter.notify(Notification::All)).collect();
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Waiter {
    /// Notifies it; returns the waker that is to be woken.
    fn notify(&self, notification: Notification) -> Option<Waker> {
        let mut waiting = lock(&self.0);
        waiting.notification = Some(notification);
        waiting.waker.take()
    }
}

impl Notified<'_> {
    /// As tokio's.
    pub fn enable(mut self: Pin<&mut Self>) -> bool {
        self.is_notified(None)
    }

    /// Whether it is notified; if not, the waker will be woken.
    fn is_notified(&mut self, waker: Option<&Waker>) -> bool {
        if let Some(made) = &self.made {
            let waker = waker.cloned();
            let mut state = lock(&self.notify.0);
            let is_notified = !made.is(&state.epoch) || std::mem::take(&mut state.has_permit);
            if !is_notified {
                let waiter = Arc::new(Waiter(Mutex::new(Waiting { waker, notification: None })));
                state.waiters.push_back(Arc::clone(&waiter));
                self.waiter = Some(waiter);
            }
            self.made = None;
            return is_notified;
        }
        let Some(waiter) = &self.waiter else { return true };
        let mut waiting = lock(&waiter.0);
        if waiting.notification.is_some() {
            drop(waiting);
            self.waiter = None;
            return true;
        }
        let old = match waker {
            Some(waker) if waiting.waker.as_ref().is_none_or(|old| !old.will_wake(waker)) => {
                waiting.waker.replace(waker.clone())
            }
            _ => None,
        };
        drop(waiting);
        drop(old);
        false
    }
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_notified(Some(cx.waker())) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// A notification of one task that does not come to it goes to the next one.
impl Drop for Notified<'_> {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        let mut state = lock(&self.notify.0);
        let notification = lock(&waiter.0).notification;
        if notification.is_none() {
            remove(&mut state.waiters, &waiter);
        }
        drop(state);
        if let Some(Notification::One(end)) = notification {
            self.notify.notify(end);
        }
    }
}

fn remove(waiters: &mut LinkedList<Arc<Waiter>>, waiter: &Arc<Waiter>) {
    if let Some(position) = waiters.iter().position(|other| Arc::ptr_eq(other, waiter)) {
        let mut after = waiters.split_off(position);
        after.pop_front();
        waiters.append(&mut after);
    }
}
