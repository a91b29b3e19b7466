//! Waiting until a socket can send or receive.

use super::UnixDatagram;
use crate::net::tcp::readiness::call_when;
use crate::net::{Interest, Ready};
use crate::operation::{Operation, mailboxes};
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use crate::unit::poll::operations::Pending;
use std::future::Future;
use std::io;
use std::panic::Location;
use std::task::{Context, Poll};

impl UnixDatagram {
    /// Waits until the socket is ready for one of the interests.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn ready(&self, interest: Interest) -> impl Future<Output = io::Result<Ready>> + use<> {
        let location = Location::caller();
        let ready = self.readiness(interest, true);
        async move { Ok(Ready::told_by(&Pending::new(ready, location).await)) }
    }

    fn readiness(&self, interest: Interest, waits: bool) -> Operation {
        let (read, write) = (interest.is_readable(), interest.is_writable());
        Operation::Mailboxes(mailboxes::Operation::Ready { socket: self.id, read, write, waits })
    }

    /// Waits until a receive can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn readable(&self) -> impl Future<Output = io::Result<()>> {
        let ready = self.ready(Interest::READABLE);
        async move { ready.await.map(drop) }
    }

    /// Waits until a send to the peer can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn writable(&self) -> impl Future<Output = io::Result<()>> {
        let ready = self.ready(Interest::WRITABLE);
        async move { ready.await.map(drop) }
    }

    /// Polls until a receive can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_recv_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ready = self.readiness(Interest::READABLE, true);
        context::current().poll_on((self.id, Way::ReadReady), cx.waker(), ready, Location::caller()).map(|_| Ok(()))
    }

    /// Polls until a send to the peer can complete at once.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_send_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ready = self.readiness(Interest::WRITABLE, true);
        context::current().poll_on((self.id, Way::WriteReady), cx.waker(), ready, Location::caller()).map(|_| Ok(()))
    }

    /// Calls `call`, which uses the socket without waiting, if the socket is ready for it.
    ///
    /// # Errors
    /// `WouldBlock` if it is not ready; else those of `call`.
    #[track_caller]
    pub fn try_io<R>(&self, interest: Interest, call: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        let ready = context::current().ask(self.readiness(interest, false), Location::caller());
        Ready::told_by(&ready).then_try(call)
    }

    /// Calls `call` whenever the socket is ready, until it does not return `WouldBlock`.
    ///
    /// # Errors
    /// The errors of `call`.
    pub async fn async_io<R>(&self, interest: Interest, call: impl FnMut() -> io::Result<R>) -> io::Result<R> {
        call_when(|| self.ready(interest), call).await
    }
}
