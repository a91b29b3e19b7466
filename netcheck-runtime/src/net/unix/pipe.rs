//! `tokio::net::unix::pipe`: pipes without names, between the tasks of a process.
//!
//! A pipe is a connection of Unix domain sockets of which each end uses one way. Named pipes, and ends that are descriptors of
//! the system, lead out of the check: they panic, at the line of the program.

use super::UnixStream;
use crate::isolated::{Handle, HandleId, Isolated};
use crate::net::{Interest, Ready};
use bytes::BufMut;
use std::fs::File;
use std::future::Future;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Makes a pipe.
///
/// As on Linux, bytes that were written can be read at once, the reader finds the end of the pipe behind them when the sender
/// is dropped, and a write fails with `BrokenPipe` when the receiver is. A write takes as many bytes as there is room for,
/// also if they are few: that short writes are taken as a whole is not modelled. What is declared for `tcp` does not apply,
/// but for the size of its buffer.
///
/// # Errors
/// Never; the signature is tokio's.
pub fn pipe() -> io::Result<(Sender, Receiver)> {
    let (sender, receiver) = UnixStream::pair()?;
    Ok((Sender(sender), Receiver(receiver)))
}

/// How a named pipe is opened: no check can.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions(());

impl OpenOptions {
    /// The default options.
    #[must_use]
    pub fn new() -> OpenOptions {
        OpenOptions(())
    }

    /// Without effect.
    pub fn read_write(&mut self, _value: bool) -> &mut Self {
        self
    }

    /// Without effect.
    pub fn unchecked(&mut self, _value: bool) -> &mut Self {
        self
    }

    /// Opens the file of a named pipe for reading.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    ///
    /// # Panics
    /// Always.
    #[track_caller]
    pub fn open_receiver<P: AsRef<Path>>(&self, _path: P) -> io::Result<Receiver> {
        refuse("a named pipe")
    }

    /// Opens the file of a named pipe for writing.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    ///
    /// # Panics
    /// Always.
    #[track_caller]
    pub fn open_sender<P: AsRef<Path>>(&self, _path: P) -> io::Result<Sender> {
        refuse("a named pipe")
    }
}

/// Ends the program at its line.
#[track_caller]
fn refuse(what: &str) -> ! {
    panic!(
        "{what} is not modelled: it leads to other programs and files. Use `tokio::net::unix::pipe::pipe`, \
         `tokio::net::UnixStream::pair`, or `tokio::io::simplex` between the tasks of a process"
    )
}

/// The way of a stream that a pipe has at one end.
macro_rules! end {
    ($(#[$about:meta])* $End:ident, $interest:expr) => {
        $(#[$about])*
        #[derive(Debug, Hash)]
        pub struct $End(UnixStream);

        impl $End {
            /// This end of the pipe of a file.
            ///
            /// # Errors
            /// Never; the signature is tokio's.
            ///
            /// # Panics
            /// Always: the file is one of the system.
            #[track_caller]
            pub fn from_file(_file: File) -> io::Result<$End> {
                refuse("a pipe of the system")
            }

            /// As [`from_file`](Self::from_file).
            ///
            /// # Errors
            /// As `from_file`.
            ///
            /// # Panics
            /// As `from_file`.
            #[track_caller]
            pub fn from_file_unchecked(_file: File) -> io::Result<$End> {
                refuse("a pipe of the system")
            }

            /// As [`from_file`](Self::from_file), of a descriptor.
            ///
            /// # Errors
            /// As `from_file`.
            ///
            /// # Panics
            /// As `from_file`.
            #[track_caller]
            pub fn from_owned_fd(_owned_fd: OwnedFd) -> io::Result<$End> {
                refuse("a pipe of the system")
            }

            /// As [`from_owned_fd`](Self::from_owned_fd).
            ///
            /// # Errors
            /// As `from_file`.
            ///
            /// # Panics
            /// As `from_file`.
            #[track_caller]
            pub fn from_owned_fd_unchecked(_owned_fd: OwnedFd) -> io::Result<$End> {
                refuse("a pipe of the system")
            }

            /// The descriptor of this end, for another program.
            ///
            /// # Errors
            /// Never; the signature is tokio's.
            ///
            /// # Panics
            /// Always: no other program has a pipe of a check.
            #[track_caller]
            pub fn into_blocking_fd(self) -> io::Result<OwnedFd> {
                refuse("a pipe to another program")
            }

            /// As [`into_blocking_fd`](Self::into_blocking_fd).
            ///
            /// # Errors
            /// As `into_blocking_fd`.
            ///
            /// # Panics
            /// As `into_blocking_fd`.
            #[track_caller]
            pub fn into_nonblocking_fd(self) -> io::Result<OwnedFd> {
                refuse("a pipe to another program")
            }

            /// Waits until the pipe is ready for the interest.
            ///
            /// # Errors
            /// Never in this model; the signature is tokio's.
            #[track_caller]
            pub fn ready(&self, interest: Interest) -> impl Future<Output = io::Result<Ready>> + use<> {
                self.0.ready(interest)
            }

            /// Calls `call`, which uses the pipe without waiting, if the pipe is ready for it.
            ///
            /// # Errors
            /// `WouldBlock` if it is not ready; else those of `call`.
            #[track_caller]
            pub fn try_io<R>(&self, call: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
                self.0.try_io($interest, call)
            }
        }

        impl AsFd for $End {
            /// The descriptor of a socket of the operating system that stands for the pipe.
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.0.as_fd()
            }
        }

        impl AsRawFd for $End {
            /// As `as_fd`.
            fn as_raw_fd(&self) -> RawFd {
                self.0.as_raw_fd()
            }
        }

        /// The type does not show that a pipe leads to other units; `visit_handles` reports it.
        impl Isolated for $End {
            fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
                self.0.visit_handles(visitor);
            }
        }

        impl Handle for $End {
            fn duplicate(&self) -> Self {
                $End(self.0.duplicate())
            }
        }
    };
}

end! {
    /// The writing end of a pipe, as `tokio::net::unix::pipe::Sender`. Dropping it ends the pipe behind what was written.
    Sender, Interest::WRITABLE
}

end! {
    /// The reading end of a pipe, as `tokio::net::unix::pipe::Receiver`.
    Receiver, Interest::READABLE
}

impl Sender {
    /// Waits until there is room, or the receiver is gone.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn writable(&self) -> impl Future<Output = io::Result<()>> {
        self.0.writable()
    }

    /// Polls until there is room, or the receiver is gone.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_write_ready(cx)
    }

    /// Writes as many bytes as there is room for.
    ///
    /// # Errors
    /// `WouldBlock` if there is no room, `BrokenPipe` if the receiver is gone.
    #[track_caller]
    pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
        if buf.is_empty() { Ok(0) } else { self.0.try_write(buf) }
    }

    /// Writes as many bytes of several buffers as there is room for.
    ///
    /// # Errors
    /// As `try_write`.
    #[track_caller]
    pub fn try_write_vectored(&self, buf: &[IoSlice<'_>]) -> io::Result<usize> {
        if are_empty(buf) { Ok(0) } else { self.0.try_write_vectored(buf) }
    }
}

/// Whether a write has no bytes: a pipe takes it, also when nobody reads any more.
fn are_empty(buffers: &[IoSlice<'_>]) -> bool {
    buffers.iter().all(|buffer| buffer.is_empty())
}

impl AsyncWrite for Sender {
    #[track_caller]
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if bytes.is_empty() { Poll::Ready(Ok(0)) } else { Pin::new(&mut self.0).poll_write(cx, bytes) }
    }

    #[track_caller]
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if are_empty(buffers) { Poll::Ready(Ok(0)) } else { Pin::new(&mut self.0).poll_write_vectored(cx, buffers) }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Without effect, as tokio's: a pipe ends when its sender is dropped.
    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl Receiver {
    /// Waits until there are bytes, or the sender is gone.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn readable(&self) -> impl Future<Output = io::Result<()>> {
        self.0.readable()
    }

    /// Polls until there are bytes, or the sender is gone.
    ///
    /// # Errors
    /// Never in this model; the signature is tokio's.
    #[track_caller]
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_read_ready(cx)
    }

    /// Reads the bytes that are there.
    ///
    /// # Errors
    /// `WouldBlock` if there are none, and the sender may write.
    #[track_caller]
    pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(buf)
    }

    /// Reads the bytes that are there into several buffers.
    ///
    /// # Errors
    /// As `try_read`.
    #[track_caller]
    pub fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.0.try_read_vectored(bufs)
    }

    /// Reads the bytes that are there into a growing buffer.
    ///
    /// # Errors
    /// As `try_read`.
    #[track_caller]
    pub fn try_read_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
        self.0.try_read_buf(buf)
    }
}

impl AsyncRead for Receiver {
    #[track_caller]
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}
