//! Bytes of a stream: reading, peeking, writing, and ending the writing side.

use super::TcpStream;
use crate::net::buffers::joined;
use crate::net::endpoint::{keep_surplus, take_surplus};
use crate::net::os;
use crate::net::tcp::readiness::Interest;
use crate::operation::tcp;
use crate::operation::{Effect, Operation, Outcome};
use crate::unit::poll::context;
use crate::unit::poll::handles::Way;
use crate::unit::poll::operations::Pending;
use bytes::BufMut;
use std::future::Future;
use std::io::{self, IoSlice, IoSliceMut};
use std::panic::Location;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::ReadBuf;

impl TcpStream {
    /// Looks at the bytes that the next read gets.
    ///
    /// # Errors
    /// As a read.
    #[track_caller]
    pub fn peek(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> {
        let location = Location::caller();
        async move {
            if buffer.is_empty() {
                return Ok(0);
            }
            let peek = Operation::Tcp(tcp::Operation::Read {
                stream: self.stream,
                max: buffer.len(),
                peeks: true,
                waits: true,
            });
            let bytes = bytes(Pending::new(peek, location).await)?;
            buffer[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        }
    }

    /// Polls for the bytes that the next read gets.
    ///
    /// # Errors
    /// As a read.
    #[track_caller]
    pub fn poll_peek(&self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        let before = buffer.filled().len();
        let peeked = self.poll_in(cx, buffer, true, Location::caller());
        peeked.map_ok(|()| buffer.filled().len() - before)
    }

    /// Reads the bytes that have arrived.
    ///
    /// # Errors
    /// `WouldBlock` if no byte has arrived yet; else as a read.
    #[track_caller]
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.try_in(buffer.len(), Location::caller())?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    /// Reads the bytes that have arrived into several buffers.
    ///
    /// # Errors
    /// As `try_read`.
    #[track_caller]
    pub fn try_read_vectored(&self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let room = buffers.iter().map(|buffer| buffer.len()).sum();
        let bytes = self.try_in(room, Location::caller())?;
        let mut rest = &bytes[..];
        for buffer in buffers {
            let (now, later) = rest.split_at(rest.len().min(buffer.len()));
            buffer[..now.len()].copy_from_slice(now);
            rest = later;
        }
        Ok(bytes.len())
    }

    /// Reads the bytes that have arrived into a growing buffer.
    ///
    /// # Errors
    /// As `try_read`.
    #[track_caller]
    pub fn try_read_buf<B: BufMut>(&self, buffer: &mut B) -> io::Result<usize> {
        let bytes = self.try_in(buffer.chunk_mut().len(), Location::caller())?;
        buffer.put_slice(&bytes);
        Ok(bytes.len())
    }

    fn try_in(&self, max: usize, location: &'static Location<'static>) -> io::Result<Vec<u8>> {
        if max == 0 {
            return Ok(Vec::new());
        }
        let context = context::current();
        if let Some(mut surplus) = take_surplus(self.id) {
            if surplus.len() > max {
                keep_surplus(self.id, &surplus.split_off(max));
            }
            return Ok(surplus);
        }
        let read = Operation::Tcp(tcp::Operation::Read { stream: self.stream, max, peeks: false, waits: false });
        Ok(bytes(context.ask(read, location))?.to_vec())
    }

    /// Writes as many bytes as there is room for.
    ///
    /// # Errors
    /// `WouldBlock` if there is no room; else as a write.
    #[track_caller]
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let context = context::current();
        let bytes = context.first_to_write(bytes).into();
        let write = Operation::Tcp(tcp::Operation::Write { stream: self.stream, bytes, waits: false });
        written(context.ask(write, Location::caller()))
    }

    /// Writes as many bytes of several buffers as there is room for.
    ///
    /// # Errors
    /// As `try_write`.
    #[track_caller]
    pub fn try_write_vectored(&self, buffers: &[IoSlice<'_>]) -> io::Result<usize> {
        self.try_write(&joined(buffers))
    }

    pub(in crate::net) fn poll_in(
        &self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        peeks: bool,
        location: &'static Location<'static>,
    ) -> Poll<io::Result<()>> {
        let max = buffer.remaining();
        if max == 0 {
            // Like the OS, tokio waits until the stream is readable, although the buffer is empty.
            let ready = self.readiness(Interest::READABLE, true);
            return self.poll(Way::In, cx, ready, location).map(|_| Ok(()));
        }
        let bytes = match take_surplus(self.id) {
            Some(surplus) => surplus.into(),
            None => {
                let read = Operation::Tcp(tcp::Operation::Read { stream: self.stream, max, peeks, waits: true });
                let way = if peeks { Way::Peek } else { Way::In };
                let (_, outcome) = ready!(self.poll(way, cx, read, location));
                bytes(outcome)?
            }
        };
        let (fits, surplus) = bytes.split_at(bytes.len().min(max));
        buffer.put_slice(fits);
        if !surplus.is_empty() && !peeks {
            keep_surplus(self.id, surplus);
        }
        Poll::Ready(Ok(()))
    }

    pub(in crate::net) fn poll_out(
        &self,
        cx: &mut Context<'_>,
        bytes: &[u8],
        location: &'static Location<'static>,
    ) -> Poll<io::Result<usize>> {
        let first = context::current().first_to_write(bytes).into();
        let write = Operation::Tcp(tcp::Operation::Write { stream: self.stream, bytes: first, waits: true });
        let (begun, outcome) = ready!(self.poll(Way::Out, cx, write, location));
        let written = written(outcome);
        if let (Some(begun), Ok(count)) = (begun, &written) {
            let count = *count;
            assert!(
                bytes.get(..count) == Some(&begun[..count]),
                "a write that was under way was polled again with other bytes: \
                 they may have been sent already, and the OS would have taken the first ones"
            );
        }
        Poll::Ready(written)
    }

    pub(in crate::net) fn poll_end(
        &self,
        cx: &mut Context<'_>,
        location: &'static Location<'static>,
    ) -> Poll<io::Result<()>> {
        let shutdown = Operation::Tcp(tcp::Operation::Shutdown { stream: self.stream });
        match ready!(self.poll(Way::Shutdown, cx, shutdown, location)).1 {
            Outcome::Done => Poll::Ready(Ok(())),
            Outcome::Failed(failure) => Poll::Ready(Err(os::error(failure))),
            other => unreachable!("a shutdown does not end with {other:?}"),
        }
    }

    /// Shuts the writing side down without waiting; dropping the owned writing half calls this.
    pub(in crate::net) fn end(&self) {
        if let Some(context) = context::try_current() {
            context.effect(Effect::Tcp(tcp::Effect::EndStream { stream: self.stream }));
        }
    }
}

/// The bytes that were read.
fn bytes(outcome: Outcome) -> io::Result<Arc<[u8]>> {
    match outcome {
        Outcome::Bytes(bytes) => Ok(bytes),
        Outcome::WouldBlock => Err(io::ErrorKind::WouldBlock.into()),
        Outcome::Failed(failure) => Err(os::error(failure)),
        other => unreachable!("a read does not end with {other:?}"),
    }
}

fn written(outcome: Outcome) -> io::Result<usize> {
    match outcome {
        Outcome::Written(count) => Ok(count),
        Outcome::WouldBlock => Err(io::ErrorKind::WouldBlock.into()),
        Outcome::Failed(failure) => Err(os::error(failure)),
        other => unreachable!("a write does not end with {other:?}"),
    }
}
