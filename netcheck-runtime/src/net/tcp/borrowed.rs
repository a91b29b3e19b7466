//! The halves of a stream that borrow it.

use super::readiness::{Interest, Ready};
use crate::net::TcpStream;
use crate::net::halves::borrowed_halves;
use std::future::Future;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

borrowed_halves!(TcpStream);

/// Lets a reading half look at bytes without taking them.
macro_rules! peeking_half {
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
        }
    };
}

pub(super) use peeking_half;

peeking_half!(ReadHalf<'_>);
