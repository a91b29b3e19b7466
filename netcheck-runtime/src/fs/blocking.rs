//! Calls that block, as tokio makes them: each in a task of its own, whose result is awaited.

use crate::task;
use crate::unit::poll::context;
use std::fmt;
use std::future::Future;
use std::io;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A call that was begun. It goes on if this is dropped.
pub(super) enum Blocking<R> {
    Real(tokio::task::JoinHandle<R>),
    Own(task::JoinHandle<R>),
}

/// Begins a call.
pub(super) fn begin<R: Send + 'static>(
    location: &'static Location<'static>,
    call: impl FnOnce() -> R + Send + 'static,
) -> Blocking<R> {
    match context::within() {
        Some(_) => Blocking::Own(task::spawn_blocking_at(location, call)),
        None => Blocking::Real(tokio::task::spawn_blocking(call)),
    }
}

impl<R> Future for Blocking<R> {
    type Output = io::Result<R>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<R>> {
        match &mut *self {
            Blocking::Real(call) => Pin::new(call).poll(cx).map_err(io::Error::from),
            Blocking::Own(call) => Pin::new(call).poll(cx).map_err(io::Error::from),
        }
    }
}

impl<R> fmt::Debug for Blocking<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blocking")
    }
}

/// Makes a call, and awaits its result.
pub(super) async fn call<R: Send + 'static>(
    location: &'static Location<'static>,
    call: impl FnOnce() -> io::Result<R> + Send + 'static,
) -> io::Result<R> {
    match begin(location, call).await {
        Ok(result) => result,
        Err(_) => Err(io::Error::other("background task failed")),
    }
}
