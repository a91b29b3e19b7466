//! One direction of a TCP connection: its bytes, put together in their order.
//!
//! Positions count from the first byte, so that they neither wrap around nor depend on the initial sequence number.

use crate::packet::Packet;
use std::collections::BTreeMap;

/// The bytes that one side has sent, as far as none is missing before them.
#[derive(Debug)]
pub(crate) struct Stream<'a> {
    /// The sequence number of the first byte.
    first: u32,
    bytes: Vec<u8>,
    /// Where the stream ends, once a FIN says so.
    end: Option<usize>,
    /// Whether all bytes up to the end have come.
    is_finished: bool,
    /// Segments after a gap, by their position and the number of their packet.
    ahead: BTreeMap<(usize, usize), Segment<'a>>,
    /// Bytes that the other side has acknowledged although they were not captured: up to each position, by that packet. Both
    /// increase.
    missed: Vec<(usize, usize)>,
}

/// A packet's part of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    pub payload: &'a [u8],
    pub fin: bool,
}

/// A packet that is wrong, and why.
pub(crate) type Wrong = (usize, &'static str);

impl<'a> Stream<'a> {
    /// A stream that begins after a SYN with this sequence number.
    pub(crate) fn after_syn(syn: u32) -> Stream<'a> {
        Stream {
            first: syn.wrapping_add(1),
            bytes: Vec::new(),
            end: None,
            is_finished: false,
            ahead: BTreeMap::new(),
            missed: Vec::new(),
        }
    }

    /// Whether a SYN with this sequence number begins this stream.
    pub(crate) fn begins_with(&self, syn: u32) -> bool {
        self.first == syn.wrapping_add(1)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The position of a sequence number, which wraps around: the one that is nearest to the next expected byte. Windows
    /// are smaller than 2^30. The SYN has the position -1.
    fn position(&self, sequence: u32) -> i64 {
        let next = self.bytes.len();
        let next_sequence = self.first.wrapping_add(next as u32);
        next as i64 + i64::from(sequence.wrapping_sub(next_sequence).cast_signed())
    }

    /// Takes a segment.
    pub(crate) fn take(&mut self, packet: &Packet, sequence: u32, segment: Segment<'a>) -> Result<(), Wrong> {
        let position = self.position(sequence);
        // A keep-alive repeats the last byte, or the SYN, with any contents.
        let is_keep_alive = segment.payload.len() <= 1 && !segment.fin && position < self.bytes.len() as i64;
        if !is_keep_alive {
            // The position before the first byte is that of the SYN.
            let skipped = usize::try_from(-position.min(0)).unwrap_or(usize::MAX).min(segment.payload.len());
            let position = usize::try_from(position.max(0)).unwrap_or(usize::MAX);
            let payload = &segment.payload[skipped..];
            self.ahead.insert((position, packet.number), Segment { payload, ..segment });
            self.put_together()?;
        }
        let acknowledgeable = self.acknowledgeable();
        self.missed.retain(|(position, _)| *position > acknowledgeable);
        Ok(())
    }

    /// Moves segments to the stream as long as none is missing before the first of them.
    fn put_together(&mut self) -> Result<(), Wrong> {
        while let Some(entry) = self.ahead.first_entry()
            && entry.key().0 <= self.bytes.len()
        {
            let ((position, number), segment) = entry.remove_entry();
            let (again, new) = segment.payload.split_at(segment.payload.len().min(self.bytes.len() - position));
            if self.bytes[position..][..again.len()] != *again {
                return Err((number, "repeats bytes of its stream with other contents"));
            }
            let end = position + segment.payload.len();
            if self.end.is_some_and(|known| end > known || (segment.fin && end != known))
                || (segment.fin && end < self.bytes.len())
            {
                return Err((number, "has bytes after the end of its stream, or another end"));
            }
            self.bytes.extend_from_slice(new);
            if segment.fin {
                self.end = Some(end);
            }
            self.is_finished = self.end == Some(self.bytes.len());
        }
        Ok(())
    }

    /// Takes note that the other side has everything before this sequence number.
    pub(crate) fn acknowledge(&mut self, packet: &Packet, sequence: u32) {
        let Ok(position) = usize::try_from(self.position(sequence)) else { return };
        if position > self.acknowledgeable() && self.missed.last().is_none_or(|(most, _)| position > *most) {
            self.missed.push((position, packet.number));
        }
    }

    /// The position that may be acknowledged; a FIN counts as a byte.
    fn acknowledgeable(&self) -> usize {
        self.bytes.len() + usize::from(self.is_finished)
    }

    /// The first packet that acknowledges what was not captured.
    pub(crate) fn missed(&self) -> Option<usize> {
        self.missed.first().map(|(_, number)| *number)
    }
}
