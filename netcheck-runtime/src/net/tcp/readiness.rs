//! The calls for which a stream can be ready, as `tokio::io::{Interest, Ready}`.

use crate::operation::Outcome;
use std::io;
use std::ops;

/// The calls that a program waits to make on a stream: reads, writes or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    readable: bool,
    writable: bool,
}

impl Interest {
    /// Interest in reads.
    pub const READABLE: Interest = Interest { readable: true, writable: false };
    /// Interest in writes.
    pub const WRITABLE: Interest = Interest { readable: false, writable: true };

    /// Whether reads are included.
    pub const fn is_readable(self) -> bool {
        self.readable
    }

    /// Whether writes are included.
    pub const fn is_writable(self) -> bool {
        self.writable
    }

    /// Whether urgent data is included: never.
    pub const fn is_priority(self) -> bool {
        false
    }

    /// Whether errors are included: never; reads and writes report them.
    pub const fn is_error(self) -> bool {
        false
    }

    /// The interest without another one; `None` if nothing is left.
    pub const fn remove(self, other: Interest) -> Option<Interest> {
        let left = Interest { readable: self.readable && !other.readable, writable: self.writable && !other.writable };
        if left.readable || left.writable { Some(left) } else { None }
    }

    /// The union of both interests.
    #[must_use]
    pub const fn add(self, other: Interest) -> Interest {
        Interest { readable: self.readable || other.readable, writable: self.writable || other.writable }
    }
}

impl ops::BitOr for Interest {
    type Output = Interest;

    fn bitor(self, other: Interest) -> Interest {
        self.add(other)
    }
}

/// The calls that a stream is ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    readable: bool,
    writable: bool,
}

impl Ready {
    /// Ready for no call.
    pub const EMPTY: Ready = Ready { readable: false, writable: false };
    /// Ready for a read.
    pub const READABLE: Ready = Ready { readable: true, writable: false };
    /// Ready for a write.
    pub const WRITABLE: Ready = Ready { readable: false, writable: true };

    /// The readiness that an outcome tells.
    pub(in crate::net) fn told_by(outcome: &Outcome) -> Ready {
        match *outcome {
            Outcome::Ready { read, write } => Ready { readable: read, writable: write },
            ref other => unreachable!("waiting to be ready does not end with {other:?}"),
        }
    }

    /// Calls `call` if the socket is ready for something; `WouldBlock` if it is not.
    pub(in crate::net) fn then_try<R>(self, call: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        if self.is_empty() { Err(io::ErrorKind::WouldBlock.into()) } else { call() }
    }

    /// Whether the stream is ready for no call.
    pub const fn is_empty(self) -> bool {
        !self.readable && !self.writable
    }

    /// Whether a read would not wait.
    pub const fn is_readable(self) -> bool {
        self.readable
    }

    /// Whether a write would not wait.
    pub const fn is_writable(self) -> bool {
        self.writable
    }

    /// Whether there is urgent data: never.
    pub const fn is_priority(self) -> bool {
        false
    }

    /// Whether there is an error: never; reads and writes report them.
    pub const fn is_error(self) -> bool {
        false
    }

    /// Whether the peer is known to send no more: always false, because only a read reports it.
    pub const fn is_read_closed(self) -> bool {
        false
    }

    /// Whether the stream is known to accept no more bytes: always false, because only a write reports it.
    pub const fn is_write_closed(self) -> bool {
        false
    }
}

impl ops::BitOr for Ready {
    type Output = Ready;

    fn bitor(self, other: Ready) -> Ready {
        Ready { readable: self.readable || other.readable, writable: self.writable || other.writable }
    }
}

/// Calls `call` whenever a socket is ready, until it does not return `WouldBlock`.
pub(in crate::net) async fn call_when<R, F: Future<Output = io::Result<Ready>>>(
    ready: impl Fn() -> F,
    mut call: impl FnMut() -> io::Result<R>,
) -> io::Result<R> {
    loop {
        ready().await?;
        match call() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            result => return result,
        }
    }
}
