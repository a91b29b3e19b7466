//! A half-stream: the bytes from one end of a connection to the other.

/// The bytes that one end has written and the other has not read yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct HalfStream {
    bytes: Vec<u8>,
    /// The writer has shut down or closed: the end of the stream follows the bytes.
    pub(super) is_finished: bool,
    /// The connection was reset in flight: the remaining bytes may arrive, or never.
    pub(super) may_be_lost: bool,
}

impl HalfStream {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn room(&self, capacity: usize) -> usize {
        capacity.saturating_sub(self.bytes.len())
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn take(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.may_be_lost &= !self.bytes.is_empty();
    }

    /// Drops the remaining bytes; whatever follows them stays.
    pub(super) fn discard(&mut self) {
        self.bytes.clear();
        self.may_be_lost = false;
    }
}
