//! The halves of a stream that share it.

use super::borrowed::{reading_half, writing_half};
use super::readiness::{Interest, Ready};
use crate::net::TcpStream;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The reading half of a stream, as `tokio::net::tcp::OwnedReadHalf`.
#[derive(Debug, Hash)]
pub struct OwnedReadHalf(Arc<TcpStream>);

/// The writing half of a stream, as `tokio::net::tcp::OwnedWriteHalf`; dropping it shuts the writing side down.
#[derive(Debug, Hash)]
pub struct OwnedWriteHalf(Shared);

/// A shared stream, and whether dropping this holder shuts the writing side down.
#[derive(Debug, Hash)]
struct Shared {
    stream: Arc<TcpStream>,
    ends_on_drop: bool,
}

impl std::ops::Deref for Shared {
    type Target = TcpStream;

    fn deref(&self) -> &TcpStream {
        &self.stream
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.ends_on_drop {
            self.stream.end();
        }
    }
}

pub(super) fn split(stream: TcpStream) -> (OwnedReadHalf, OwnedWriteHalf) {
    let stream = Arc::new(stream);
    let writing = Shared { stream: Arc::clone(&stream), ends_on_drop: true };
    (OwnedReadHalf(stream), OwnedWriteHalf(writing))
}

/// The halves belong to different streams, as `tokio::net::tcp::ReuniteError`.
#[derive(Debug)]
pub struct ReuniteError(
    /// The reading half.
    pub OwnedReadHalf,
    /// The writing half.
    pub OwnedWriteHalf,
);

impl fmt::Display for ReuniteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tried to reunite halves that are not from the same socket")
    }
}

impl Error for ReuniteError {}

impl OwnedReadHalf {
    /// Puts the stream together again.
    ///
    /// # Errors
    /// If the halves belong to different streams.
    pub fn reunite(self, other: OwnedWriteHalf) -> Result<TcpStream, ReuniteError> {
        if !Arc::ptr_eq(&self.0, &other.0.stream) {
            return Err(ReuniteError(self, other));
        }
        other.forget();
        Ok(Arc::try_unwrap(self.0).expect("a stream has two halves"))
    }
}

impl OwnedWriteHalf {
    /// Puts the stream together again.
    ///
    /// # Errors
    /// If the halves belong to different streams.
    pub fn reunite(self, other: OwnedReadHalf) -> Result<TcpStream, ReuniteError> {
        other.reunite(self)
    }

    /// Drops the half without shutting the writing side down.
    pub fn forget(mut self) {
        self.0.ends_on_drop = false;
    }
}

reading_half!(OwnedReadHalf);
writing_half!(OwnedWriteHalf);
