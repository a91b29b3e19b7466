//! Ends whose host gives up: what they have sent is not acknowledged for as long as it is sent again (RFC 9293 section 3.8.3, R2;
//! `tcp_retries2` on Linux).
//!
//! An end *awaits an acknowledgement* from the instant at which it has sent bytes or the end of its stream that are not
//! acknowledged: the host of the other end has no power, or one of the two links is cut, since an acknowledgement goes over
//! the other link than what it acknowledges. It stops when both links are open, or when the host is back, which answers with
//! a reset. When it has waited for the declared time, its host gives up: the next call at this end fails with `TimedOut`, what
//! has not come to the other end never comes, and nobody is told of that. From then on its host answers what comes on the
//! connection with a reset. An end that has sent nothing waits for ever; so does one whose peer is just slow, since a
//! host acknowledges what its program has not read.
//!
//! **The instant at which the wait begins is known**, although silence and cuts are chosen late:
//!
//! 1. Without silence and cuts an acknowledgement takes no time. So what was sent before the instant of a cut or a
//!    failure of power is acknowledged. For a failure of power that is all: nothing that the other end has sent before it is lost.
//! 2. A cut may hold up what was sent at its own instant ([`cut`](super::cut)), and no more: [`Connection::after_time`] marks
//!    all that is there as come. So what it holds up was sent now, and the wait begins now.
//! 3. What is sent later begins to wait when it is sent, which is a step of its own, whenever the cut was made.
//! 4. A cut that only stops acknowledgements makes a difference from the next send on, and is offered beside it.
//! 5. So a clock that counts from the first time that passes after a wait has begun counts from its beginning: between two steps
//!    at one instant no time passes. That is why no step has to start it, and a connection on which nothing waits has none.
//! 6. At one instant hosts give up before timers of programs fire; whoever is told may still be before or after these.

use super::connection::{Breakage, Connection, End, Side};
use super::host::Host;
use super::segment::Segment;

impl Connection {
    /// How long it takes until a host gives up, in nanoseconds, if one will: `retries_ns` after a wait has begun.
    #[must_use]
    pub fn gives_up_in(&self, retries_ns: u64) -> Option<u64> {
        let waits = [Side::Client, Side::Server].into_iter().filter(|side| self.awaits_acknowledgement(*side));
        waits.map(|side| retries_ns.saturating_sub(self.ends[side as usize].waited_ns)).min()
    }

    /// The connection after time has passed: hosts that have waited for `retries_ns` give up, and what is there has come.
    #[must_use]
    pub fn after_time(&self, passed_ns: u64, retries_ns: u64) -> Connection {
        let mut next = self.clone();
        for side in [Side::Client, Side::Server] {
            if !self.awaits_acknowledgement(side) {
                continue;
            }
            let waited_ns = self.ends[side as usize].waited_ns.saturating_add(passed_ns);
            next.ends[side as usize].waited_ns = waited_ns;
            if waited_ns >= retries_ns {
                next.give_up(side);
            }
        }
        next.ways.iter_mut().for_each(|way| way.all_has_come());
        next.ends.iter_mut().for_each(|end| end.is_reset_certain = end.error.is_some());
        next.unless_gone()
    }

    /// The connection where hosts give up: an end that awaits nothing has not waited.
    #[must_use]
    pub fn settled(mut self) -> Connection {
        for side in [Side::Client, Side::Server] {
            if !self.awaits_acknowledgement(side) {
                (self.ends[side as usize].waited_ns, self.ends[side as usize].is_unanswered) = (0, false);
            }
        }
        self
    }

    /// The connection where hosts never give up: nobody depends on what awaits an acknowledgement.
    #[must_use]
    pub fn never_given_up(mut self) -> Connection {
        if !self.takes_time {
            self.ends.iter_mut().for_each(|end| (end.waited_ns, end.is_unanswered) = (0, false));
        }
        self
    }

    /// Whether an end has sent something that is not acknowledged, and its host sends it again.
    #[must_use]
    pub fn awaits_acknowledgement(&self, side: Side) -> bool {
        let (own, peer) = (side as usize, 1 - side as usize);
        let End { is_dead, host, is_unanswered, .. } = self.ends[own];
        if self.is_unix || self.to_itself || self.takes_time || is_dead || host != Host::Up {
            return false;
        }
        let way = &self.ways[own];
        if way.under_way.iter().any(|sent| matches!(sent, Segment::Reset(_) | Segment::Broken { .. })) {
            // There is no connection any more.
            return false;
        }
        let waits_at_cut = way.under_way.iter().any(Segment::is_acknowledged);
        match self.ends[peer].host {
            Host::Silent { knew_end } => waits_at_cut || !way.bytes().is_empty() || way.is_finished && !knew_end,
            Host::Up | Host::Back => waits_at_cut || is_unanswered,
        }
    }

    /// The host of an end knows nothing of the connection any more.
    fn give_up(&mut self, side: Side) {
        let (own, peer) = (side as usize, 1 - side as usize);
        self.die(own, Some(Breakage::TimedOut));
        self.ways[own].give_up();
        (self.ends[own].waited_ns, self.ends[own].is_unanswered) = (0, false);
        if let Host::Silent { .. } = self.ends[peer].host {
            self.ways[own].discard();
            self.ends[peer] = End::default();
        } else if self.ends[peer].is_held {
            self.ends[own].host = Host::Back;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::all_read;
    use super::*;
    use crate::tcp::{Read, StreamRules, Written};
    use Side::{Client, Server};

    const RULES: StreamRules = StreamRules { split: false, capacity: 4, keeps_writes: true };
    const RETRIES: u64 = 10;

    fn write(connection: &Connection, side: Side, bytes: &[u8]) -> (Written, Connection) {
        connection.write(side, bytes, RULES).into_iter().next().expect("the write does not wait")
    }

    fn timed_out() -> Vec<Read> {
        vec![Read::Failed(Breakage::TimedOut), Read::End]
    }

    fn cut_both_ways(connection: &Connection) -> Connection {
        connection.cut(Client, false).remove(0).cut(Server, false).remove(0)
    }

    #[test]
    fn bytes_for_a_silent_host_are_given_up_after_the_time() {
        let silent = write(&Connection::established(), Client, b"1").1.lose_power(Server, false).remove(0);
        assert_eq!(silent.gives_up_in(RETRIES), None, "what was sent before is acknowledged");
        let waits = write(&silent.after_time(7, RETRIES), Client, b"2").1;
        assert_eq!(waits.gives_up_in(RETRIES), Some(10));
        let later = write(&waits.after_time(4, RETRIES), Client, b"3").1;
        assert_eq!(later.gives_up_in(RETRIES), Some(6), "the first byte counts");
        let given_up = later.after_time(6, RETRIES);
        assert_eq!(all_read(&given_up, Client), timed_out());
        assert_eq!(write(&given_up, Client, b"4").0, Written::Failed(Breakage::TimedOut));
        assert_eq!(given_up.gives_up_in(RETRIES), None);
        assert!(given_up.close(Client, false).is_gone());
    }

    #[test]
    fn a_host_that_is_back_answers_before() {
        let silent = Connection::established().lose_power(Server, false).remove(0);
        let waits = write(&silent, Client, b"1").1.after_time(4, RETRIES);
        let back = waits.regain_power(Server).settled();
        assert_eq!((back.gives_up_in(RETRIES), back.ends[0].waited_ns), (None, 0));
        assert_eq!(all_read(&back, Client), [Read::Failed(Breakage::Reset), Read::End]);
    }

    #[test]
    fn an_end_of_the_stream_awaits_an_acknowledgement_too() {
        let silent = Connection::established().lose_power(Server, false).remove(0);
        assert_eq!(silent.gives_up_in(RETRIES), None);
        assert_eq!(all_read(&silent.shut_down(Client).after_time(10, RETRIES), Client), timed_out());
        let before = Connection::established().shut_down(Client).lose_power(Server, false).remove(0);
        assert_eq!(before.gives_up_in(RETRIES), None);
    }

    #[test]
    fn what_waits_at_a_cut_is_given_up_and_the_peer_learns_of_it_when_it_writes() {
        let cut = cut_both_ways(&Connection::established());
        let waits = write(&cut, Client, b"lost").1;
        assert_eq!((waits.gives_up_in(RETRIES), cut.gives_up_in(RETRIES)), (Some(10), None));
        let given_up = waits.after_time(10, RETRIES);
        assert_eq!(all_read(&given_up, Client), timed_out());
        let healed = given_up.heal(Client).heal(Server);
        assert!(all_read(&healed, Server).is_empty(), "the server waits for ever");
        let asked = write(&healed, Server, b"?").1;
        assert_eq!(all_read(&asked, Server), [Read::Failed(Breakage::Reset), Read::End]);
        // The same where it has written behind the cut, or has ended its stream there, and the client has closed its end.
        for sent in [write(&given_up, Server, b"?").1, given_up.shut_down(Server)] {
            for client in [sent.clone(), sent.close(Client, false)] {
                let healed = client.heal(Client).heal(Server);
                assert_eq!(all_read(&healed, Server), [Read::Failed(Breakage::Reset), Read::End], "{client:?}");
            }
        }
    }

    #[test]
    fn a_heal_before_the_time_ends_the_wait() {
        let waits = write(&cut_both_ways(&Connection::established()), Client, b"late").1.after_time(9, RETRIES);
        let half = waits.heal(Client);
        assert_eq!(half.gives_up_in(RETRIES), Some(1), "the acknowledgement is stopped still");
        let healed = half.heal(Server).settled();
        assert_eq!((healed.gives_up_in(RETRIES), healed.ends[0].waited_ns), (None, 0));
        assert_eq!(all_read(&healed, Server), [Read::Bytes(b"late".to_vec())]);
    }

    #[test]
    fn acknowledgements_go_over_the_other_link() {
        let deaf = Connection::established().cut(Server, false).remove(0);
        let sent = write(&deaf, Client, b"here").1;
        assert_eq!(all_read(&sent, Server), [Read::Bytes(b"here".to_vec())]);
        assert_eq!(sent.gives_up_in(RETRIES), Some(10));
        assert_eq!(all_read(&sent.after_time(10, RETRIES), Client), timed_out());
        assert_eq!(sent.clone().never_given_up().gives_up_in(RETRIES), None);
        assert_eq!(sent.heal(Server).gives_up_in(RETRIES), None);
    }

    #[test]
    fn an_end_that_was_closed_is_given_up_too() {
        let closed = write(&cut_both_ways(&Connection::established()), Client, b"bye").1.close(Client, false);
        assert_eq!(closed.gives_up_in(RETRIES), Some(10));
        let both = |connection: Connection| connection.heal(Client).heal(Server);
        let in_time = all_read(&both(closed.after_time(9, RETRIES)), Server);
        assert_eq!(in_time, [Read::Bytes(b"bye".to_vec()), Read::End]);
        assert!(all_read(&both(closed.after_time(10, RETRIES)), Server).is_empty());
    }

    #[test]
    fn a_close_does_not_begin_the_wait_anew_and_a_reset_ends_it() {
        let waits = write(&cut_both_ways(&Connection::established()), Client, b"bye").1.after_time(6, RETRIES);
        assert_eq!(waits.close(Client, false).settled().gives_up_in(RETRIES), Some(4));
        for reset in [waits.close(Client, true), waits.failed(Client).close(Client, false)] {
            assert_eq!(reset.clone().settled().gives_up_in(RETRIES), None);
            let healed = reset.heal(Client).heal(Server);
            assert!(all_read(&healed, Server).contains(&Read::Failed(Breakage::Reset)), "{healed:?}");
        }
    }

    /// Whatever comes to a host that has given up, its program is told that it has.
    #[test]
    fn the_end_of_a_stream_does_not_come_to_a_host_that_has_given_up() {
        let waits = write(&cut_both_ways(&Connection::established()), Client, b"1").1;
        let gave_up = waits.after_time(10, RETRIES);
        let healed = |connection: &Connection| connection.heal(Client).heal(Server);
        let (_, written) = write(&gave_up, Server, b"2");
        for late in [
            healed(&written.shut_down(Server)),
            healed(&gave_up.shut_down(Server)),
            healed(&gave_up).shut_down(Server),
            write(&healed(&gave_up), Server, b"2").1.shut_down(Server),
        ] {
            assert_eq!(all_read(&late, Client), timed_out(), "{late:?}");
        }
        // Bytes and an end that have come before the host gives up are read.
        let (_, before) = write(&waits.heal(Server), Server, b"2");
        let before = before.shut_down(Server).after_time(10, RETRIES);
        assert_eq!(all_read(&before, Client), [Read::Bytes(b"2".to_vec()), Read::End]);
    }

    #[test]
    fn a_cut_holds_up_only_what_was_sent_at_its_instant() {
        let first = write(&Connection::established(), Client, b"1").1.after_time(1, RETRIES);
        let second = write(&first, Client, b"2").1.shut_down(Client);
        let come = |cut: &Connection| all_read(cut, Server);
        let seen: Vec<Vec<Read>> = second.cut(Client, true).iter().map(come).collect();
        let bytes = |text: &[u8]| vec![Read::Bytes(text.to_vec())];
        assert_eq!(seen, [[bytes(b"12"), vec![Read::End]].concat(), bytes(b"12"), bytes(b"1")]);
        let later = second.after_time(1, RETRIES);
        assert!(!later.may_be_held_up(Client) && later.cut(Client, true).len() == 1);
        // Nor a reset.
        let reset = first.close(Server, false);
        assert!(reset.may_be_held_up(Server) && !reset.after_time(1, RETRIES).may_be_held_up(Server));
    }
}
