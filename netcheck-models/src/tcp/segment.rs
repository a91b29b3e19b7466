//! Segments: what an end of a connection sends to the other, where packets take time.

use super::Breakage;
use crate::event::Brought;

/// A segment under way. Those from one end arrive in the order in which they were sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A connect.
    Open,
    /// The answer to a connect that a listener has taken.
    Opened,
    /// The answer to a connect to an address at which no socket listens.
    Refused,
    /// The bytes of one write.
    Bytes(Vec<u8>),
    /// The end of the stream.
    End,
    /// The connection is reset; with the error that the other end reports.
    Reset(Breakage),
    /// A write has failed: no more bytes are taken, and the stream ends, unless its end was sent before.
    Broken {
        /// Whether it is the end of the stream.
        ends: bool,
    },
}

impl Segment {
    /// The number of bytes that it carries.
    pub(super) fn len(&self) -> usize {
        match self {
            Segment::Bytes(bytes) => bytes.len(),
            _ => 0,
        }
    }

    /// Whether it is sent again until it is acknowledged.
    pub(super) fn is_acknowledged(&self) -> bool {
        matches!(self, Segment::Bytes(_) | Segment::End)
    }

    /// Its contents.
    #[must_use]
    pub fn brought(&self) -> Brought {
        match self {
            Segment::Open => Brought::Connect,
            Segment::Opened => Brought::Answer,
            Segment::Refused => Brought::Refusal,
            Segment::Bytes(bytes) => Brought::Bytes { bytes: bytes.len() as u64 },
            Segment::End | Segment::Broken { .. } => Brought::End,
            Segment::Reset(_) => Brought::Reset,
        }
    }
}
