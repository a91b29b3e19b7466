//! The calls that a stream can be waited for to be ready for, as `tokio::io::{Interest, Ready}`.

use std::ops;

/// The calls that a program wants to make on a stream: reads, writes or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    readable: bool,
    writable: bool,
}

impl Interest {
    /// To read.
    pub const READABLE: Interest = Interest { readable: true, writable: false };
    /// To write.
    pub const WRITABLE: Interest = Interest { readable: false, writable: true };

    /// Whether reading is among it.
    pub const fn is_readable(self) -> bool {
        self.readable
    }

    /// Whether writing is among it.
    pub const fn is_writable(self) -> bool {
        self.writable
    }

    /// Both of them.
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
    /// For nothing.
    pub const EMPTY: Ready = Ready { readable: false, writable: false };
    /// For a read.
    pub const READABLE: Ready = Ready { readable: true, writable: false };
    /// For a write.
    pub const WRITABLE: Ready = Ready { readable: false, writable: true };

    pub(super) const fn of(readable: bool, writable: bool) -> Ready {
        Ready { readable, writable }
    }

    /// Whether it is ready for nothing.
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

    /// Whether the peer is known to send no more: never known before a read says so.
    pub const fn is_read_closed(self) -> bool {
        false
    }

    /// Whether nothing more can be written: never known before a write says so.
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
