//! The bytes from one end of a connection to the other.

/// What was written at one end and not read yet at the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct HalfStream {
    bytes: Vec<u8>,
    /// The writer has shut down or closed: after the bytes comes the end.
    pub(super) is_finished: bool,
    /// The connection was reset under way: the bytes that are left may arrive, or never.
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

    /// The bytes that are left go, whatever comes after them stays.
    pub(super) fn discard(&mut self) {
        self.bytes.clear();
        self.may_be_lost = false;
    }
}
