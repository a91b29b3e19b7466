//! The state of a datagram channel from socket to socket, through one stage of perturbation or two.
//!
//! The state stays small and canonical, because a search hashes and compares it often.

use std::collections::{BTreeMap, VecDeque};

use smallvec::SmallVec;

use crate::budget::cost;
use crate::event::Event;

use super::channel::{Arrival, Channel};
use super::covering;
use super::rules::{LinkRules, Perturbed, StageRules};

/// The packets in flight from one sending socket to one receiving socket: a dispatch (Definition 2) that has been
/// delivered in part. The default is the empty channel.
///
/// A packet is an opaque number that stands for its content. Two packets with the same content are still two
/// packets (Remark 1).
///
/// All calls on a link and its successors take the same [`LinkRules`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The only stage, or the sender's.
    first: Channel,
    /// The receiver's stage, if both sides perturb; never an empty one.
    second: Option<Box<Channel>>,
}

/// One way in which the next packet can arrive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Delivery {
    /// The packet that arrives.
    pub packet: u32,
    /// The channel afterwards.
    pub link: Link,
    /// The number of faults that the events cost: each packet that a later one overtakes is one fault, whether it
    /// arrives late or never; so is each copy after the first. A copy is counted together with those that must follow
    /// it. Without a budget this is an estimate.
    pub faults: u32,
    /// The events of this packet and of others, with positions in the channel before.
    pub events: SmallVec<[Event; 2]>,
    /// The packets of the channel afterwards, each by its position before.
    pub remaining: SmallVec<[u32; 4]>,
    /// The position in `M` of the multiplicity that this delivery stands for: small ones are explored first (section
    /// 3.2.4 of the paper).
    pub preference: u8,
}

/// The channel when no more faults may happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WithoutFaults {
    /// The channel, without the packets that have arrived and need not arrive again.
    pub link: Link,
    /// Its packets, each by its position before.
    pub remaining: SmallVec<[u32; 4]>,
}

/// The channel when nothing arrives any more.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LostInFlight {
    /// The empty channel.
    pub link: Link,
    /// The events, with positions in the channel before: the packets that have not arrived at all are lost, in the
    /// order of dispatch. With two stages, each copy that the first made and the second lost is listed.
    pub events: SmallVec<[Event; 2]>,
    /// The number of faults that the events cost: the lost packets that have not been counted before.
    pub faults: u32,
}

impl Link {
    /// The memory that the value takes, about, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Link>() + self.first.heap_bytes() + self.second.as_ref().map_or(0, |second| second.heap_bytes())
    }

    /// Appends a packet that is sent (Definition 2). Its deliveries are decided later.
    ///
    /// A packet that is not perturbed on a side arrives there exactly once and is not overtaken, whatever the rules
    /// are. On a side without rules the flag has no meaning: always pass the same value, so that equal states are equal
    /// values.
    #[must_use]
    pub fn dispatch(
        &self,
        packet: u32,
        perturbed_on_send: impl Into<Perturbed>,
        perturbed_on_receive: impl Into<Perturbed>,
    ) -> Link {
        let mut link = self.clone();
        link.first.dispatch(packet, perturbed_on_send.into(), perturbed_on_receive.into());
        link
    }

    /// Every packet that may arrive next, and the channel afterwards: one element of a delivered sequence of
    /// Definition 5. Sorted by preference, then by dispatch order; no two have the same packet and channel.
    pub fn deliveries(&self, rules: &LinkRules) -> Vec<Delivery> {
        let mut found = Deliveries::default();
        match rules.stages() {
            (only, None) => self.deliver_through_one_stage(only, &mut found),
            (send, Some(receive)) => self.deliver_through_two_stages(send, receive, &mut found),
        }
        found.deliveries.sort_by_key(|delivery| delivery.preference);
        found.deliveries
    }

    /// Whether every delivery from `other`, whatever is sent from now on, is possible from here as well: the packets of
    /// `other` are some of these, in this order as far as reordering is bounded; the other packets may be lost; and
    /// past arrivals forbid no more here than there. (A channel with loss is a well-structured system: P. Abdulla, B.
    /// Jonsson, "Verifying programs with unreliable channels", 1993.) Decided only for channels of one stage without a
    /// budget; false is always safe.
    pub fn covers(&self, other: &Link, rules: &LinkRules) -> bool {
        match rules.stages() {
            (only, None) => self == other || covering::covers(&self.first, &other.first, only),
            (_, Some(_)) => self == other,
        }
    }

    /// The loss of all packets in flight: the delivered sequence is complete (every count is in `M`, Definition 4).
    /// `None` if nothing is in flight, or if some packet must still arrive.
    ///
    /// A packet that has arrived as often as `M` demands, and might arrive again, is in flight but not lost.
    pub fn lose_in_flight(&self, rules: &LinkRules) -> Option<LostInFlight> {
        if self.is_empty() {
            return None;
        }
        let events = match rules.stages() {
            (only, None) => self.first.lose_in_flight(only)?,
            (send, Some(receive)) => self.settle_two_stages(send, receive)?,
        };
        Some(LostInFlight { link: Link::default(), faults: cost(&events), events })
    }

    /// The channel if no more faults may happen: a packet that has arrived, and might arrive again, does not. All that
    /// can still arrive without a fault can arrive from here as well. With a budget only: without one, faults are never
    /// used up.
    pub fn without_faults(&self, rules: &LinkRules) -> WithoutFaults {
        let Link { mut first, second } = self.clone();
        let mut second = second.map_or_else(Channel::default, |channel| *channel);
        let (of_first, of_second) = match rules.stages() {
            (only, None) => (first.forgo_copies(only), SmallVec::new()),
            (send, Some(receive)) => (first.forgo_copies(send), second.forgo_copies(receive)),
        };
        let leaving = of_second.into_iter().chain(of_first);
        let remaining = positions(self.packets().count()).zip(leaving).filter_map(staying).collect();
        WithoutFaults { link: Link::new(first, second), remaining }
    }

    /// Whether no packet is in flight.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty() && self.second.is_none()
    }

    /// The packets in flight: those that may still arrive, for the first time or again. Events refer to packets by
    /// their positions in this order; a newly dispatched packet is the last.
    pub fn packets(&self) -> impl Iterator<Item = u32> {
        let second = self.second.iter().flat_map(|channel| channel.packets());
        second.chain(self.first.packets())
    }

    /// The channel without its last packets, of which so many are left: those that were sent last are lost, the later stage's
    /// after the earlier one's.
    #[must_use]
    pub fn first(&self, left: usize) -> Link {
        let Link { mut first, second } = self.clone();
        let mut second = second.map_or_else(Channel::default, |channel| *channel);
        let in_second = left.min(second.len());
        first.cut(left - in_second);
        second.cut(in_second);
        Link::new(first, second)
    }

    /// The channel without the packet at a position: that packet has arrived, at an instant that is decided elsewhere.
    /// Only for channels of one stage from which nothing was delivered otherwise.
    ///
    /// # Panics
    ///
    /// If there is no packet at the position.
    #[must_use]
    pub fn without(&self, position: u32) -> Link {
        let mut link = self.clone();
        link.first.live.remove(position as usize);
        link
    }

    /// The channel with one packet more at a position, which is perturbed in one way on both sides. Only for channels of one stage
    /// from which nothing was delivered otherwise, and in which packets have no order but that of their instants.
    ///
    /// # Panics
    ///
    /// If the position is beyond the end.
    #[must_use]
    pub fn with(&self, position: u32, packet: u32, perturbed: Perturbed) -> Link {
        let mut link = self.dispatch(packet, perturbed, perturbed);
        link.first.live[position as usize..].rotate_right(1);
        link
    }

    /// Whether each packet of another channel is one of these, in channels whose packets are sorted.
    #[must_use]
    pub fn includes(&self, other: &Link) -> bool {
        let mut more = self.first.live.iter();
        other.first.live.iter().all(|packet| more.any(|one| one == packet))
    }

    /// By position: whether the packet is perturbed on the sending side.
    pub fn perturbed(&self) -> impl Iterator<Item = bool> {
        self.first.live.iter().map(|live| live.perturbed_on_send != Perturbed::No)
    }

    /// The same channel with other numbers for its packets. Packets that are given the same number cannot be told apart
    /// afterwards.
    #[must_use]
    pub fn renumbered(&self, number: impl Fn(u32) -> u32) -> Link {
        let second = self.second.as_ref().map(|channel| Box::new(channel.renumbered(&number)));
        Link { first: self.first.renumbered(&number), second }
    }

    /// The channel when the receiver's driver has been asked: it knows of the packets that must still arrive. In which
    /// order they are received is still decided later. With two stages, nothing is known.
    #[must_use]
    pub fn looked_at(&self, rules: &LinkRules) -> Link {
        let mut link = self.clone();
        if let (only, None) = rules.stages() {
            link.first.look_at(only);
        }
        link
    }

    /// Whether the receiver's driver knows of a packet that has not been received.
    pub fn has_known(&self) -> bool {
        self.first.live.iter().any(|live| live.is_known)
    }

    fn deliver_through_one_stage(&self, rules: StageRules<'_>, found: &mut Deliveries) {
        assert!(self.second.is_none(), "the rules of a link changed while it was in use");
        for at in 0..self.first.len() {
            if let Some(arrival) = self.first.deliver(at, rules) {
                found.add(Delivery {
                    packet: arrival.live.packet,
                    link: Link::new(arrival.channel, Channel::default()),
                    faults: arrival.faults,
                    events: arrival.events,
                    remaining: positions(self.first.len()).zip(arrival.leaving).filter_map(staying).collect(),
                    preference: arrival.preference,
                });
            }
        }
    }

    /// The packet that arrives is on the second stage already, or is the last packet of some moves from the first stage
    /// to the second. Further moves beforehand would change nothing: a move that is possible now stays possible.
    fn deliver_through_two_stages(&self, send: StageRules<'_>, receive: StageRules<'_>, found: &mut Deliveries) {
        let start = self.no_moves();
        for at in 0..start.second.len() {
            if let Some(arrival) = start.second.deliver(at, receive) {
                found.add(start.delivery(arrival));
            }
        }
        let mut fewest_faults: BTreeMap<(Channel, Channel), u32> = BTreeMap::new();
        let mut frontier = VecDeque::from([start]);
        while let Some(mut moves) = frontier.pop_front() {
            if moves.second.blocks_later(receive) {
                continue;
            }
            if receive.window_max() == 1 {
                moves.lose_second_stage(receive);
            }
            for at in 0..moves.first.len() {
                let Some(moved) = moves.first.deliver(at, send) else {
                    continue;
                };
                let moves = moves.and(at, moved);
                let key = (moves.first.clone(), moves.second.clone());
                match fewest_faults.get(&key) {
                    Some(&faults) if faults <= moves.faults => continue,
                    _ => fewest_faults.insert(key, moves.faults),
                };
                if let Some(arrival) = moves.second.deliver(moves.second.len() - 1, receive) {
                    found.add(moves.delivery(arrival));
                }
                frontier.push_back(moves);
            }
        }
    }

    /// Moves the packets that must arrive at the second stage there, in dispatch order, no more often than needed: this
    /// is the cheapest way, because losing a packet is one fault on either stage.
    fn settle_two_stages(&self, send: StageRules<'_>, receive: StageRules<'_>) -> Option<SmallVec<[Event; 2]>> {
        let mut moves = self.no_moves();
        while let Some(at) = moves.first.first_that_must_arrive(send) {
            let moved = moves.first.deliver(at, send);
            moves = moves.and(at, moved.expect("the first packet that must arrive can arrive"));
        }
        let mut events = told(moves.second.lose_in_flight(receive)?, &moves.second_positions);
        let left_behind = told(moves.first.lose_in_flight(send)?, &moves.first_positions);
        events.extend(moves.events);
        events.extend(left_behind);
        Some(events)
    }

    /// Both stages, before anything moves.
    fn no_moves(&self) -> Moves {
        let second = self.second.as_deref().cloned().unwrap_or_default();
        let mut positions = positions(second.len() + self.first.len());
        Moves {
            second_positions: positions.by_ref().take(second.len()).collect(),
            first_positions: positions.collect(),
            first: self.first.clone(),
            second,
            faults: 0,
            events: SmallVec::new(),
            preference: 0,
        }
    }

    fn new(first: Channel, second: Channel) -> Link {
        Link { first, second: (!second.is_empty()).then(|| Box::new(second)) }
    }
}

/// Packets moved from the first stage to the second, unseen by the receiver.
struct Moves {
    first: Channel,
    /// By packet of `first`: its position among all packets of the link.
    first_positions: Positions,
    second: Channel,
    second_positions: Positions,
    faults: u32,
    events: SmallVec<[Event; 2]>,
    preference: u8,
}

/// By position on a stage: the position among all packets of the link, before anything moved.
type Positions = SmallVec<[u32; 4]>;

impl Moves {
    /// The packet at position `at` of the first stage moves to the second.
    fn and(&self, at: usize, moved: Arrival) -> Moves {
        let mut second = self.second.clone();
        let live = moved.live;
        second.dispatch(live.packet, live.perturbed_on_send, live.perturbed_on_receive);
        let mut second_positions = self.second_positions.clone();
        second_positions.push(self.first_positions[at]);
        // The receiver has not received the packet.
        let seen = moved.events.into_iter().filter(|event| !matches!(event, Event::Arrived { .. })).collect();
        Moves {
            first: moved.channel,
            first_positions: left(&self.first_positions, moved.leaving),
            second,
            second_positions,
            faults: self.faults + moved.faults,
            events: self.events.iter().copied().chain(told(seen, &self.first_positions)).collect(),
            preference: self.preference.max(moved.preference),
        }
    }

    /// With a capacity of 1 the packets on the second stage are lost as soon as another one arrives there. Losing them
    /// before the next move keeps the number of moves polynomial.
    fn lose_second_stage(&mut self, receive: StageRules<'_>) {
        let lost = std::mem::take(&mut self.second).lose_in_flight(receive);
        let lost = told(lost.expect("nothing that must arrive is left behind"), &self.second_positions);
        if !lost.is_empty() {
            self.preference = self.preference.max(receive.preference(Perturbed::AsDeclared, 0));
        }
        self.second_positions.clear();
        self.faults += cost(&lost);
        self.events.extend(lost);
    }

    fn delivery(&self, arrival: Arrival) -> Delivery {
        let remaining = left(&self.second_positions, arrival.leaving);
        Delivery {
            packet: arrival.live.packet,
            link: Link::new(self.first.clone(), arrival.channel),
            faults: self.faults + arrival.faults,
            events: self.events.iter().copied().chain(told(arrival.events, &self.second_positions)).collect(),
            remaining: remaining.into_iter().chain(self.first_positions.iter().copied()).collect(),
            preference: self.preference.max(arrival.preference),
        }
    }
}

fn positions(count: usize) -> impl Iterator<Item = u32> {
    0..u32::try_from(count).expect("fewer packets than 2^32")
}

fn staying((position, leaves): (u32, bool)) -> Option<u32> {
    (!leaves).then_some(position)
}

/// The positions of the packets that do not leave.
fn left(positions: &Positions, leaving: impl IntoIterator<Item = bool>) -> Positions {
    positions.iter().copied().zip(leaving).filter_map(staying).collect()
}

/// The events on a stage, with the positions of the link.
fn told(events: SmallVec<[Event; 2]>, positions: &Positions) -> SmallVec<[Event; 2]> {
    events.into_iter().map(|event| event.moved(|position| positions[position as usize])).collect()
}

/// Distinct deliveries: of equal ones, the one with the fewest faults.
#[derive(Default)]
struct Deliveries {
    deliveries: Vec<Delivery>,
}

impl Deliveries {
    fn add(&mut self, new: Delivery) {
        let same = |old: &&mut Delivery| old.packet == new.packet && old.link == new.link;
        match self.deliveries.iter_mut().find(same) {
            Some(old) if (new.faults, new.preference) < (old.faults, old.preference) => *old = new,
            Some(_) => {}
            None => self.deliveries.push(new),
        }
    }
}
