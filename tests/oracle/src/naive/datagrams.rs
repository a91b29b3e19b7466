//! How datagrams come from one socket to another in the naive explorer.
//!
//! In quiet time a datagram is there when the send returns: it belongs to the socket that is bound then, and vanishes
//! with it. With `delay` it is under way to an address, and each of its arrivals is a move that the network may make at
//! any moment, as long as the process there has not ended. Whoever is bound at that moment and takes it has it in its
//! buffer; nobody else ever sees it. Definition 3 is about the arrivals, so a receive takes the oldest of a sender. Where
//! copies take certain times, a socket has one buffer, and a receive takes what has arrived first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::language::program::{Delays, TICK_MS};

use super::helpless::{self, Units};
use super::operation::Move;
use super::state::{Address, Endpoint, OpenSocket, Phase, Socket, State, World};
use super::{ANY_PORT, Findings};

/// Everything that was ever sent from one socket to another, or to an address, and everything that came out so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Channel {
    /// in the order of dispatch
    pub(super) packets: Vec<Packet>,
    /// indices into `packets`, in the order of delivery
    delivered: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Packet {
    pub(super) value: u8,
    pub(super) from_port: u16,
    /// how often it arrives, chosen when it was sent
    copies: usize,
    overtaken: bool,
    /// when it may arrive and has to, if it takes certain times
    due_ms: (u32, Option<u32>),
    /// a socket that takes what comes from there has been there ever since it was sent
    is_awaited: bool,
    /// time has passed since it was sent, and it can't be lost: the driver of the receiver knows of it. Not of another copy
    /// after the first one: that it comes is a perturbation, which happens as late as a loss does
    is_seen: bool,
    /// some copy of it has come
    has_come: bool,
}

/// Datagrams that are sent with `delay`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Datagrams {
    /// from a socket to an address
    under_way: BTreeMap<(Endpoint, Address), Channel>,
    /// by receiver: from where what has arrived, and from which port
    buffers: BTreeMap<Endpoint, VecDeque<(Endpoint, u8, u16)>>,
}

impl Datagrams {
    pub(super) fn under_way(&self) -> impl Iterator<Item = (&(Endpoint, Address), &Channel)> {
        self.under_way.iter()
    }

    /// Whether a packet that takes certain times may never arrive.
    pub(super) fn may_stay_away(&self, link: &(Endpoint, Address), packet: usize) -> bool {
        let (_, latest_ms) = self.under_way[link].packets[packet].due_ms;
        latest_ms.is_none()
    }

    /// From whom to these sockets of a process something may be taken next: what came first, if that counts.
    pub(super) fn to_be_taken(
        &self,
        process: usize,
        sockets: &[Socket],
        is_ordered: bool,
    ) -> BTreeSet<(Endpoint, Endpoint)> {
        let own = self.buffers.iter().filter(|((receiver, number), _)| {
            *receiver == process && sockets.iter().any(|socket| socket.number == *number)
        });
        let first = if is_ordered { 1 } else { usize::MAX };
        let senders = own.flat_map(|(&to, arrived)| arrived.iter().take(first).map(move |&(from, ..)| (from, to)));
        senders.collect()
    }

    pub(super) fn take(&mut self, (from, to): (Endpoint, Endpoint)) -> (u8, u16) {
        let arrived = self.buffers.get_mut(&to).expect("something has arrived");
        let oldest = arrived.iter().position(|(sender, ..)| *sender == from).expect("something of this sender");
        let (_, value, port) = arrived.remove(oldest).expect("it is there");
        (value, port)
    }

    /// The order among senders is told apart only where it counts.
    fn put(&mut self, (from, to): (Endpoint, Endpoint), (value, port): (u8, u16), is_ordered: bool) {
        let arrived = self.buffers.entry(to).or_default();
        let before = arrived.iter().take_while(|(sender, ..)| is_ordered || *sender <= from).count();
        arrived.insert(before, (from, value, port));
    }

    /// When each copy may arrive at the earliest and has to at the latest, in milliseconds.
    pub(super) fn dues(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        let packets = self.under_way.values().flat_map(|channel| &channel.packets);
        packets.filter(|packet| packet.copies > 0).map(|packet| packet.due_ms)
    }

    /// The clock is set back by so much.
    pub(super) fn set_back(&mut self, by_ms: u32) {
        for packet in self.under_way.values_mut().flat_map(|channel| &mut channel.packets) {
            let (earliest_ms, latest_ms) = packet.due_ms;
            packet.due_ms = (earliest_ms.saturating_sub(by_ms), latest_ms.map(|latest_ms| latest_ms - by_ms));
        }
    }

    pub(super) fn backlogs(&self) -> impl Iterator<Item = usize> {
        self.under_way.values().map(Channel::backlog).chain(self.buffers.values().map(VecDeque::len))
    }

    pub(super) fn forget(&mut self) {
        self.under_way.values_mut().for_each(Channel::forget);
        self.under_way.retain(|_, channel| !channel.is_empty());
        self.buffers.retain(|_, datagrams| !datagrams.is_empty());
    }
}

impl World<'_> {
    /// The multiplication choices that the faults left allow.
    pub(super) fn copies(&self) -> BTreeSet<usize> {
        let mut copies: BTreeSet<usize> = self.system.network.copies.iter().copied().collect();
        if let Some(left) = self.state.faults_left {
            copies.insert(1);
            copies.retain(|&copies| faults_of_copies(copies) <= left);
        }
        copies
    }

    /// Whether what is sent now may come to anybody.
    pub(super) fn may_come(&self, from: Address, to: Address) -> bool {
        let comes = match self.system.network.delay {
            true => !self.state.processes[to.0].phase.is_over(),
            false => self.taker(from, to).is_some(),
        };
        comes && !self.is_cut((from.0, to.0))
    }

    /// The times that so many copies of a datagram of this process may take, the least first, where they are listed; none
    /// where they are not.
    pub(super) fn listed(&self, process: usize, copies: usize) -> Vec<Vec<u32>> {
        let Some(Delays::Listed(listed)) = self.system.network.delays_of(process) else { return vec![Vec::new()] };
        (0..copies).fold(vec![Vec::new()], |shorter, _| {
            let longer = shorter.iter().flat_map(|times: &Vec<u32>| {
                let later = listed.iter().filter(|&time| times.last().is_none_or(|last| time >= last));
                later.map(|&time| times.iter().copied().chain([time]).collect())
            });
            longer.collect::<BTreeSet<Vec<u32>>>().into_iter().collect()
        })
    }

    /// Whether a move is the arrival of a copy that may also never arrive.
    pub(super) fn may_never_come(&self, step: &Move) -> bool {
        let Move::Arrive { link, packet } = step else { return false };
        self.state.datagrams.under_way[link].packets[*packet].due_ms.1.is_none()
    }

    /// Sends a datagram that comes so many times, after these if they are listed.
    pub(super) fn dispatch(
        &mut self,
        (process, socket): (usize, Socket),
        to: Address,
        value: u8,
        (copies, listed): (usize, &[u32]),
    ) {
        if let Some(left) = &mut self.state.faults_left {
            *left -= faults_of_copies(copies);
        }
        let from = (process, socket.number);
        let receiver = self.taker((process, socket.port), to);
        let at = |ticks: u32| self.state.now_ms + ticks * TICK_MS;
        let copies: Vec<(usize, (u32, Option<u32>))> = match self.system.network.delays_of(process) {
            Some(Delays::Listed(_)) => listed.iter().map(|&time| (1, (at(time), Some(at(time))))).collect(),
            Some(Delays::Interval(least, most)) => vec![(copies, (at(*least), most.map(at)))],
            None => vec![(copies, (0, None))],
        };
        let State { channels, datagrams, .. } = &mut self.state;
        let from_port = socket.port;
        let is_awaited = receiver.is_some();
        let packets = copies.into_iter().map(|(copies, due_ms)| Packet {
            value,
            from_port,
            copies,
            overtaken: false,
            due_ms,
            is_awaited,
            is_seen: false,
            has_come: false,
        });
        let channel = match self.system.network.delay {
            true => datagrams.under_way.entry((from, to)).or_default(),
            false => channels.entry((from, receiver.expect("looked up in the same state"))).or_default(),
        };
        channel.packets.extend(packets);
    }

    /// Time has passed for some units: their drivers know of what is there.
    pub(super) fn look(&mut self, units: Units) {
        if self.system.network.takes_time() {
            return;
        }
        self.state.connections.look();
        if self.system.network.copies.contains(&0) {
            return;
        }
        let State { channels, processes, .. } = &mut self.state;
        for (&(_, (process, number)), channel) in channels {
            let port = processes[process].open.get(&number).map(|open| open.port);
            if units & helpless::owner(self.system, process, port) != 0 {
                channel.packets.iter_mut().for_each(|packet| packet.is_seen = !packet.has_come);
            }
        }
    }

    /// A packet that is under way arrives: whoever takes it now has it.
    pub(super) fn arrive(&mut self, link: (Endpoint, Address), packet: usize, findings: &mut Findings) {
        let (sender, to) = link;
        let has_delays = self.system.network.delays.is_some();
        let State { datagrams, faults_left, .. } = &mut self.state;
        let channel = datagrams.under_way.get_mut(&link).expect("it holds the packet");
        let Packet { value, from_port, is_awaited, .. } = match has_delays {
            true => channel.take_copy(packet),
            false => channel.deliver(packet, faults_left),
        };
        match self.taker((sender.0, from_port), to) {
            // A datagram that comes to a cut is lost.
            _ if self.is_cut((sender.0, to.0)) => {}
            None => findings.dropped = true,
            Some(receiver) => {
                findings.overdue |= !is_awaited;
                self.state.datagrams.put((sender, receiver), (value, from_port), has_delays);
            }
        }
    }

    /// Drops the sockets that nobody has any more, with what is in their buffers, and in quiet time what is under way.
    pub(super) fn close_sockets(&mut self) {
        for state in &mut self.state.processes {
            let held = state.held_sockets();
            state.open.retain(|number, _| state.phase == Phase::Running && held.contains(number));
        }
        let State { processes, channels, datagrams, .. } = &mut self.state;
        let is_open = |(process, number): Endpoint| processes[process].open.contains_key(&number);
        channels.retain(|&(_, receiver), _| is_open(receiver));
        datagrams.buffers.retain(|&receiver, _| is_open(receiver));
        datagrams.under_way.retain(|&(_, (process, _)), _| !processes[process].phase.is_over());
        for (&(_, (process, port)), channel) in &mut datagrams.under_way {
            let is_bound = processes[process].open.values().any(|open| open.port == port);
            channel.packets.iter_mut().for_each(|packet| packet.is_awaited &= is_bound);
        }
    }

    pub(super) fn may_deliver(&self, channel: &Channel, packet: usize) -> bool {
        if self.system.network.delays.is_some() {
            let Packet { copies, due_ms: (earliest_ms, _), .. } = channel.packets[packet];
            return copies > 0 && earliest_ms <= self.state.now_ms;
        }
        channel.remaining(packet) > 0
            && self.state.faults_left.is_none_or(|left| channel.newly_overtaken_by(packet).len() <= left)
            && channel.meets_definition_3(packet, self.system.network.window)
    }

    /// The times of all copies that somebody takes who is there now, as [`Datagrams::dues`].
    pub(super) fn dues_of_taken(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        self.state.datagrams.under_way().flat_map(move |(&((sender, _), to), channel)| {
            let taken =
                move |packet: &&Packet| packet.copies > 0 && self.taker((sender, packet.from_port), to).is_some();
            channel.packets.iter().filter(taken).map(|packet| packet.due_ms)
        })
    }

    /// The socket at this address, unless it only hears somebody else.
    fn taker(&self, from: Address, (process, port): Address) -> Option<Endpoint> {
        let state = &self.state.processes[process];
        let (&number, open) = state.open.iter().find(|(_, open)| open.port == port)?;
        (state.phase == Phase::Running && open.peer.is_none_or(|peer| peer == from)).then_some((process, number))
    }

    /// A socket at a port, unless another one of the process is there.
    pub(super) fn bind(&mut self, process: usize, number: usize, port: u16) -> Option<Socket> {
        let state = &mut self.state.processes[process];
        let port = match port {
            0 => ANY_PORT + number as u16,
            port => port,
        };
        if state.open.values().any(|open| open.port == port) {
            return None;
        }
        state.open.insert(number, OpenSocket { port, peer: None });
        Some(Socket { number, port })
    }
}

/// A lost packet is one fault, and so is each extra copy.
fn faults_of_copies(copies: usize) -> usize {
    copies.abs_diff(1)
}

impl Channel {
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Whether the receiver's driver knows of a packet that was not received yet.
    pub(super) fn has_seen(&self) -> bool {
        (0..self.packets.len()).any(|packet| self.packets[packet].is_seen && self.arrived(packet) == 0)
    }

    /// A copy comes out of a channel in which packets have no order.
    fn take_copy(&mut self, packet: usize) -> Packet {
        self.packets[packet].copies -= 1;
        let taken = self.packets[packet];
        if taken.copies == 0 {
            self.packets.remove(packet);
        }
        taken
    }

    /// A packet comes out, which is a fault for each that it is the first one to overtake.
    pub(super) fn deliver(&mut self, packet: usize, faults_left: &mut Option<usize>) -> Packet {
        let overtaken = self.newly_overtaken_by(packet);
        if let Some(left) = faults_left {
            *left -= overtaken.len();
        }
        for overtaken in overtaken {
            self.packets[overtaken].overtaken = true;
        }
        self.delivered.push(packet);
        self.packets[packet]
    }

    /// How many packets are still to arrive.
    pub(super) fn backlog(&self) -> usize {
        (0..self.packets.len()).filter(|&packet| self.remaining(packet) > 0).count()
    }

    /// Forgets the deliveries up to the first one after which an earlier packet is still to come, and the packets
    /// of which nothing is left then.
    pub(super) fn forget(&mut self) {
        let first = (0..self.packets.len()).find(|&packet| self.remaining(packet) > 0);
        let settled = self.delivered.iter().take_while(|&&packet| first.is_none_or(|first| packet <= first)).count();
        for packet in self.delivered.drain(..settled) {
            self.packets[packet].copies -= 1;
            self.packets[packet].is_seen = false;
            self.packets[packet].has_come = true;
            // it has come: nothing overtakes it any more
            self.packets[packet].overtaken = true;
        }
        let is_left: Vec<bool> = self.packets.iter().map(|packet| packet.copies > 0).collect();
        for packet in &mut self.delivered {
            *packet = is_left[..*packet].iter().filter(|&&is_left| is_left).count();
        }
        self.packets.retain(|packet| packet.copies > 0);
    }

    /// The last ones of those that are still to come are lost.
    pub(super) fn without_last(&self, count: usize) -> Channel {
        let mut left = self.clone();
        let to_come: Vec<usize> = (0..self.packets.len()).filter(|&packet| self.remaining(packet) > 0).collect();
        for &packet in to_come.iter().rev().take(count) {
            left.packets[packet].copies = self.arrived(packet);
        }
        left
    }

    fn arrived(&self, packet: usize) -> usize {
        self.delivered.iter().filter(|&&delivered| delivered == packet).count()
    }

    pub(super) fn remaining(&self, packet: usize) -> usize {
        self.packets[packet].copies - self.arrived(packet)
    }

    /// The earlier packets that are still to come for the first time, and that nothing has overtaken yet.
    pub(super) fn newly_overtaken_by(&self, packet: usize) -> Vec<usize> {
        (0..packet)
            .filter(|&earlier| {
                !self.packets[earlier].overtaken && self.packets[earlier].copies > 0 && self.arrived(earlier) == 0
            })
            .collect()
    }

    /// Whether a delivery that begins with what is delivered, then `packet`, can be in D(p),c.
    /// Delivering what then remains in the order of dispatch makes nothing late that has to be.
    pub(super) fn meets_definition_3(&self, packet: usize, window: usize) -> bool {
        let mut delivery = self.delivered.clone();
        delivery.push(packet);
        for rest in 0..self.packets.len() {
            let remaining = self.remaining(rest) - usize::from(rest == packet);
            delivery.extend(std::iter::repeat_n(rest, remaining));
        }
        (0..delivery.len()).all(|i| {
            let late: BTreeSet<usize> = delivery[i + 1..].iter().copied().filter(|&q| q < delivery[i]).collect();
            late.len() < window
        })
    }
}
