//! Hosts that lose their power.
//!
//! A host without power answers nothing. Its peer reads what has come, and then waits for ever: there is no end of the stream.
//! What the peer writes is not acknowledged, so that it fills the buffer, and then a write waits. Of what was under way from
//! the host, any last bytes are lost, and the end of the stream with them.
//!
//! A host that is back knows nothing of its old connections, and answers their segments with a reset (RFC 9293 section 3.5.1):
//! those that the peer sends again, since they were not acknowledged, and any bytes and end of the stream that it sends from then on.
//! A peer that sends nothing waits on.

use super::connection::{Breakage, Connection, End, Side};
use super::host::Host;

impl Connection {
    /// Whether the host of an end answers bytes with a reset.
    pub(super) fn is_answered_with_reset(&self, end: usize) -> bool {
        !self.takes_time
            && !self.ways.iter().any(|way| way.is_cut)
            && !self.ends[end].is_held
            && !matches!(self.ends[end].host, Host::Silent { .. })
    }

    /// The error that an end is told when the host of the other one answers with a reset.
    pub(super) fn told_by_reset(&self, end: usize) -> Breakage {
        match self.ends[end].host {
            // The end of the stream has come before it.
            Host::Up => Breakage::Pipe,
            _ if self.ways[end].has_ended() => Breakage::Pipe,
            Host::Silent { .. } | Host::Back => Breakage::Reset,
        }
    }

    /// The connections that may be left when the host of an end loses its power; the one with all that is under way comes
    /// first.
    ///
    /// # Panics
    /// Where packets take time.
    #[must_use]
    pub fn lose_power(&self, side: Side, split: bool) -> Vec<Connection> {
        assert!(!self.takes_time, "where packets take time, hosts keep their power");
        let (own, peer) = (side as usize, 1 - side as usize);
        if self.is_unix || self.to_itself || !self.ends[peer].is_held {
            return vec![Connection::default()];
        }
        let mut silent = self.clone();
        silent.ends[own] = match self.ends[peer].is_dead {
            true => End::default(),
            false => End { host: Host::Silent { knew_end: self.ways[peer].is_finished }, ..End::default() },
        };
        // It was acknowledged.
        silent.ways[peer].discard();
        let left = silent.ways[own].without_last(split).into_iter();
        left.map(|way| {
            let mut left = silent.clone();
            left.ways[own] = way;
            left
        })
        .collect()
    }

    /// The connection when the host of an end is back.
    #[must_use]
    pub fn regain_power(&self, side: Side) -> Connection {
        let (own, peer) = (side as usize, 1 - side as usize);
        let Host::Silent { knew_end } = self.ends[own].host else { return self.clone() };
        let mut back = self.clone();
        back.ends[own].host = Host::Back;
        let is_sent_again = !self.ways[peer].bytes().is_empty() || self.ways[peer].is_finished && !knew_end;
        back.ways[peer].discard();
        if is_sent_again {
            back.die(peer, Some(self.told_by_reset(own)));
        }
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::{Read, StreamRules, Written};
    use Side::{Client, Server};

    const RULES: StreamRules = StreamRules { split: false, capacity: 4, keeps_writes: true };

    fn write(connection: &Connection, side: Side, bytes: &[u8]) -> (Written, Connection) {
        let mut outcomes = connection.write(side, bytes, RULES);
        assert_eq!(outcomes.len(), 1, "a write has one outcome");
        outcomes.remove(0)
    }

    fn read(connection: &Connection, side: Side) -> Option<(Read, Connection)> {
        connection.read(side, 8, false).into_iter().next()
    }

    /// All that an end reads until it waits.
    fn all_read(connection: &Connection, side: Side) -> Vec<Read> {
        let mut connection = connection.clone();
        let mut all = Vec::new();
        while let Some((read, after)) = read(&connection, side) {
            all.push(read);
            if all.last() == Some(&Read::End) {
                break;
            }
            connection = after;
        }
        all
    }

    #[test]
    fn a_peer_reads_a_beginning_and_waits() {
        let (_, written) = write(&Connection::established(), Server, b"ab");
        let (_, written) = write(&written, Server, b"c");
        let bytes = |text: &[u8]| vec![Read::Bytes(text.to_vec())];
        let left = |connection: &Connection, split| {
            let left = connection.lose_power(Server, split);
            left.iter().map(|left| all_read(left, Client)).collect::<Vec<_>>()
        };
        assert_eq!(left(&written, false), [bytes(b"abc"), bytes(b"ab"), vec![]]);
        assert_eq!(left(&written, true), [bytes(b"abc"), bytes(b"ab"), bytes(b"a"), vec![]]);
        let with_end = [bytes(b"abc"), vec![Read::End]].concat();
        assert_eq!(left(&written.close(Server, false), false), [with_end, bytes(b"abc"), bytes(b"ab"), vec![]]);
        let (_, partly) = written.read(Client, 1, false).remove(0);
        assert_eq!(left(&partly, false), [bytes(b"bc"), bytes(b"b"), vec![]]);
    }

    #[test]
    fn a_peer_writes_until_its_buffer_is_full_and_meets_a_reset_when_the_host_is_back() {
        let (_, asked) = write(&Connection::established(), Client, b"ask");
        let silent = asked.lose_power(Server, false).remove(0);
        let (written, unsent) = write(&silent, Client, b"12345");
        assert_eq!(written, Written::Accepted(4));
        assert!(unsent.write(Client, b"5", RULES).is_empty() && !unsent.is_writable(Client, 4));
        // The bytes are sent again: the reset comes by itself.
        let back = unsent.regain_power(Server);
        assert_eq!(all_read(&back, Client), [Read::Failed(Breakage::Reset), Read::End]);
        // Nothing is sent again: it comes after the next write.
        let quiet = silent.regain_power(Server);
        assert_eq!(all_read(&quiet, Client), []);
        let (written, answered) = write(&quiet, Client, b"1");
        assert_eq!(written, Written::Accepted(1));
        assert_eq!(all_read(&answered, Client), [Read::Failed(Breakage::Reset), Read::End]);
    }

    #[test]
    fn an_end_of_the_stream_is_sent_again_unless_it_had_come() {
        let shut = Connection::established().shut_down(Client);
        let waits = |connection: &Connection| all_read(&connection.regain_power(Server), Client).is_empty();
        assert!(waits(&shut.lose_power(Server, false)[0]));
        assert!(!waits(&Connection::established().lose_power(Server, false)[0].shut_down(Client)));
        // It is sent to a host that is back.
        let back = Connection::established().lose_power(Server, false)[0].regain_power(Server);
        assert_eq!(all_read(&back.shut_down(Client), Client), [Read::Failed(Breakage::Reset), Read::End]);
    }

    #[test]
    fn a_reset_that_comes_behind_the_end_of_the_stream_is_a_broken_pipe() {
        let ended = Connection::established().shut_down(Server).lose_power(Server, false).remove(0);
        let (_, answered) = write(&ended.regain_power(Server), Client, b"1");
        assert_eq!(answered.write(Client, b"2", RULES)[0].0, Written::Failed(Breakage::Pipe));
        let (_, sent_again) = write(&ended, Client, b"1");
        assert_eq!(sent_again.regain_power(Server).write(Client, b"2", RULES)[0].0, Written::Failed(Breakage::Pipe));
    }

    #[test]
    fn nothing_is_left_of_what_nobody_holds() {
        let closed = Connection::established().close(Client, false);
        assert_eq!(closed.lose_power(Server, false), [Connection::default()]);
        let silent = Connection::established().lose_power(Server, false).remove(0);
        assert!(!silent.is_gone() && silent.close(Client, false).is_gone());
        assert_eq!(Connection::unix().lose_power(Client, false), [Connection::default()]);
    }
}
