//! The common part of bounded and unbounded channels.

use crate::sync::counterless::lock;
use std::collections::LinkedList;
use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use tokio::sync::Notify;
use tokio::sync::mpsc::error::TryRecvError;

/// The room for values.
pub trait Room {
    /// Whether there is neither a value nor a reservation.
    fn is_idle(&self) -> bool;

    /// Values were received, or reservations given up.
    fn add(&self, n: usize);

    /// Nothing can be reserved any more.
    fn close(&self);

    /// Whether it was closed.
    fn is_closed(&self) -> bool;
}

/// A channel.
pub struct Channel<T, R> {
    pub room: R,
    state: Mutex<State<T>>,
    /// tokio's own counts the notifications, of which there are two at the most.
    receiver_closed: Notify,
}

struct State<T> {
    values: LinkedList<T>,
    senders: usize,
    weak_senders: usize,
    /// The waker of the task that receives.
    waker: Option<Waker>,
    is_closed_by_receiver: bool,
}

/// The end that sends.
pub struct Tx<T, R>(Arc<Channel<T, R>>);

/// The end that sends, if there is another one.
pub struct WeakTx<T, R>(Arc<Channel<T, R>>);

/// The end that receives.
pub struct Rx<T, R: Room>(Arc<Channel<T, R>>);

pub fn channel<T, R: Room>(room: R) -> (Tx<T, R>, Rx<T, R>) {
    let state =
        State { values: LinkedList::new(), senders: 1, weak_senders: 0, waker: None, is_closed_by_receiver: false };
    let channel = Arc::new(Channel { room, state: Mutex::new(state), receiver_closed: Notify::new() });
    (Tx(Arc::clone(&channel)), Rx(channel))
}

impl<T, R> Channel<T, R> {
    pub fn strong_count(&self) -> usize {
        lock(&self.state).senders
    }

    pub fn weak_count(&self) -> usize {
        lock(&self.state).weak_senders
    }

    /// Sends a value for which there is room.
    pub fn send(&self, value: T) {
        lock(&self.state).values.push_back(value);
        self.wake_receiver();
    }

    fn wake_receiver(&self) {
        let waker = lock(&self.state).waker.take();
        waker.into_iter().for_each(Waker::wake);
    }
}

impl<T, R: Room> Channel<T, R> {
    /// Gives reservations back.
    pub fn give_back(&self, n: usize) {
        self.room.add(n);
        self.wake_if_ended();
    }

    /// Wakes the receiver if there is nothing to be received any more.
    pub fn wake_if_ended(&self) {
        if self.room.is_closed() && self.room.is_idle() {
            self.wake_receiver();
        }
    }

    pub async fn closed(&self) {
        let closed = self.receiver_closed.notified();
        if !self.room.is_closed() {
            closed.await;
        }
    }

    fn take(&self) -> Option<T> {
        let value = lock(&self.state).values.pop_front()?;
        self.room.add(1);
        Some(value)
    }

    /// Takes values, or waits for them; `None` if there will be none any more.
    fn poll<V>(&self, cx: &mut Context<'_>, take: impl FnOnce(&mut LinkedList<T>) -> Option<V>) -> Poll<Option<V>> {
        let waker = cx.waker().clone();
        let mut state = lock(&self.state);
        if let Some(values) = take(&mut state.values) {
            return Poll::Ready(Some(values));
        }
        if state.senders == 0 {
            return Poll::Ready(None);
        }
        let old = state.waker.replace(waker);
        let is_closed = state.is_closed_by_receiver;
        drop(state);
        drop(old);
        if is_closed && self.room.is_idle() { Poll::Ready(None) } else { Poll::Pending }
    }
}

impl<T, R> Tx<T, R> {
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub fn downgrade(&self) -> WeakTx<T, R> {
        WeakTx::new(&self.0)
    }
}

impl<T, R> WeakTx<T, R> {
    fn new(channel: &Arc<Channel<T, R>>) -> Self {
        lock(&channel.state).weak_senders += 1;
        WeakTx(Arc::clone(channel))
    }

    pub fn upgrade(&self) -> Option<Tx<T, R>> {
        let mut state = lock(&self.0.state);
        (state.senders > 0).then(|| {
            state.senders += 1;
            Tx(Arc::clone(&self.0))
        })
    }
}

impl<T, R: Room> Rx<T, R> {
    pub fn len(&self) -> usize {
        lock(&self.state).values.len()
    }

    pub fn is_closed(&self) -> bool {
        self.room.is_closed() || self.strong_count() == 0
    }

    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let poll = self.poll(cx, LinkedList::pop_front);
        if let Poll::Ready(Some(_)) = &poll {
            self.room.add(1);
        }
        poll
    }

    pub fn poll_recv_many(&mut self, cx: &mut Context<'_>, buffer: &mut Vec<T>, limit: usize) -> Poll<usize> {
        if limit == 0 {
            return Poll::Ready(0);
        }
        let received = self.poll(cx, |values| {
            let count = limit.min(values.len());
            buffer.extend((0..count).map_while(|_| values.pop_front()));
            (count > 0).then_some(count)
        });
        if let Poll::Ready(Some(count)) = received {
            self.room.add(count);
        }
        received.map(Option::unwrap_or_default)
    }

    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        if let Some(value) = self.take() {
            return Ok(value);
        }
        let state = lock(&self.state);
        let (senders, is_closed) = (state.senders, state.is_closed_by_receiver);
        drop(state);
        match senders == 0 || is_closed && self.room.is_idle() {
            true => Err(TryRecvError::Disconnected),
            false => Err(TryRecvError::Empty),
        }
    }

    pub fn close(&mut self) {
        lock(&self.state).is_closed_by_receiver = true;
        self.room.close();
        self.receiver_closed.notify_waiters();
    }
}

impl<T, R> Clone for Tx<T, R> {
    fn clone(&self) -> Self {
        lock(&self.0.state).senders += 1;
        Tx(Arc::clone(&self.0))
    }
}

impl<T, R> Clone for WeakTx<T, R> {
    fn clone(&self) -> Self {
        WeakTx::new(&self.0)
    }
}

impl<T, R> Drop for Tx<T, R> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.senders -= 1;
        let waker = if state.senders == 0 { state.waker.take() } else { None };
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }
}

impl<T, R> Drop for WeakTx<T, R> {
    fn drop(&mut self) {
        lock(&self.0.state).weak_senders -= 1;
    }
}

impl<T, R: Room> Drop for Rx<T, R> {
    fn drop(&mut self) {
        /// Drops what nobody will receive, also if dropping a value panics.
        struct Rest<'a, T, R: Room>(&'a Channel<T, R>);

        impl<T, R: Room> Drop for Rest<'_, T, R> {
            fn drop(&mut self) {
                while let Some(value) = self.0.take() {
                    drop(value);
                }
            }
        }

        self.close();
        let rest = Rest(&self.0);
        let waker = lock(&rest.0.state).waker.take();
        drop(waker);
        while let Some(value) = rest.0.take() {
            drop(value);
        }
    }
}

impl<T, R> Deref for Tx<T, R> {
    type Target = Channel<T, R>;

    fn deref(&self) -> &Channel<T, R> {
        &self.0
    }
}

impl<T, R> Deref for WeakTx<T, R> {
    type Target = Channel<T, R>;

    fn deref(&self) -> &Channel<T, R> {
        &self.0
    }
}

impl<T, R: Room> Deref for Rx<T, R> {
    type Target = Channel<T, R>;

    fn deref(&self) -> &Channel<T, R> {
        &self.0
    }
}
