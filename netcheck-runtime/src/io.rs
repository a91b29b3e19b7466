//! Functions that copy, shaped like `tokio::io`: tokio's own, which say when they are done.
//!
//! They change nothing that a program does. A counterexample says which of several futures has stopped, and why.

use crate::unit::poll::context;
use crate::unit::source_line::place;
use std::future::Future;
use std::io::{self, IoSlice};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

/// Copies all bytes of a reader to a writer, as `tokio::io::copy`.
#[track_caller]
pub fn copy<'a, R, W>(reader: &'a mut R, writer: &'a mut W) -> impl Future<Output = io::Result<u64>> + use<'a, R, W>
where
    R: AsyncRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    said("copy", Location::caller(), tokio::io::copy(reader, writer))
}

/// Copies all bytes of a buffered reader to a writer, as `tokio::io::copy_buf`.
#[track_caller]
pub fn copy_buf<'a, R, W>(reader: &'a mut R, writer: &'a mut W) -> impl Future<Output = io::Result<u64>> + use<'a, R, W>
where
    R: AsyncBufRead + Unpin + ?Sized,
    W: AsyncWrite + Unpin + ?Sized,
{
    said("copy_buf", Location::caller(), tokio::io::copy_buf(reader, writer))
}

/// Copies in both directions between two streams, as `tokio::io::copy_bidirectional`.
#[track_caller]
pub fn copy_bidirectional<'a, A, B>(
    a: &'a mut A,
    b: &'a mut B,
) -> impl Future<Output = io::Result<(u64, u64)>> + use<'a, A, B>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    let location = Location::caller();
    async move {
        let (mut a, mut b) = (Side::new(a, TO_FIRST, location), Side::new(b, TO_SECOND, location));
        said("copy_bidirectional", location, tokio::io::copy_bidirectional(&mut a, &mut b)).await
    }
}

/// As [`copy_bidirectional`], with buffers of these sizes.
#[track_caller]
pub fn copy_bidirectional_with_sizes<'a, A, B>(
    a: &'a mut A,
    b: &'a mut B,
    a_to_b_buf_size: usize,
    b_to_a_buf_size: usize,
) -> impl Future<Output = io::Result<(u64, u64)>> + use<'a, A, B>
where
    A: AsyncRead + AsyncWrite + Unpin + ?Sized,
    B: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    let location = Location::caller();
    async move {
        let (mut a, mut b) = (Side::new(a, TO_FIRST, location), Side::new(b, TO_SECOND, location));
        let copy = tokio::io::copy_bidirectional_with_sizes(&mut a, &mut b, a_to_b_buf_size, b_to_a_buf_size);
        said("copy_bidirectional", location, copy).await
    }
}

const TO_FIRST: &str = "from the second stream to the first";
const TO_SECOND: &str = "from the first stream to the second";

/// How much was copied, in words.
trait Copied {
    fn in_words(&self) -> String;
}

impl Copied for u64 {
    fn in_words(&self) -> String {
        if *self == 1 { "1 byte".to_owned() } else { format!("{self} bytes") }
    }
}

impl Copied for (u64, u64) {
    fn in_words(&self) -> String {
        format!("{} there, {} back", self.0.in_words(), self.1.in_words())
    }
}

/// Says how a copy ends.
async fn said<T: Copied>(
    name: &str,
    location: &'static Location<'static>,
    copy: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    let result = copy.await;
    remark(|| {
        let how = match &result {
            Ok(copied) => format!("has ended: {}", copied.in_words()),
            Err(error) => format!("has failed: {error}"),
        };
        format!("`{name}` {how}  ({})", place(location))
    });
    result
}

/// Outside of a check, nothing is said.
fn remark(words: impl FnOnce() -> String) {
    if let Some(context) = context::try_current() {
        context.remark(words);
    }
}

/// One of two streams that are copied to each other. The direction to it has ended when its writing side is shut down.
struct Side<'a, S: ?Sized> {
    stream: &'a mut S,
    direction: &'static str,
    location: &'static Location<'static>,
}

impl<'a, S: ?Sized> Side<'a, S> {
    fn new(stream: &'a mut S, direction: &'static str, location: &'static Location<'static>) -> Self {
        Side { stream, direction, location }
    }
}

impl<S: AsyncRead + Unpin + ?Sized> AsyncRead for Side<'_, S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin + ?Sized> AsyncWrite for Side<'_, S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = ready!(Pin::new(&mut *self.stream).poll_shutdown(cx));
        if result.is_ok() {
            let Side { direction, location, .. } = &*self;
            remark(|| format!("`copy_bidirectional` has ended {direction}  ({})", place(location)));
        }
        Poll::Ready(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream).poll_write_vectored(cx, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
