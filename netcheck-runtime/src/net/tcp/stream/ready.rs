//! Waiting until a stream can be read or written.

use super::TcpStream;
use crate::net::tcp::readiness::{Interest, Ready, call_when};
use crate::operation::Operation;
use crate::operation::tcp;
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use crate::unit::poll::operations::Pending;
use std::future::Future;
use std::io;
use std::panic::Location;
use std::task::{Context, Poll};

impl TcpStream {
    /// Waits until the stream is ready for one of the interests.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn ready(&self, interest: Interest) -> impl Future<Output = io::Result<Ready>> + use<> {
        let location = Location::caller();
        let ready = self.readiness(interest, true);
        async move { Ok(Ready::told_by(&Pending::new(ready, location).await)) }
    }

    pub(super) fn readiness(&self, interest: Interest, waits: bool) -> Operation {
        let (read, write) = (interest.is_readable(), interest.is_writable());
        Operation::Tcp(tcp::Operation::Ready { stream: self.stream, read, write, waits })
    }

    /// Waits until a read can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn readable(&self) -> impl Future<Output = io::Result<()>> {
        let ready = self.ready(Interest::READABLE);
        async move { ready.await.map(|_| ()) }
    }

    /// Waits until a write can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn writable(&self) -> impl Future<Output = io::Result<()>> {
        let ready = self.ready(Interest::WRITABLE);
        async move { ready.await.map(|_| ()) }
    }

    /// Polls until a read can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ready = self.readiness(Interest::READABLE, true);
        self.poll(Way::ReadReady, cx, ready, Location::caller()).map(|_| Ok(()))
    }

    /// Polls until a write can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ready = self.readiness(Interest::WRITABLE, true);
        self.poll(Way::WriteReady, cx, ready, Location::caller()).map(|_| Ok(()))
    }

    /// Calls `call`, which uses the stream without waiting, if the stream is ready for it.
    ///
    /// # Errors
    /// `WouldBlock` if it is not ready; else those of `call`.
    #[track_caller]
    pub fn try_io<R>(&self, interest: Interest, call: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        let ready = context::current().ask(self.readiness(interest, false), Location::caller());
        Ready::told_by(&ready).then_try(call)
    }

    /// Calls `call` whenever the stream is ready, until it does not return `WouldBlock`.
    ///
    /// # Errors
    /// The errors of `call`.
    pub async fn async_io<R>(&self, interest: Interest, call: impl FnMut() -> io::Result<R>) -> io::Result<R> {
        call_when(|| self.ready(interest), call).await
    }
}
