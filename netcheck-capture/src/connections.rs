//! The TCP connections of a file.

use crate::frame::Header;
use crate::packet::Packet;
use crate::stream::{Segment, Stream, Wrong};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

/// From one socket to another.
type Direction = (SocketAddr, SocketAddr);

/// One direction of a connection, and the bytes that were decoded already.
#[derive(Debug)]
pub(crate) struct Half<'a> {
    stream: Stream<'a>,
    decoded_bytes: usize,
}

impl<'a> Half<'a> {
    fn after_syn(syn: u32) -> Half<'a> {
        Half { stream: Stream::after_syn(syn), decoded_bytes: 0 }
    }

    pub(crate) fn unread(&self) -> &[u8] {
        &self.stream.bytes()[self.decoded_bytes..]
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.stream.is_finished()
    }

    pub(crate) fn decoded(&mut self, bytes: usize) {
        self.decoded_bytes += bytes;
    }
}

/// All connections; a later one between the same sockets takes the place of the one before.
#[derive(Debug, Default)]
pub(crate) struct Connections<'a> {
    /// The directions of which the beginning is known.
    halves: BTreeMap<Direction, Half<'a>>,
    /// Connections that were reset, in both directions: segments that were still under way mean nothing.
    reset: BTreeSet<Direction>,
}

/// The part of a segment that a program sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// A connection is there: this is the answer to its first segment.
    pub opened: bool,
    /// The stream has more bytes.
    pub has_bytes: bool,
    /// The stream has ended.
    pub has_finished: bool,
    /// The connection is no more.
    pub reset: bool,
}

impl<'a> Connections<'a> {
    /// Takes a segment.
    pub(crate) fn take(&mut self, packet: &Packet, header: Header, payload: &'a [u8]) -> Result<Seen, Wrong> {
        let (there, back) = ((packet.from, packet.to), (packet.to, packet.from));
        if header.rst {
            return Ok(Seen { reset: self.take_reset(there, back)?, ..Seen::default() });
        }
        let (mut sequence, mut seen) = (header.sequence, Seen::default());
        if header.syn {
            seen.opened = self.take_syn(packet, header)?;
            sequence = sequence.wrapping_add(1);
        } else if self.reset.contains(&there) {
            return Ok(seen);
        }
        if let Some(acknowledged) = header.acknowledged
            && let Some(half) = self.halves.get_mut(&back)
        {
            half.stream.acknowledge(packet, acknowledged);
        }
        match self.halves.get_mut(&there) {
            Some(_) if payload.is_empty() && !header.fin => {}
            Some(half) => {
                let (length, was_finished) = (half.stream.bytes().len(), half.is_finished());
                half.stream.take(packet, sequence, Segment { payload, fin: header.fin })?;
                seen.has_bytes = half.stream.bytes().len() > length;
                seen.has_finished = half.is_finished() && !was_finished;
            }
            None if payload.is_empty() => {}
            None => {
                return Err((
                    packet.number,
                    "is of a connection that began before the capture, without its first packets",
                ));
            }
        }
        Ok(seen)
    }

    /// Begins a stream, or both; whether a connection is there that was not there before.
    fn take_syn(&mut self, packet: &Packet, header: Header) -> Result<bool, Wrong> {
        let (there, back) = ((packet.from, packet.to), (packet.to, packet.from));
        let is_again = self.halves.get(&there).is_some_and(|half| half.stream.begins_with(header.sequence));
        if is_again {
            return Ok(false);
        }
        let acknowledged = header.acknowledged.map(|next| next.wrapping_sub(1));
        match acknowledged {
            // The answer: it says how the other direction begins, too.
            Some(syn) => {
                let is_answer = self.halves.get(&back).is_some_and(|half| half.stream.begins_with(syn));
                if !is_answer {
                    self.forget(there, back)?;
                    self.halves.insert(back, Half::after_syn(syn));
                } else if self.halves.contains_key(&there) {
                    return Err((packet.number, "answers a connection a second time, with another sequence number"));
                }
            }
            None => self.forget(there, back)?,
        }
        self.halves.insert(there, Half::after_syn(header.sequence));
        Ok(acknowledged.is_some())
    }

    /// Ends a connection; whether it was one that had not ended.
    fn take_reset(&mut self, there: Direction, back: Direction) -> Result<bool, Wrong> {
        let halves: Vec<Half<'_>> =
            [there, back].iter().filter_map(|direction| self.halves.remove(direction)).collect();
        halves.iter().try_for_each(must_be_whole)?;
        if !halves.is_empty() {
            self.reset.extend([there, back]);
        }
        let has_ended = halves.len() == 2 && halves.iter().all(Half::is_finished);
        Ok(!halves.is_empty() && !has_ended)
    }

    /// Before a later connection between the same sockets.
    fn forget(&mut self, there: Direction, back: Direction) -> Result<(), Wrong> {
        self.reset.retain(|direction| ![there, back].contains(direction));
        for direction in [there, back] {
            if let Some(half) = self.halves.remove(&direction) {
                must_be_whole(&half)?;
            }
        }
        Ok(())
    }

    /// The half of a connection to which a packet between these sockets belongs, if it belongs to one.
    pub(crate) fn half_mut(&mut self, packet: &Packet) -> Option<&mut Half<'a>> {
        self.halves.get_mut(&(packet.from, packet.to))
    }

    /// Looks, at the end of the file, whether packets were missed when it was captured.
    pub(crate) fn must_be_whole(&self) -> Result<(), Wrong> {
        let wrong = self.halves.values().filter_map(|half| must_be_whole(half).err());
        wrong.min().map_or(Ok(()), Err)
    }
}

fn must_be_whole(half: &Half<'_>) -> Result<(), Wrong> {
    let what = "acknowledges bytes that the capture does not have: packets were missed when it was made";
    half.stream.missed().map_or(Ok(()), |number| Err((number, what)))
}
