//! `tokio::sync::oneshot`, tracked.

use super::handle::Handle;
use super::object::Object;
use error::{RecvError, TryRecvError};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::sync::oneshot;

pub use tokio::sync::oneshot::error;

/// As tokio's `oneshot::Sender`.
pub struct Sender<T> {
    object: Handle<Arc<Object>>,
    inner: oneshot::Sender<T>,
}

/// As tokio's `oneshot::Receiver`.
pub struct Receiver<T> {
    object: Handle<Arc<Object>>,
    inner: oneshot::Receiver<T>,
}

/// As tokio's `oneshot::channel`.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = oneshot::channel();
    let (one, other) = Handle::pair();
    (Sender { object: one, inner: sender }, Receiver { object: other, inner: receiver })
}

impl<T> Sender<T> {
    /// As tokio's.
    ///
    /// # Errors
    /// The value, if there is no receiver.
    pub fn send(self, value: T) -> Result<(), T> {
        self.object.touch();
        self.inner.send(value)
    }

    /// As tokio's.
    pub async fn closed(&mut self) {
        self.object.during(self.inner.closed()).await;
    }

    /// As tokio's.
    pub fn is_closed(&self) -> bool {
        self.object.touch();
        self.inner.is_closed()
    }

    /// As tokio's.
    pub fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.object.touch();
        self.inner.poll_closed(cx)
    }
}

impl<T> Receiver<T> {
    /// As tokio's.
    pub fn close(&mut self) {
        self.object.touch();
        self.inner.close();
    }

    /// As tokio's.
    pub fn is_terminated(&self) -> bool {
        self.object.touch();
        self.inner.is_terminated()
    }

    /// As tokio's.
    pub fn is_empty(&self) -> bool {
        self.object.touch();
        self.inner.is_empty()
    }

    /// As tokio's.
    ///
    /// # Errors
    /// If there is no value yet, or there will be none.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.object.touch();
        self.inner.try_recv()
    }

    /// As tokio's, where there is the value, or will be none. Else it ends the check.
    ///
    /// # Errors
    /// If there will be none.
    pub fn blocking_recv(mut self) -> Result<T, RecvError> {
        match Pin::new(&mut self).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(received) => received,
            Poll::Pending => self.object.owner().blocks("blocking_recv"),
        }
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.object.touch();
        Pin::new(&mut self.inner).poll(cx)
    }
}

impl<T: fmt::Debug> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

impl<T: fmt::Debug> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}
