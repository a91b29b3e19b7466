//! Both ends of a connection, and the effects of calls at an end.

use super::half_stream::HalfStream;
use super::host::Host;
use super::opening::Opening;
use super::segment::Segment;
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

/// An end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The end that connected.
    Client,
    /// The end that was accepted.
    Server,
}

/// The declarations for all connections of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamRules {
    /// Whether a read may return any non-empty prefix of the bytes that it could, and a write may accept any of its
    /// bytes.
    pub split: bool,
    /// The most bytes that a half-stream holds, written and not read yet.
    pub capacity: usize,
    /// Whether half-streams know which bytes were written together: where hosts lose their power, it matters.
    pub keeps_writes: bool,
}

/// How a call on a broken connection fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Breakage {
    /// `ECONNRESET`
    Reset,
    /// `EPIPE`
    Pipe,
    /// `ETIMEDOUT`
    TimedOut,
}

/// The result of a read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Read {
    /// At least one byte.
    Bytes(Vec<u8>),
    /// The end of the stream.
    End,
    /// An error; it is reported once.
    Failed(Breakage),
}

/// The result of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Written {
    /// So many bytes were accepted.
    Accepted(usize),
    /// An error.
    Failed(Breakage),
}

/// One end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct End {
    /// Whether a program or a backlog holds the end.
    pub(super) is_held: bool,
    /// The connection was reset: no more bytes will come or go.
    pub(super) is_dead: bool,
    /// The error that the next call reports.
    pub(super) error: Option<Breakage>,
    /// Whether its host answers.
    pub(super) host: Host,
    /// Time has passed since the error came, or the connection broke in flight, for both ends at once.
    pub(super) is_reset_certain: bool,
    /// Its program has shut it down since, which counts should the link be cut before the reset.
    pub(super) is_shut_since: bool,
    /// It has sent something, and no acknowledgement can come for it: the link back is cut.
    pub(super) is_unanswered: bool,
    /// How long it has awaited an acknowledgement, in nanoseconds.
    pub(super) waited_ns: u64,
}

/// A connection. The default is none: both ends are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Connection {
    pub(super) ends: [End; 2],
    /// By the end that writes.
    pub(super) ways: [HalfStream; 2],
    /// Both ends are Unix domain sockets of one host.
    pub(super) is_unix: bool,
    /// A socket that connected to its own address: it reads what it writes.
    pub(super) to_itself: bool,
    /// Bytes that an end sends are under way until they arrive.
    pub(super) takes_time: bool,
    /// Where packets take time: how far the connect has come.
    pub(super) opening: Opening,
}

impl Connection {
    /// A connection on which nothing was written yet.
    #[must_use]
    pub fn established() -> Self {
        let held = End { is_held: true, ..End::default() };
        Connection { ends: [held; 2], ..Connection::default() }
    }

    /// A socket that connected to the address that it is bound to (RFC 9293 section 3.5: a simultaneous open).
    #[must_use]
    pub fn to_itself() -> Self {
        let held = End { is_held: true, ..End::default() };
        Connection { ends: [held, End::default()], to_itself: true, ..Connection::default() }
    }

    /// Whether both ends are gone, and no connect is under way that would make one.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        !self.ends[0].is_held && !self.ends[1].is_held && !self.is_at_the_door()
    }

    /// Whether a program or a backlog holds this end.
    #[must_use]
    pub fn is_held(&self, side: Side) -> bool {
        self.ends[side as usize].is_held
    }

    /// Whether no more bytes will come from this end.
    #[must_use]
    pub fn is_finished(&self, side: Side) -> bool {
        self.ways[side as usize].is_finished
    }

    /// Whether the connection was reset for this end: calls return the remaining bytes, and cannot fail in another way.
    #[must_use]
    pub fn is_dead(&self, side: Side) -> bool {
        self.ends[side as usize].is_dead
    }

    /// The possible results of a read of up to `max` bytes, with the connection afterwards; empty if the read waits.
    ///
    /// # Panics
    /// If `max` is 0: the OS does not look at the stream then.
    #[must_use]
    pub fn read(&self, side: Side, max: usize, split: bool) -> SmallVec<[(Read, Connection); 2]> {
        assert!(max > 0, "a read asks for at least one byte");
        let (own, peer) = self.indexes(side);
        let incoming = &self.ways[peer];
        if !incoming.bytes().is_empty() {
            let most = incoming.bytes().len().min(max);
            let fewest = if split { 1 } else { most };
            let prefix = |count: usize| {
                let mut next = self.clone();
                next.ways[peer].take(count);
                next.ways[peer].is_known = count == max && !next.ways[peer].bytes().is_empty();
                (Read::Bytes(incoming.bytes()[..count].to_vec()), next)
            };
            let mut outcomes: SmallVec<_> = (fewest..=most).rev().map(prefix).collect();
            if incoming.may_be_lost {
                let mut next = self.clone();
                next.ways[peer].discard();
                next.ends[own].error = None;
                outcomes.push((Read::Failed(Breakage::Reset), next));
            }
            return outcomes;
        }
        if self.is_unix {
            return self.read_nothing_on_unix(side);
        }
        if incoming.has_ended() {
            let mut next = self.clone();
            next.ways[peer].is_end_certain = true;
            return smallvec![(Read::End, next)];
        }
        if let Some(error) = self.ends[own].error {
            return smallvec![(Read::Failed(error), self.told(own))];
        }
        if self.ends[own].is_dead { smallvec![(Read::End, self.clone())] } else { SmallVec::new() }
    }

    /// The result of peeking at the next bytes, with the connection afterwards: an error is reported once, by any call.
    #[must_use]
    pub fn peek(&self, side: Side, max: usize) -> Option<(Read, Connection)> {
        let (read, after) = self.read(side, max, false).into_iter().next()?;
        match read {
            Read::Failed(_) | Read::End => Some((read, after)),
            Read::Bytes(_) => Some((read, self.clone())),
        }
    }

    /// The possible results of a write of `bytes`, with the connection afterwards; empty if the write waits for room.
    /// An empty write reports an error, too.
    #[must_use]
    pub fn write(&self, side: Side, bytes: &[u8], rules: StreamRules) -> SmallVec<[(Written, Connection); 2]> {
        let (own, peer) = self.indexes(side);
        if self.is_unix {
            if let Some(written) = self.write_at_once_on_unix(side, bytes) {
                return smallvec![(written, self.clone())];
            }
        } else if let Some(error) = self.ends[own].error {
            return smallvec![(Written::Failed(error), self.told(own))];
        }
        if self.ends[own].is_dead || self.ways[own].is_finished {
            return smallvec![(Written::Failed(Breakage::Pipe), self.clone())];
        }
        if bytes.is_empty() {
            return smallvec![(Written::Accepted(0), self.clone())];
        }
        if self.is_answered_with_reset(peer) {
            // The peer's host answers bytes that its program will never read with a reset.
            let mut next = self.clone();
            next.die(own, Some(self.told_by_reset(peer)));
            return smallvec![(Written::Accepted(bytes.len().min(rules.capacity)), next)];
        }
        let most = self.ways[own].room(rules.capacity).min(bytes.len());
        let fewest = if rules.split { 1 } else { most.max(1) };
        let accepted = (fewest..=most).rev().map(|count| {
            let mut next = self.clone();
            match self.takes_time || self.ways.iter().any(|way| way.is_cut) {
                true => next.send(own, Segment::Bytes(bytes[..count].to_vec())),
                false => next.ways[own].append(&bytes[..count], rules.keeps_writes),
            }
            (Written::Accepted(count), next)
        });
        accepted.collect()
    }

    /// The error that the next call would report (`SO_ERROR`), and the connection after reporting it.
    #[must_use]
    pub fn take_error(&self, side: Side) -> (Option<Breakage>, Connection) {
        let (own, _) = self.indexes(side);
        (self.ends[own].error, self.told(own))
    }

    /// The connection where nobody depends on what drivers have told.
    #[must_use]
    pub fn untold(mut self) -> Connection {
        self.ways.iter_mut().for_each(|way| (way.is_known, way.is_end_known) = (false, false));
        self
    }

    /// The connection where links are not cut: nobody depends on what is known to have come.
    #[must_use]
    pub fn never_cut(mut self) -> Connection {
        self.ways.iter_mut().for_each(|way| way.forget_certain());
        self.ends.iter_mut().for_each(|end| (end.is_reset_certain, end.is_shut_since) = (false, false));
        self
    }

    /// The connection after the driver of this end was asked: it knows of what is there to be read.
    #[must_use]
    pub fn looked_at(&self, side: Side) -> Connection {
        let (_, peer) = self.indexes(side);
        let mut next = self.clone();
        next.ways[peer].is_known = !self.ways[peer].bytes().is_empty();
        next.ways[peer].is_end_known = self.is_over(side);
        next
    }

    /// Whether the driver of this end knows of something that is there to be read.
    #[must_use]
    pub fn is_known_to_be_readable(&self, side: Side) -> bool {
        let (_, peer) = self.indexes(side);
        let incoming = &self.ways[peer];
        if incoming.bytes().is_empty() { incoming.is_end_known } else { incoming.is_known }
    }

    /// Whether a read would return the end of the stream, or an error, once the bytes are read.
    pub(super) fn is_over(&self, side: Side) -> bool {
        let (own, peer) = self.indexes(side);
        let End { is_dead, error, .. } = self.ends[own];
        is_dead || error.is_some() || self.ways[peer].has_ended()
    }

    /// Whether a read would not wait.
    #[must_use]
    pub fn is_readable(&self, side: Side) -> bool {
        !self.read(side, 1, false).is_empty()
    }

    /// Whether a write would not wait.
    #[must_use]
    pub fn is_writable(&self, side: Side, capacity: usize) -> bool {
        self.can_take(side, 1, capacity)
    }

    /// Whether bytes that this end wrote are unread at the other.
    #[must_use]
    pub fn has_unread(&self, side: Side) -> bool {
        !self.ways[side as usize].bytes().is_empty()
    }

    /// How many bytes could be read at this end.
    #[must_use]
    pub fn unread_at(&self, side: Side) -> usize {
        let (_, peer) = self.indexes(side);
        self.ways[peer].bytes().len()
    }

    /// Whether a write of so many bytes has the same outcome however much the peer reads before it.
    #[must_use]
    pub fn can_take(&self, side: Side, count: usize, capacity: usize) -> bool {
        let (own, peer) = self.indexes(side);
        let End { is_dead, error, .. } = self.ends[own];
        let way = &self.ways[own];
        let is_answered_with_reset = self.is_answered_with_reset(peer);
        is_dead || error.is_some() || way.is_finished || is_answered_with_reset || way.room(capacity) >= count
    }

    /// The connection after `shutdown` of the writing side.
    #[must_use]
    pub fn shut_down(&self, side: Side) -> Connection {
        let (own, _) = self.indexes(side);
        let mut next = self.clone();
        let End { is_dead, error, .. } = self.ends[own];
        if is_dead {
            next.ends[own].is_shut_since |= error.is_some() && !self.is_unix && !self.takes_time;
        } else if !self.ways[own].is_finished {
            next.finish(own);
        }
        next
    }

    /// The connection after this end was closed. With unread bytes, or with `reset` (a linger of zero), the peer gets a
    /// reset (RFC 2525 section 2.17), otherwise the end of the stream.
    #[must_use]
    pub fn close(&self, side: Side, reset: bool) -> Connection {
        if self.is_unix {
            return self.close_unix(side, reset);
        }
        let (own, peer) = self.indexes(side);
        let mut next = self.clone();
        if side == Side::Client && std::mem::take(&mut next.opening).is_fruitless() {
            return Connection::default();
        }
        let is_over = self.ends[own].is_dead || self.ways[own].is_finished && self.ways[peer].has_ended();
        let resets = !is_over && (reset || !self.ways[peer].bytes().is_empty());
        if resets {
            let told = if self.ways[own].is_finished { Breakage::Pipe } else { Breakage::Reset };
            next.send(own, Segment::Reset(told));
        } else if !is_over && !self.ways[own].is_finished {
            next.finish(own);
        }
        // Its host may know nothing of the connection, or sends on by itself.
        let has_forgotten = self.ends[own].host == Host::Back;
        let End { host, waited_ns, is_unanswered, .. } = next.ends[own];
        next.ends[own] = match self.ends[own].is_dead || resets {
            true => End { host, ..End::default() },
            false => End { host, waited_ns, is_unanswered, ..End::default() },
        };
        match has_forgotten {
            // It answers what is under way.
            true => next.ways[peer].discard(),
            false => next.leave(peer, resets),
        }
        next.unless_gone()
    }

    /// The connection after a read has failed (or `shutdown`, with the same effect): it is reset for both ends, and the
    /// bytes that this end has not read are gone. The peer can still read the bytes that it has received.
    #[must_use]
    pub fn failed(&self, side: Side) -> Connection {
        let (own, peer) = self.indexes(side);
        let mut next = self.clone();
        next.die(own, None);
        next.leave(peer, true);
        if own != peer {
            next.send(own, Segment::Reset(Breakage::Reset));
        }
        next
    }

    /// The connection after a write has failed: both ends are closed for writing, and the peer sees the end of the
    /// stream after the bytes that were written before.
    #[must_use]
    pub fn failed_write(&self, side: Side) -> Connection {
        let (own, peer) = self.indexes(side);
        let mut next = self.clone();
        next.die(own, None);
        if own != peer {
            next.ways[own].is_finished |= self.takes_time || self.ends[peer].is_held;
            next.send(own, Segment::Broken { ends: !self.ways[own].is_finished });
        }
        next
    }

    /// The connection after this end has met a reset in flight: as [`Connection::failed`], and the bytes in flight to
    /// the peer may be lost.
    #[must_use]
    pub fn reset(&self, side: Side) -> Connection {
        let (own, peer) = self.indexes(side);
        let mut next = self.failed(side);
        next.ways[own].may_be_lost = own != peer && self.ends[peer].is_held && !next.ways[own].bytes().is_empty();
        next.ends[peer].is_reset_certain = next.ends[peer].error.is_some();
        next
    }

    fn indexes(&self, side: Side) -> (usize, usize) {
        let own = side as usize;
        (own, if self.to_itself { own } else { 1 - own })
    }

    /// The connection after a pending error was reported.
    pub(super) fn told(&self, end: usize) -> Connection {
        let mut next = self.clone();
        (next.ends[end].error, next.ends[end].is_reset_certain, next.ends[end].is_shut_since) = (None, false, false);
        next
    }

    pub(super) fn die(&mut self, end: usize, error: Option<Breakage>) {
        let end = &mut self.ends[end];
        if end.is_held && !end.is_dead {
            (end.is_dead, end.error) = (true, error);
        }
    }

    /// An end has written all that it will.
    fn finish(&mut self, end: usize) {
        self.ways[end].is_finished = true;
        self.send(end, Segment::End);
    }

    /// The reader of a half-stream reads no more. Bytes that are still under way there meet a closed end, unless the
    /// connection is reset, or it is dead.
    fn leave(&mut self, way: usize, resets: bool) {
        match self.takes_time || !self.ways[way].under_way.is_empty() {
            false => self.ways[way].discard(),
            true if resets || !self.ways[way].under_way.iter().any(|sent| matches!(sent, Segment::Bytes(_))) => {
                self.ways[way].drop_all();
            }
            true => {}
        }
    }

    pub(super) fn unless_gone(self) -> Connection {
        if self.is_gone() { Connection::default() } else { self }
    }
}
