//! Connections where packets take time: the segments under way, and what their arrivals do.
//!
//! A connection begins with a connect under way from the client. A listener takes it when it arrives; the connection is
//! then in the backlog, and the answer is under way to the client. A listener whose backlog is full lets the connect
//! wait. An end that was closed, or has met a failure, takes no bytes any more: the host of a closed end answers them
//! with a reset, unless the other end was told of one before.

use super::connection::{Breakage, Connection, End, Side};
use super::host::Host;
use super::opening::{Answer, Opening};
use super::segment::Segment;

impl Connection {
    /// A connect under way.
    #[must_use]
    pub fn dialing() -> Self {
        let mut dialing = Connection { takes_time: true, opening: Opening::UnderWay, ..Connection::default() };
        dialing.ends[Side::Client as usize].is_held = true;
        dialing.ways[Side::Client as usize].push(Segment::Open);
        dialing
    }

    /// The segments under way from an end, the one that arrives next first.
    #[must_use]
    pub fn under_way(&self, side: Side) -> &[Segment] {
        &self.ways[side as usize].under_way
    }

    /// How many of the segments under way from an end, the last ones, have no delay yet.
    #[must_use]
    pub fn undecided(&self, side: Side) -> usize {
        self.ways[side as usize].undecided
    }

    /// The connection after so many more of these have one.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn decided(&self, side: Side, count: usize) -> Connection {
        let mut next = self.clone();
        let undecided = &mut next.ways[side as usize].undecided;
        *undecided = undecided.checked_sub(count).expect("so many have no delay");
        next
    }

    /// Whether the connect has arrived and waits for room in a backlog.
    #[must_use]
    pub fn waits_for_room(&self) -> bool {
        self.opening == Opening::Waits
    }

    /// Whether the connect has not arrived, or waits for room.
    #[must_use]
    pub fn is_at_the_door(&self) -> bool {
        self.ways[Side::Client as usize].under_way.first() == Some(&Segment::Open)
    }

    /// The answer to the connect, if it has come and the program has not got it.
    #[must_use]
    pub fn answer(&self) -> Option<Answer> {
        match self.opening {
            Opening::Answered(answer) => Some(answer),
            _ => None,
        }
    }

    /// The connection after the program has got the answer.
    #[must_use]
    pub fn begun(&self) -> Connection {
        Connection { opening: Opening::Over, ..self.clone() }
    }

    /// The connection after the connect has come to a listener with room.
    #[must_use]
    pub fn queued(&self) -> Connection {
        let mut next = self.through_the_door();
        next.ends[Side::Server as usize].is_held = true;
        if next.is_held(Side::Client) {
            next.ways[Side::Server as usize].push(Segment::Opened);
        }
        next
    }

    /// The connection after the connect has come back to the socket that sent it (RFC 9293 section 3.5).
    #[must_use]
    pub fn met_itself(&self) -> Connection {
        let mut next = self.through_the_door();
        next.to_itself = true;
        if next.is_held(Side::Client) {
            next.ways[Side::Client as usize].push(Segment::Opened);
        }
        next.unless_gone()
    }

    /// The connection after the connect has come to an address at which no socket listens.
    #[must_use]
    pub fn refused(&self) -> Connection {
        let mut next = self.through_the_door();
        next.ways[Side::Client as usize].clear();
        if next.is_held(Side::Client) {
            next.ways[Side::Server as usize].push(Segment::Refused);
        }
        next.unless_gone()
    }

    /// The connection after the connect has come to a listener without room: it waits there, unless it was given up.
    #[must_use]
    pub fn kept_waiting(&self) -> Connection {
        match self.is_held(Side::Client) {
            true => Connection { opening: Opening::Waits, ..self.clone() },
            false => Connection::default(),
        }
    }

    /// The connection after a connect has failed: it does not arrive, or the other end is told of a reset.
    #[must_use]
    pub fn failed_to_open(&self) -> Connection {
        match self.is_at_the_door() {
            true => Connection::default(),
            false => self.close(Side::Client, true),
        }
    }

    /// The connection after the next segment from an end has arrived.
    ///
    /// # Panics
    /// If there is none, or if it is a connect, whose arrival depends on who listens.
    #[must_use]
    pub fn arrived(&self, from: Side) -> Connection {
        let mut next = self.clone();
        let segment = next.ways[from as usize].pop().expect("a segment is under way");
        next.receive(from as usize, segment);
        next.unless_gone()
    }

    /// The connections after only a part of the next bytes from an end has arrived, with how many these are; none if the
    /// other end takes no bytes.
    pub fn arrived_in_part(&self, from: Side) -> impl Iterator<Item = (usize, Connection)> {
        let to = if self.to_itself { from as usize } else { 1 - from as usize };
        let End { is_held, is_dead, .. } = self.ends[to];
        let length = match self.under_way(from).first() {
            Some(Segment::Bytes(bytes)) if is_held && !is_dead => bytes.len(),
            _ => 0,
        };
        (1..length).map(move |count| {
            let mut next = self.clone();
            let way = &mut next.ways[from as usize];
            if let Some(Segment::Bytes(bytes)) = way.under_way.first_mut() {
                let part: Vec<u8> = bytes.drain(..count).collect();
                way.append(&part, false);
            }
            (count, next)
        })
    }

    /// The connections after this end has met a reset in flight: the bytes in flight to the peer may be lost, the last
    /// ones first.
    #[must_use]
    pub fn resets(&self, side: Side, split: bool) -> Vec<Connection> {
        if !self.takes_time && !self.is_cut(side) {
            return vec![self.reset(side)];
        }
        let outgoing = side as usize;
        let beginnings = self.ways[outgoing].beginnings(split).into_iter();
        let with = |beginning| {
            let mut next = self.clone();
            next.ways[outgoing] = beginning;
            next.failed(side)
        };
        beginnings.map(with).collect()
    }

    fn through_the_door(&self) -> Connection {
        let mut next = self.clone();
        let open = next.ways[Side::Client as usize].pop();
        assert_eq!(open, Some(Segment::Open), "a connect arrives");
        next.opening = if next.is_held(Side::Client) { Opening::UnderWay } else { Opening::Over };
        next
    }

    /// An end sends a segment: it is under way, or arrives at once.
    pub(super) fn send(&mut self, from: usize, segment: Segment) {
        match () {
            () if self.takes_time => self.ways[from].push(segment),
            () if self.ways[from].is_cut => self.ways[from].queue(segment),
            () => {
                let is_answered = self.to_itself || !self.ways[1 - from].is_cut;
                self.ends[from].is_unanswered |= !is_answered && segment.is_acknowledged();
                self.receive(from, segment);
            }
        }
    }

    /// A segment from an end arrives at the other.
    pub(super) fn receive(&mut self, from: usize, segment: Segment) {
        let to = if self.to_itself { from } else { 1 - from };
        let End { is_held, is_dead, host, .. } = self.ends[to];
        if let (Segment::Bytes(_) | Segment::End, true, Host::Back) = (&segment, is_held && is_dead, host) {
            // It is answered with a reset, and so is the end of the stream, now or behind these bytes.
            self.ways[from].is_end_lost = true;
        }
        match segment {
            Segment::Open => unreachable!("what a connect does depends on who listens"),
            Segment::Opened if is_held => self.opening = Opening::Answered(Answer::Connected),
            Segment::Refused if is_held => self.opening = Opening::Answered(Answer::Refused),
            Segment::Bytes(_) | Segment::End if self.takes_time && self.is_silent(to) => {
                self.ways[from].drop_bytes(segment.len());
                self.ends[from].is_unanswered = true;
            }
            Segment::Bytes(bytes) if is_held && !is_dead => self.ways[from].append(&bytes, !self.takes_time),
            // It is not acknowledged.
            Segment::Bytes(bytes) if matches!(host, Host::Silent { .. }) => self.ways[from].append(&bytes, true),
            Segment::Bytes(bytes) => {
                self.ways[from].drop_bytes(bytes.len());
                if !is_held || self.ends[to].host == Host::Back {
                    self.answer_with_reset(from, to);
                }
            }
            Segment::Reset(told) => {
                // A host that is back knows nothing of an end.
                let is_known = self.ends[from].host == Host::Up;
                let is_over = is_known && self.ways[from].has_ended() && self.ways[to].is_finished;
                if !is_over {
                    self.die(to, Some(told));
                }
                // The end that has reset the connection takes nothing any more.
                self.ways[to].clear();
            }
            Segment::Broken { .. } => {
                self.die(to, None);
                self.ways[to].clear();
            }
            // It does not know of the connection.
            Segment::End if host == Host::Back => self.answer_with_reset(from, to),
            Segment::Opened | Segment::Refused | Segment::End => {}
        }
    }

    /// The host of a closed end answers what comes there with a reset, unless the other end was told of one, or is gone.
    pub(super) fn answer_with_reset(&mut self, from: usize, closed: usize) {
        let was_told =
            self.ways[closed].under_way.iter().any(|sent| matches!(sent, Segment::Reset(_) | Segment::Broken { .. }));
        let End { is_held, is_dead, .. } = self.ends[from];
        if is_held && !is_dead && !was_told {
            let told = if self.ways[closed].is_finished { Breakage::Pipe } else { Breakage::Reset };
            self.ways[from].drop_all();
            self.send(closed, Segment::Reset(told));
        }
    }
}
