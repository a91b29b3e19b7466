//! `tokio::sync::Notify`, tracked.

use super::counterless;
use super::handle::Handle;
use super::object::Object;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// As tokio's `Notify`.
pub struct Notify {
    object: Handle<Object>,
    inner: counterless::Notify,
}

/// As tokio's `Notified`.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct Notified<'a> {
    /// `None` as soon as the notification has come.
    object: Option<Handle<&'a Object>>,
    inner: counterless::Notified<'a>,
}

impl Notify {
    /// As tokio's.
    pub fn new() -> Self {
        Notify { object: Handle::new(), inner: counterless::Notify::new() }
    }

    /// As tokio's.
    pub fn notified(&self) -> Notified<'_> {
        // From here on, `notify_waiters` reaches it.
        self.object.touch();
        Notified { object: Some(self.object.borrow()), inner: self.inner.notified() }
    }

    /// As tokio's.
    pub fn notify_one(&self) {
        self.object.touch();
        self.inner.notify_one();
    }

    /// As tokio's.
    pub fn notify_last(&self) {
        self.object.touch();
        self.inner.notify_last();
    }

    /// As tokio's.
    pub fn notify_waiters(&self) {
        self.object.touch();
        self.inner.notify_waiters();
    }
}

impl Notified<'_> {
    /// As tokio's.
    pub fn enable(mut self: Pin<&mut Self>) -> bool {
        self.touch();
        Pin::new(&mut self.inner).enable()
    }

    fn touch(&self) {
        self.object.iter().for_each(Handle::touch);
    }
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.touch();
        let poll = Pin::new(&mut self.inner).poll(cx);
        if poll.is_ready() {
            self.object = None;
        }
        poll
    }
}

impl Default for Notify {
    fn default() -> Self {
        Notify::new()
    }
}

impl fmt::Debug for Notify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.touch();
        self.inner.fmt(f)
    }
}

impl fmt::Debug for Notified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.touch();
        self.inner.fmt(f)
    }
}
