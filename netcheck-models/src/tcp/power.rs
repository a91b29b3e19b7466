//! Hosts that lose their power.
//!
//! A host without power answers nothing. Its peer reads what has come, and then waits for ever: there is no end of the stream.
//! What the peer writes is not acknowledged, so that it fills the buffer, and then a write waits. Of what was under way from
//! the host, any last bytes are lost, and the end of the stream with them.
//!
//! A host that is back knows nothing of its old connections, and answers their segments with a reset (RFC 9293 section 3.5.1):
//! those that the peer sends again, since they were not acknowledged, and any bytes and end of the stream that it sends from then on.
//! A peer that sends nothing waits on.
//!
//! Where the link from the host is cut ([`cut`](super::cut)), what has come over it has come, and what waits is lost with the
//! power: nobody sends it again. What waits on the way to the host was not acknowledged, so that the peer goes on sending it; a
//! host that is back answers it at the heal, and its answer waits for the heal of its own link.
//!
//! Where packets take time, what a host has sent has left it, and arrives. What arrives at a host without power is not acknowledged;
//! it is sent again when the host is back, at that instant, and the reset takes a time. A connect that arrives there waits until
//! the host is back, and then comes to whoever listens; one that is under way from a host without power comes to nobody.

use super::connection::{Breakage, Connection, End, Side};
use super::host::Host;
use super::segment::Segment;

impl Connection {
    /// Whether the host of an end answers bytes with a reset.
    pub(super) fn is_answered_with_reset(&self, end: usize) -> bool {
        !self.takes_time
            && !self.ways.iter().any(|way| way.is_cut)
            && match self.ends[end].host {
                Host::Up => !self.ends[end].is_held,
                Host::Back => true,
                Host::Silent { .. } => false,
            }
    }

    /// Whether the host of an end has no power.
    pub(super) fn is_silent(&self, end: usize) -> bool {
        matches!(self.ends[end].host, Host::Silent { .. })
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
    #[must_use]
    pub fn lose_power(&self, side: Side, split: bool) -> Vec<Connection> {
        let (own, peer) = (side as usize, 1 - side as usize);
        if self.is_at_the_door() {
            // A host that is called is silent when the connect comes; nobody takes a connect whose answer nobody gets.
            return vec![if side == Side::Server { self.clone() } else { Connection::default() }];
        }
        if self.is_unix || self.to_itself || !self.ends[peer].is_held {
            return vec![Connection::default()];
        }
        let mut silent = self.clone();
        silent.ends[own] = match self.ends[peer].is_dead {
            true => End::default(),
            false => End { host: Host::Silent { knew_end: self.ways[peer].has_ended() }, ..End::default() },
        };
        // It was acknowledged.
        silent.ways[peer].discard();
        if self.takes_time {
            return vec![silent];
        }
        if self.ends[peer].is_dead {
            silent.ways[peer].clear();
        }
        let left = match silent.ways[own].is_cut {
            true => vec![silent.ways[own].without_waiting()],
            false => silent.ways[own].without_last(split),
        };
        let left = left.into_iter();
        left.map(|way| {
            let mut left = silent.clone();
            left.ways[own] = way;
            left
        })
        .collect()
    }

    /// Whether the host of an end, which has no power, answers when it is back.
    #[must_use]
    pub fn is_answered_when_back(&self, side: Side) -> bool {
        let peer = &self.ways[1 - side as usize];
        match self.ends[side as usize].host {
            Host::Silent { knew_end } => !peer.bytes().is_empty() || peer.has_ended() && !knew_end,
            Host::Up | Host::Back => false,
        }
    }

    /// The connection when the host of an end is back.
    #[must_use]
    pub fn regain_power(&self, side: Side) -> Connection {
        let (own, peer) = (side as usize, 1 - side as usize);
        let Host::Silent { knew_end } = self.ends[own].host else { return self.clone() };
        let mut back = self.clone();
        back.ends[own].host = Host::Back;
        if self.takes_time {
            if std::mem::take(&mut back.ends[peer].is_unanswered) {
                back.answer_with_reset(peer, own);
            }
            return back;
        }
        let ends = self.ways[peer].has_ended() && !knew_end;
        if self.ways[peer].is_cut {
            back.ways[peer].wait_again(ends);
            return back;
        }
        let is_sent_again = !self.ways[peer].bytes().is_empty() || ends;
        back.ways[peer].discard();
        if is_sent_again && self.ends[peer].is_held && !self.ends[peer].is_dead {
            back.send(own, Segment::Reset(self.told_by_reset(own)));
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
    fn what_waits_behind_a_cut_is_lost_with_the_power() {
        let (_, written) = write(&Connection::established(), Server, b"ab");
        let (_, written) = write(&written.cut(Server, false).remove(0), Server, b"c");
        let left = written.lose_power(Server, false);
        assert_eq!(left.len(), 1, "what has come has come");
        let bytes = vec![Read::Bytes(b"ab".to_vec())];
        assert_eq!(all_read(&left[0], Client), bytes);
        assert_eq!(all_read(&left[0].heal(Server), Client), bytes, "nobody sends the rest again");
        // Nor does a later cut hold up what has come.
        let silent = write(&Connection::established(), Server, b"ab").1.lose_power(Server, false).remove(0);
        assert_eq!(silent.cut(Server, false).len(), 1);
        assert!(!silent.may_be_held_up(Server));
    }

    #[test]
    fn what_waits_on_the_way_to_a_host_is_answered_with_a_reset_when_both_ways_are_open() {
        let reset = [Read::Failed(Breakage::Reset), Read::End];
        let (_, written) = write(&Connection::established(), Client, b"ask");
        for cut in written.cut(Client, false) {
            let is_unacknowledged = !cut.under_way(Client).is_empty();
            let back = cut.lose_power(Server, false).remove(0).regain_power(Server);
            assert!(all_read(&back, Client).is_empty(), "the link is cut");
            let healed = back.heal(Client);
            assert_eq!(all_read(&healed, Client) == reset, is_unacknowledged);
            // The answer waits for the heal of its own link.
            let unanswered = back.cut(Server, false).remove(0).heal(Client);
            assert!(all_read(&unanswered, Client).is_empty());
            assert_eq!(all_read(&unanswered.heal(Server), Client) == reset, is_unacknowledged);
        }
        // It is sent to a host without power, and the link is cut before that one is back.
        let (_, unsent) = write(&Connection::established().lose_power(Server, false)[0], Client, b"ask");
        for way in [Client, Server] {
            let back = unsent.cut(way, false).remove(0).regain_power(Server);
            assert!(all_read(&back, Client).is_empty() && all_read(&back.heal(way), Client) == reset);
        }
        // The reset of a host that is back is held up like any other.
        let back = unsent.regain_power(Server);
        let held_up = back.cut(Server, false).pop().unwrap();
        assert!(all_read(&held_up, Client).is_empty() && all_read(&held_up.heal(Server), Client) == reset);
    }

    #[test]
    fn bytes_come_to_no_host_without_power() {
        let silent = Connection::established().lose_power(Server, false).remove(0);
        let (_, written) = write(&silent.cut(Client, false)[0], Client, b"123");
        let healed = written.heal(Client);
        assert!(all_read(&healed, Client).is_empty() && !healed.can_take(Client, 2, 4), "nobody answers");
        assert_eq!(all_read(&healed.regain_power(Server), Client), [Read::Failed(Breakage::Reset), Read::End]);
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
