//! Bytes between the network and the buffers of programs.

use bytes::BufMut;
use std::io::IoSlice;

/// The bytes of several buffers.
pub(super) fn joined(buffers: &[IoSlice<'_>]) -> Vec<u8> {
    buffers.iter().flat_map(|buffer| buffer.iter().copied()).collect()
}

/// Copies as much of a datagram as fits, and says how much that is.
pub(super) fn copy(payload: &[u8], buffer: &mut [u8]) -> usize {
    let fits = payload.len().min(buffer.len());
    buffer[..fits].copy_from_slice(&payload[..fits]);
    fits
}

/// Appends as much of a datagram as fits without growing the buffer, as tokio does.
pub(super) fn append(payload: &[u8], buffer: &mut impl BufMut) -> usize {
    let fits = payload.len().min(buffer.chunk_mut().len());
    buffer.put_slice(&payload[..fits]);
    fits
}
