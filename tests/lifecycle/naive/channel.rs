//! The packets from one socket to another.

use std::collections::BTreeSet;

/// Everything that was ever sent from one socket to another, and everything that came out so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Channel {
    /// in the order of dispatch
    pub packets: Vec<Packet>,
    /// indices into `packets`, in the order of delivery
    pub delivered: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Packet {
    pub value: u8,
    /// the sender's process and port
    pub from: (usize, u16),
    /// how often it arrives, chosen when it was sent
    pub copies: usize,
    /// the capacity of the network, for how many earlier packets it overtakes
    pub window: usize,
    pub overtaken: bool,
    /// it was sent without faults: nothing may overtake it
    pub is_ordered: bool,
    /// 0 was among its multiplication choices
    pub may_be_lost: bool,
    /// time has passed since it was sent, and it can't be lost: the driver of the receiver knows of it
    pub is_seen: bool,
}

impl Channel {
    /// How many packets are still to arrive.
    pub fn backlog(&self) -> usize {
        (0..self.packets.len()).filter(|&packet| self.remaining(packet) > 0).count()
    }

    /// Forgets the deliveries up to the first one after which an earlier packet is still to come, and the packets
    /// of which nothing is left then.
    pub fn forget(&mut self) {
        let first = (0..self.packets.len()).find(|&packet| self.remaining(packet) > 0);
        let settled = self.delivered.iter().take_while(|&&packet| first.is_none_or(|first| packet <= first)).count();
        for packet in self.delivered.drain(..settled) {
            self.packets[packet].copies -= 1;
            self.packets[packet].is_seen = false;
            // it has come: nothing overtakes it any more
            self.packets[packet].overtaken = true;
        }
        let is_left: Vec<bool> = self.packets.iter().map(|packet| packet.copies > 0).collect();
        for packet in &mut self.delivered {
            *packet = is_left[..*packet].iter().filter(|&&is_left| is_left).count();
        }
        self.packets.retain(|packet| packet.copies > 0);
    }

    fn arrived(&self, packet: usize) -> usize {
        self.delivered.iter().filter(|&&delivered| delivered == packet).count()
    }

    /// Whether the receiver's driver knows of a packet that was not received yet.
    pub fn has_seen(&self) -> bool {
        (0..self.packets.len()).any(|packet| self.packets[packet].is_seen && self.arrived(packet) == 0)
    }

    pub fn remaining(&self, packet: usize) -> usize {
        self.packets[packet].copies - self.arrived(packet)
    }

    /// The earlier packets that are still to come for the first time, and that nothing has overtaken yet.
    pub fn newly_overtaken_by(&self, packet: usize) -> Vec<usize> {
        let earlier = (0..packet).filter(|&earlier| {
            !self.packets[earlier].overtaken && self.packets[earlier].copies > 0 && self.arrived(earlier) == 0
        });
        earlier.collect()
    }

    /// Whether a delivery that begins with what is delivered, then `packet`, can be in D(p),c.
    /// Delivering what then remains in the order of dispatch makes nothing late that has to be.
    pub fn meets_definition_3(&self, packet: usize) -> bool {
        if (0..packet).any(|earlier| self.packets[earlier].is_ordered && self.remaining(earlier) > 0) {
            return false;
        }
        let mut delivery = self.delivered.clone();
        delivery.push(packet);
        for rest in 0..self.packets.len() {
            let remaining = self.remaining(rest) - usize::from(rest == packet);
            delivery.extend(std::iter::repeat_n(rest, remaining));
        }
        (0..delivery.len()).all(|i| {
            let late: BTreeSet<usize> = delivery[i + 1..].iter().copied().filter(|&q| q < delivery[i]).collect();
            late.len() < self.packets[delivery[i]].window
        })
    }
}
