//! The halves of a stream that borrow it.

use super::readiness::{Interest, Ready};
use crate::net::TcpStream;
use std::future::Future;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The reading half of a borrowed stream, as `tokio::net::tcp::ReadHalf`.
#[derive(Debug, Hash)]
pub struct ReadHalf<'a>(&'a TcpStream);

/// The writing half of a borrowed stream, as `tokio::net::tcp::WriteHalf`.
#[derive(Debug, Hash)]
pub struct WriteHalf<'a>(&'a TcpStream);

pub(super) fn split(stream: &mut TcpStream) -> (ReadHalf<'_>, WriteHalf<'_>) {
    (ReadHalf(stream), WriteHalf(stream))
}

macro_rules! reading_half {
    ($name:ident $(<$lifetime:lifetime>)?) => {
        impl $name $(<$lifetime>)? {
            /// As `TcpStream::peek`.
            ///
            /// # Errors
            /// As a read.
            #[track_caller]
            pub fn peek(&mut self, buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> {
                self.0.peek(buffer)
            }

            /// As `TcpStream::poll_peek`.
            ///
            /// # Errors
            /// As a read.
            #[track_caller]
            pub fn poll_peek(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
                self.0.poll_peek(cx, buffer)
            }

            /// As `TcpStream::ready`.
            ///
            /// # Errors
            /// Never in this model; the signature is tokio's.
            #[track_caller]
            pub fn ready(&self, interest: Interest) -> impl Future<Output = io::Result<Ready>> {
                self.0.ready(interest)
            }

            /// As `TcpStream::readable`.
            ///
            /// # Errors
            /// Never in this model; the signature is tokio's.
            #[track_caller]
            pub fn readable(&self) -> impl Future<Output = io::Result<()>> {
                self.0.readable()
            }

            /// As `TcpStream::try_read`.
            ///
            /// # Errors
            /// As `TcpStream::try_read`.
            #[track_caller]
            pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0.try_read(buffer)
            }

            /// As `TcpStream::try_read_vectored`.
            ///
            /// # Errors
            /// As `TcpStream::try_read_vectored`.
            #[track_caller]
            pub fn try_read_vectored(&self, buffers: &mut [io::IoSliceMut<'_>]) -> io::Result<usize> {
                self.0.try_read_vectored(buffers)
            }

            /// As `TcpStream::try_read_buf`.
            ///
            /// # Errors
            /// As `TcpStream::try_read_buf`.
            #[track_caller]
            pub fn try_read_buf<B: bytes::BufMut>(&self, buffer: &mut B) -> io::Result<usize> {
                self.0.try_read_buf(buffer)
            }
        }

        crate::net::tcp::borrowed::addresses!($name $(<$lifetime>)?);

        impl AsyncRead for $name $(<$lifetime>)? {
            #[track_caller]
            fn poll_read(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buffer: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                self.0.poll_in(cx, buffer, false, Location::caller())
            }
        }
    };
}

macro_rules! writing_half {
    ($name:ident $(<$lifetime:lifetime>)?) => {
        impl $name $(<$lifetime>)? {
            /// As `TcpStream::ready`.
            ///
            /// # Errors
            /// Never in this model; the signature is tokio's.
            #[track_caller]
            pub fn ready(&self, interest: Interest) -> impl Future<Output = io::Result<Ready>> {
                self.0.ready(interest)
            }

            /// As `TcpStream::writable`.
            ///
            /// # Errors
            /// Never in this model; the signature is tokio's.
            #[track_caller]
            pub fn writable(&self) -> impl Future<Output = io::Result<()>> {
                self.0.writable()
            }

            /// As `TcpStream::try_write`.
            ///
            /// # Errors
            /// As `TcpStream::try_write`.
            #[track_caller]
            pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
                self.0.try_write(bytes)
            }

            /// As `TcpStream::try_write_vectored`.
            ///
            /// # Errors
            /// As `TcpStream::try_write_vectored`.
            #[track_caller]
            pub fn try_write_vectored(&self, buffers: &[IoSlice<'_>]) -> io::Result<usize> {
                self.0.try_write_vectored(buffers)
            }
        }

        crate::net::tcp::borrowed::addresses!($name $(<$lifetime>)?);

        impl AsyncWrite for $name $(<$lifetime>)? {
            #[track_caller]
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
                self.0.poll_out(cx, bytes, Location::caller())
            }

            #[track_caller]
            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                buffers: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                let joined: Vec<u8> = buffers.iter().flat_map(|buffer| buffer.iter().copied()).collect();
                self.0.poll_out(cx, &joined, Location::caller())
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            #[track_caller]
            fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                self.0.poll_end(cx, Location::caller())
            }
        }
    };
}

macro_rules! addresses {
    ($name:ident $(<$lifetime:lifetime>)?) => {
        impl $name $(<$lifetime>)? {
            /// The address of this end.
            ///
            /// # Errors
            /// Never; the signature is tokio's.
            pub fn local_addr(&self) -> io::Result<SocketAddr> {
                self.0.local_addr()
            }

            /// The address of the other end.
            ///
            /// # Errors
            /// Never; the signature is tokio's.
            pub fn peer_addr(&self) -> io::Result<SocketAddr> {
                self.0.peer_addr()
            }
        }

        impl AsRef<TcpStream> for $name $(<$lifetime>)? {
            fn as_ref(&self) -> &TcpStream {
                &self.0
            }
        }
    };
}

pub(super) use {addresses, reading_half, writing_half};

reading_half!(ReadHalf<'_>);
writing_half!(WriteHalf<'_>);
