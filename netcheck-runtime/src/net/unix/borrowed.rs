//! The halves of a stream that borrow it.

use super::{SocketAddr, UnixStream};
use crate::net::halves::borrowed_halves;
use crate::net::{Interest, Ready};
use std::future::Future;
use std::io::{self, IoSlice};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

borrowed_halves!(UnixStream);
