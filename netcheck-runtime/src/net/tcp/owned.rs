//! The halves of a stream that share it.

use super::borrowed::peeking_half;
use super::readiness::{Interest, Ready};
use crate::net::TcpStream;
use crate::net::halves::owned_halves;
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

owned_halves!(TcpStream);
peeking_half!(OwnedReadHalf);
