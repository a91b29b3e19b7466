//! The halves of a stream that share it.

use super::{SocketAddr, UnixStream};
use crate::net::halves::owned_halves;
use crate::net::{Interest, Ready};
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io::{self, IoSlice};
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

owned_halves!(UnixStream);
