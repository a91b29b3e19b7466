//! Connections of Unix domain sockets: where they differ from those of TCP, as Linux has them (`unix(7)`).
//!
//! Both ends are on one host, with no network between them. So a write to a closed end fails at once, and an empty one as
//! well; and no write takes the error that a close has left for the other end. A close with unread bytes leaves that error,
//! `ECONNRESET`, whatever was shut down before. The other end reads what was written to it, then the error once, then the
//! end of the stream.

use super::connection::{Breakage, Connection, End, Read, Side, StreamRules, Written};
use smallvec::{SmallVec, smallvec};

impl Connection {
    /// A connection of Unix domain sockets on which nothing was written yet.
    #[must_use]
    pub fn unix() -> Self {
        Connection { is_unix: true, ..Connection::established() }
    }

    /// Whether this is a connection of Unix domain sockets.
    #[must_use]
    pub fn is_unix(&self) -> bool {
        self.is_unix
    }

    /// The result of a read when no bytes are left.
    pub(super) fn read_nothing_on_unix(&self, side: Side) -> SmallVec<[(Read, Connection); 2]> {
        let (own, peer) = (side as usize, 1 - side as usize);
        let End { error, is_dead, .. } = self.ends[own];
        match error {
            Some(error) => smallvec![(Read::Failed(error), self.told(own))],
            None if is_dead || self.ways[peer].has_ended() => smallvec![(Read::End, self.clone())],
            None => SmallVec::new(),
        }
    }

    /// The result of a write that does not depend on the room that is left.
    pub(super) fn write_at_once_on_unix(&self, side: Side, bytes: &[u8]) -> Option<Written> {
        let (own, peer) = (side as usize, 1 - side as usize);
        match () {
            () if self.ways[own].is_finished || !self.ends[peer].is_held => Some(Written::Failed(Breakage::Pipe)),
            () if bytes.is_empty() => Some(Written::Accepted(0)),
            () => None,
        }
    }

    /// The connection after this end was closed; with `reset`, it was in the backlog of a listener that is gone.
    pub(super) fn close_unix(&self, side: Side, reset: bool) -> Connection {
        let (own, peer) = (side as usize, 1 - side as usize);
        let mut next = self.clone();
        if reset || !self.ways[peer].bytes().is_empty() {
            next.die(peer, Some(Breakage::Reset));
        }
        next.ways[own].is_finished = true;
        next.ways[peer].discard();
        next.ends[own] = End::default();
        next.unless_gone()
    }
}

/// The rules for a stream of Unix domain sockets: what is there is read, and what there is room for is written.
impl StreamRules {
    /// The rules as they apply to a connection.
    #[must_use]
    pub fn of(self, connection: &Connection) -> StreamRules {
        StreamRules { split: self.split && !connection.is_unix, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: StreamRules = StreamRules { split: false, capacity: 4, keeps_writes: false };
    use Side::{Client, Server};

    fn write(connection: &Connection, side: Side, bytes: &[u8]) -> (Written, Connection) {
        let mut outcomes = connection.write(side, bytes, RULES);
        assert_eq!(outcomes.len(), 1, "a write has one outcome");
        outcomes.remove(0)
    }

    fn reads(connection: &Connection, side: Side, count: usize) -> Vec<Read> {
        let mut connection = connection.clone();
        let mut reads = Vec::new();
        for _ in 0..count {
            let Some((read, after)) = connection.read(side, 8, false).into_iter().next() else { break };
            reads.push(read);
            connection = after;
        }
        reads
    }

    #[test]
    fn a_write_to_a_closed_end_is_a_broken_pipe_at_once() {
        let closed = Connection::unix().close(Server, false);
        for bytes in [&b""[..], b"x"] {
            assert_eq!(write(&closed, Client, bytes), (Written::Failed(Breakage::Pipe), closed.clone()));
        }
        assert_eq!(reads(&closed, Client, 2), [Read::End, Read::End]);
    }

    #[test]
    fn a_close_with_unread_bytes_is_told_once_behind_what_was_written() {
        let (_, asked) = write(&Connection::unix(), Client, b"ask");
        let (_, answered) = write(&asked, Server, b"no");
        for answered in [answered.shut_down(Server), answered.shut_down(Client), answered] {
            let closed = answered.close(Server, false);
            let (written, after) = write(&closed, Client, b"x");
            assert_eq!((written, &after), (Written::Failed(Breakage::Pipe), &closed), "a write leaves the error");
            let bytes = Read::Bytes(b"no".to_vec());
            assert_eq!(reads(&after, Client, 4), [bytes, Read::Failed(Breakage::Reset), Read::End, Read::End]);
            assert_eq!(after.take_error(Client).0, Some(Breakage::Reset));
            assert!(after.close(Client, false).is_gone());
        }
    }

    #[test]
    fn a_shut_down_end_still_reads() {
        let shut = Connection::unix().shut_down(Client);
        assert_eq!(reads(&shut, Server, 1), [Read::End]);
        assert_eq!(write(&shut, Client, b"").0, Written::Failed(Breakage::Pipe));
        let (_, answered) = write(&shut, Server, b"yes");
        assert_eq!(reads(&answered.close(Server, false), Client, 2), [Read::Bytes(b"yes".to_vec()), Read::End]);
    }

    #[test]
    fn a_full_stream_takes_no_more_until_the_other_end_reads_or_goes() {
        let (written, full) = write(&Connection::unix(), Client, b"12345");
        assert_eq!(written, Written::Accepted(4));
        assert!(full.write(Client, b"5", RULES).is_empty() && !full.is_writable(Client, 4));
        assert!(full.close(Server, false).is_writable(Client, 4));
    }
}
