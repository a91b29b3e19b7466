//! Connections over a link that is cut: what one end sends waits, and comes in order when the link is open again, since the OS of
//! the sender sends it again.
//!
//! A cut is found in the middle of what goes over the link: of the bytes that the other end has not read, and of the end of the
//! stream or the reset behind them, any last ones have not come yet. Which these are is decided when the cut is made. An end or a
//! reset of which a program was told has come, and so has a reset that the network made for both ends.
//!
//! Acknowledgements are not modelled: a read makes room for the writer, also where nothing comes back from the reader. Hosts that
//! lose their power meanwhile are in [`power`](super::power).

use super::connection::{Breakage, Connection, End, Side};
use super::half_stream::HalfStream;
use super::host::Host;
use super::segment::Segment;

impl Connection {
    /// Whether something has come from an end that may still have been under way when a cut is made.
    #[must_use]
    pub fn may_be_held_up(&self, from: Side) -> bool {
        let all = self.ways[from as usize].bytes().len();
        !self.is_cut(from)
            && (self.borders_of(from, true).iter().any(|border| *border < all) || self.last(from).is_some())
    }

    /// Whether what an end sends waits for a cut to heal.
    #[must_use]
    pub fn is_cut(&self, from: Side) -> bool {
        self.ways[from as usize].is_cut
    }

    /// Whether something waits for a cut to heal, in either direction.
    #[must_use]
    pub fn waits_for_heal(&self) -> bool {
        let is_unanswered = self.ends.iter().any(|end| end.is_unanswered);
        !self.takes_time && (is_unanswered || self.ways.iter().any(|way| !way.under_way.is_empty()))
    }

    /// The connections that may be left when the link from an end is cut; the one to which all has come is first.
    ///
    /// # Panics
    /// Where packets take time.
    #[must_use]
    pub fn cut(&self, from: Side, split: bool) -> Vec<Connection> {
        assert!(!self.takes_time, "where packets take time, links are not cut");
        if self.is_unix || self.to_itself || self.is_gone() || self.is_cut(from) {
            return vec![self.clone()];
        }
        let mut cut = self.clone();
        cut.ways[from as usize].is_cut = true;
        let mut all = vec![cut.clone()];
        let last = self.last(from);
        for border in self.borders_of(from, split) {
            let is_all = border == self.ways[from as usize].bytes().len();
            if !is_all || last.is_some() {
                all.push(cut.held_up(from, border, last.clone()));
            }
        }
        all
    }

    /// The connection when the link from an end is open again: all that waits comes.
    #[must_use]
    pub fn heal(&self, from: Side) -> Connection {
        let mut next = self.clone();
        let (own, peer) = (from as usize, 1 - from as usize);
        next.ways[own].is_cut = false;
        while let Some(segment) = next.ways[own].pop() {
            next.ends[own].is_unanswered |= segment.is_acknowledged();
            next.receive(own, segment);
        }
        if !next.ways[peer].is_cut {
            next.ends.iter_mut().for_each(|end| end.is_unanswered = false);
        }
        next.unless_gone()
    }

    /// Up to where the bytes from an end may have come.
    fn borders_of(&self, from: Side, split: bool) -> Vec<usize> {
        let way: &HalfStream = &self.ways[from as usize];
        let to = &self.ends[1 - from as usize];
        // A connection that broke in flight holds nothing up.
        let is_told = matches!(to.error, None | Some(Breakage::TimedOut));
        let is_broken = way.may_be_lost || to.is_dead && is_told || !to.is_held;
        if is_broken || self.is_unix || self.to_itself {
            return Vec::new();
        }
        match self.ends[from as usize].host {
            Host::Up => way.borders(split),
            // Nobody would send them again.
            Host::Silent { .. } | Host::Back => vec![way.bytes().len()],
        }
    }

    /// The segment that has come last from an end, behind the bytes, if a program was not told of it.
    fn last(&self, from: Side) -> Option<Segment> {
        let End { is_held, is_dead, error, is_reset_certain, .. } = self.ends[1 - from as usize];
        let way = &self.ways[from as usize];
        if self.is_unix || self.to_itself || !is_held || way.may_be_lost {
            return None;
        }
        let from = self.ends[from as usize].host;
        match error {
            Some(Breakage::TimedOut) => None,
            Some(_) if is_reset_certain => None,
            Some(told) if is_dead && !matches!(from, Host::Silent { .. }) => Some(Segment::Reset(told)),
            None if !is_dead && way.has_ended() && !way.is_end_certain && from == Host::Up => Some(Segment::End),
            _ => None,
        }
    }

    fn held_up(&self, from: Side, border: usize, last: Option<Segment>) -> Connection {
        let mut next = self.clone();
        let (own, peer) = (from as usize, 1 - from as usize);
        if let Some(Segment::Reset(_)) = last {
            (next.ends[peer].is_dead, next.ends[peer].error) = (false, None);
            next.ways[peer].is_finished |= std::mem::take(&mut next.ends[peer].is_shut_since);
        }
        next.ways[own].hold_up(border, last);
        next.ways[own].is_known &= !next.ways[own].bytes().is_empty();
        next.ways[own].is_end_known &= next.is_over(if from == Side::Client { Side::Server } else { Side::Client });
        next
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::all_read;
    use super::*;
    use crate::tcp::{Read, StreamRules, Written};
    use Side::{Client, Server};

    const RULES: StreamRules = StreamRules { split: false, capacity: 8, keeps_writes: true };

    fn write(connection: &Connection, side: Side, bytes: &[u8]) -> Connection {
        let (written, after) = connection.write(side, bytes, RULES).remove(0);
        assert_eq!(written, Written::Accepted(bytes.len()));
        after
    }

    fn bytes(text: &[u8]) -> Vec<Read> {
        vec![Read::Bytes(text.to_vec())]
    }

    fn reset() -> Vec<Read> {
        vec![Read::Failed(Breakage::Reset), Read::End]
    }

    #[test]
    fn any_last_writes_wait_and_come_in_order() {
        let written = write(&write(&Connection::established(), Server, b"ab"), Server, b"c").close(Server, false);
        let cuts = written.cut(Server, false);
        let seen: Vec<Vec<Read>> = cuts.iter().map(|cut| all_read(cut, Client)).collect();
        assert_eq!(seen, [[bytes(b"abc"), vec![Read::End]].concat(), bytes(b"abc"), bytes(b"ab"), vec![]]);
        assert_eq!(written.cut(Server, true).len(), 5);
        for cut in cuts {
            assert!(cut.heal(Server) == written && cut.is_cut(Server) && !cut.is_cut(Client));
        }
    }

    #[test]
    fn bytes_that_are_written_over_a_cut_wait() {
        let cut = Connection::established().cut(Client, false).remove(0);
        let written = write(&cut, Client, b"late");
        assert!(all_read(&written, Server).is_empty() && written.waits_for_heal());
        assert!(!written.can_take(Client, 5, 8) && written.can_take(Client, 4, 8));
        let ended = written.shut_down(Client);
        assert_eq!(all_read(&ended.heal(Client), Server), [bytes(b"late"), vec![Read::End]].concat());
        assert!(all_read(&ended, Server).is_empty());
    }

    #[test]
    fn a_reset_waits_for_the_heal() {
        let unread = write(&Connection::established(), Client, b"unread");
        let closed = unread.close(Server, false);
        assert_eq!(all_read(&closed, Client), reset());
        let cut = closed.cut(Server, false).pop().unwrap();
        assert!(all_read(&cut, Client).is_empty() && all_read(&cut.heal(Server), Client) == reset());
        let before = unread.cut(Server, false).remove(0).close(Server, false);
        assert!(all_read(&before, Client).is_empty() && all_read(&before.heal(Server), Client) == reset());
    }

    #[test]
    fn a_reset_that_the_network_has_made_has_come() {
        let broken = Connection::established().reset(Server);
        assert_eq!(broken.cut(Server, false).len(), 1);
        assert!(!broken.may_be_held_up(Server) && all_read(&broken, Client) == reset());
        let before = Connection::established().cut(Server, false).remove(0).resets(Server, false).remove(0);
        assert!(all_read(&before, Client).is_empty() && all_read(&before.heal(Server), Client) == reset());
    }

    #[test]
    fn an_end_of_which_the_program_was_told_has_come() {
        let ended = write(&Connection::established(), Server, b"a").shut_down(Server);
        assert_eq!(ended.cut(Server, false).len(), 3);
        let (_, all) = ended.read(Client, 8, false).remove(0);
        assert!(all.may_be_held_up(Server) && all.cut(Server, false).len() == 2, "the end may have come or not");
        let (told, after) = all.read(Client, 8, false).remove(0);
        let (peeked, seen) = all.peek(Client, 8).expect("the end is there");
        assert_eq!((told, peeked), (Read::End, Read::End));
        for known in [after, seen] {
            assert!(!known.may_be_held_up(Server));
            let cuts = known.cut(Server, false);
            assert!(cuts.len() == 1 && all_read(&cuts[0], Client) == [Read::End]);
            assert_eq!(known.never_cut(), all);
        }
    }

    #[test]
    fn a_shutdown_before_a_reset_is_told_holds_also_when_the_reset_waits() {
        let shut = write(&Connection::established(), Client, b"unread").close(Server, false).shut_down(Client);
        let cut = shut.cut(Server, false).pop().unwrap();
        assert!(all_read(&cut, Client).is_empty(), "the reset has not come");
        assert_eq!(cut.write(Client, b"x", RULES)[0].0, Written::Failed(Breakage::Pipe));
    }

    #[test]
    fn bytes_for_a_closed_end_are_answered_when_both_ways_are_open() {
        for (first, second) in [(Client, Server), (Server, Client)] {
            let cut = Connection::established().cut(Client, false).remove(0).cut(Server, false).remove(0);
            let written = write(&cut.close(Server, false), Client, b"x");
            assert!(all_read(&written, Client).is_empty());
            let healed = written.heal(first).heal(second);
            assert_eq!(all_read(&healed, Client), [Read::End], "the end of the stream came before the reset");
            assert_eq!(healed.write(Client, b"y", RULES)[0].0, Written::Failed(Breakage::Pipe));
        }
    }

    #[test]
    fn an_answer_to_bytes_for_a_closed_end_waits_for_its_own_link() {
        let closed = Connection::established().cut(Server, false).remove(0).close(Server, false);
        let written = write(&closed, Client, b"x");
        assert!(all_read(&written, Client).is_empty() && written.waits_for_heal());
        assert_eq!(all_read(&written.heal(Server), Client), [Read::End]);
    }
}
