//! One stage of perturbation: Definitions 3 to 5 as a transition function on a small state.
//!
//! The order of exploration is not decided here, and the other stage is not known here.
//!
//! Definition 4 is a counter per packet. Definition 3 bounds, for each delivery of a packet `x`, the *late*
//! packets: the distinct ones dispatched before `x` and delivered after it. Here each delivery leaves a
//! [`Barrier`] that counts its late packets as they come. Only deliveries that are a new maximum of the
//! dispatch order matter: a packet that is late for any other delivery is late for an earlier, larger one. The
//! others' barriers are implied by that one and fall to the normal form.
//!
//! Invariants, between calls:
//!
//! 1. Every packet that *must* still arrive (its count is not in `M`) can: for each barrier, those of them that
//!    lie below it and are not late yet fit into its quota. Delivering them in dispatch order then makes no
//!    packet late that is not accounted for, so there are no dead ends.
//! 2. A packet that cannot arrive any more is not here. So each that is here can arrive once more, now or after
//!    deliveries that must happen anyhow; except that dispatching is blind to the rules, and under `M = {0}`
//!    packets wait here for the end.
//! 3. An unperturbed packet has arrived 0 times and lies below no barrier.
//! 4. No barrier is redundant; barriers are sorted.

use crate::budget::cost;
use crate::event::Event;
use smallvec::SmallVec;

use super::rules::{Perturbed, Side, StageRules};

/// The packets on one stage of a channel, and the restrictions that follow from their order so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Channel {
    pub(super) live: SmallVec<[Live; 4]>,
    pub(super) barriers: Vec<Barrier>,
}

/// A packet that may still arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Live {
    pub(super) packet: u32,
    /// How often it has arrived.
    pub(super) arrived: u8,
    pub(super) perturbed_on_send: Perturbed,
    pub(super) perturbed_on_receive: Perturbed,
    /// With a budget: the packet has not arrived, and the fault of skipping it was counted.
    charged: bool,
    /// The packet must arrive, has not been received, and the receiver's driver knows of it.
    pub(super) is_known: bool,
}

/// Definition 3 for one delivery: of the live packets below it, at most `quota` that are not late yet may
/// still arrive. `c` is that of the packet that was delivered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Barrier {
    /// How many live packets were dispatched before the packet that was delivered: a prefix of them.
    pub(super) below: usize,
    /// `c - 1` less the late packets so far, including those that are not live any more.
    pub(super) quota: usize,
    /// The live packets that are late already, as sorted positions: a further copy of theirs is free.
    late: SmallVec<[u32; 4]>,
}

/// One packet arrived at the other end of the stage.
pub(super) struct Arrival {
    pub(super) live: Live,
    pub(super) channel: Channel,
    pub(super) faults: u32,
    /// Positions are those in this stage.
    pub(super) events: SmallVec<[Event; 2]>,
    /// By position: whether the packet there is gone afterwards.
    pub(super) leaving: SmallVec<[bool; 8]>,
    pub(super) preference: u8,
}

impl Channel {
    /// The memory behind pointers, about, in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        self.live.len() * size_of::<Live>() + self.barriers.len() * size_of::<Barrier>()
    }

    pub(super) fn dispatch(&mut self, packet: u32, perturbed_on_send: Perturbed, perturbed_on_receive: Perturbed) {
        self.live.push(Live {
            packet,
            arrived: 0,
            perturbed_on_send,
            perturbed_on_receive,
            charged: false,
            is_known: false,
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.live.len()
    }

    pub(super) fn packets(&self) -> impl Iterator<Item = u32> {
        self.live.iter().map(|live| live.packet)
    }

    pub(super) fn renumbered(&self, number: impl Fn(u32) -> u32) -> Channel {
        let live = self.live.iter().map(|live| Live { packet: number(live.packet), ..*live });
        Channel { live: live.collect(), barriers: self.barriers.clone() }
    }

    /// The packet at position `at` arrives next; `None` if it may not.
    pub(super) fn deliver(&self, at: usize, rules: StageRules<'_>) -> Option<Arrival> {
        let before = self.live[at];
        let perturbed = before.perturbed(rules);
        if before.arrived >= rules.copies_max(perturbed) {
            return None;
        }
        if self.live[..at].iter().any(|earlier| !earlier.is_perturbed(rules)) {
            return None;
        }
        let mut channel = self.clone();
        let arriving = &mut channel.live[at];
        arriving.arrived += 1;
        (arriving.charged, arriving.is_known) = (false, false);
        for barrier in &mut channel.barriers {
            if !barrier.admit(at) {
                return None;
            }
        }
        channel.barriers.push(Barrier { below: at, quota: rules.window(perturbed) - 1, late: SmallVec::new() });
        if channel.barriers.iter().any(|barrier| channel.reserved(barrier, rules) > barrier.quota) {
            return None;
        }

        let skipped = |position: usize| {
            before.arrived == 0
                && position < at
                && self.live[position].arrived == 0
                && !self.known_skipped(position, rules)
        };
        if rules.budgeted {
            for position in (0..at).filter(|&position| skipped(position)) {
                channel.live[position].charged = true;
            }
        }
        let leaving = channel.normalize(rules);

        let mut events = SmallVec::new();
        events.push(Event::Arrived { position: as_position(at) });
        for (position, live) in self.live.iter().enumerate() {
            let lost = leaving[position] && live.arrived == 0 && position != at;
            let lost_unskipped = lost && position > at && !self.known_skipped(position, rules);
            let faults = u32::from(skipped(position) || lost_unskipped);
            if lost {
                events.push(Event::Lost { position: as_position(position), faults });
            } else if skipped(position) {
                events.push(Event::Overtook { position: as_position(position), faults });
            }
        }
        if before.arrived > 0 {
            events.push(Event::Duplicated { copy: before.arrived + 1, faults: copy_faults(before, rules) });
        }
        let preference = self.preference(at, rules);
        Some(Arrival { live: before, faults: cost(&events), events, leaving, preference, channel })
    }

    /// The packets from a position on are lost.
    pub(super) fn cut(&mut self, left: usize) {
        let leaving: SmallVec<[bool; 8]> = (0..self.len()).map(|position| position >= left).collect();
        self.leave(&leaving);
    }

    /// The receiver's driver is asked: it knows of what must arrive.
    pub(super) fn look_at(&mut self, rules: StageRules<'_>) {
        for live in &mut self.live {
            live.is_known |= live.arrived == 0 && live.must_arrive(rules);
        }
    }

    /// The packets that are lost if nothing arrives any more; `None` if some packet must still arrive.
    pub(super) fn lose_in_flight(&self, rules: StageRules<'_>) -> Option<SmallVec<[Event; 2]>> {
        if self.first_that_must_arrive(rules).is_some() {
            return None;
        }
        let lost = (0..).zip(&self.live).filter(|(_, live)| live.arrived == 0);
        Some(lost.map(|(position, live)| Event::Lost { position, faults: u32::from(!live.charged) }).collect())
    }

    /// The position of the first packet whose count is not in `M`. It can be delivered (invariant 1).
    pub(super) fn first_that_must_arrive(&self, rules: StageRules<'_>) -> Option<usize> {
        self.live.iter().position(|live| live.must_arrive(rules))
    }

    /// Whether a packet that is dispatched from now on must arrive after some packet that is here now.
    pub(super) fn blocks_later(&self, rules: StageRules<'_>) -> bool {
        self.live.iter().any(|live| !live.is_perturbed(rules))
            || self.live.iter().filter(|live| live.must_arrive(rules)).count() >= rules.window_max()
    }

    /// How many packets below the barrier must arrive and are not late yet.
    fn reserved(&self, barrier: &Barrier, rules: StageRules<'_>) -> usize {
        (0..barrier.below)
            .filter(|&position| self.live[position].must_arrive(rules) && !barrier.is_late(position))
            .count()
    }

    /// Whether the state shows that a later packet arrived before this one. With a budget this is exact; without, the
    /// state forgets it when no barrier needs it, so that more states are equal.
    fn known_skipped(&self, position: usize, rules: StageRules<'_>) -> bool {
        if rules.budgeted {
            self.live[position].charged
        } else {
            self.barriers.iter().any(|barrier| barrier.below > position)
        }
    }

    fn preference(&self, at: usize, rules: StageRules<'_>) -> u8 {
        let arriving = self.live[at];
        let perturbed = arriving.perturbed(rules);
        let is_skipped = |earlier: &&Live| earlier.arrived == 0 && rules.allows(earlier.perturbed(rules), 0);
        match self.live[..at].iter().find(is_skipped) {
            Some(earlier) if arriving.arrived == 0 => rules.preference(earlier.perturbed(rules), 0),
            _ => rules.preference(perturbed, rules.next_allowed(perturbed, arriving.arrived + 1)),
        }
    }

    /// The packets that may arrive again, and need not, leave: without more faults they do not arrive. Returns for each
    /// position whether the packet there left.
    pub(super) fn forgo_copies(&mut self, rules: StageRules<'_>) -> SmallVec<[bool; 8]> {
        let leaving: SmallVec<[bool; 8]> =
            self.live.iter().map(|live| live.arrived > 0 && !live.must_arrive(rules)).collect();
        self.leave(&leaving);
        leaving
    }

    /// Brings the state into its normal form (invariants 2 and 4). Returns for each position whether the
    /// packet there left.
    fn normalize(&mut self, rules: StageRules<'_>) -> SmallVec<[bool; 8]> {
        let free: SmallVec<[usize; 4]> =
            self.barriers.iter().map(|barrier| barrier.quota - self.reserved(barrier, rules)).collect();
        let leaving: SmallVec<[bool; 8]> =
            self.live
                .iter()
                .enumerate()
                .map(|(position, live)| {
                    let finished = live.arrived >= rules.copies_max(live.perturbed(rules));
                    let shut_out = || {
                        !live.must_arrive(rules)
                            && self.barriers.iter().zip(&free).any(|(barrier, &free)| {
                                free == 0 && barrier.below > position && !barrier.is_late(position)
                            })
                    };
                    finished || shut_out()
                })
                .collect();
        self.leave(&leaving);
        leaving
    }

    /// Removes packets, and the barriers that are redundant without them.
    fn leave(&mut self, leaving: &[bool]) {
        self.remove(leaving);
        self.barriers.retain(|barrier| barrier.quota < barrier.below - barrier.late.len());
        let mut index = 0;
        while index < self.barriers.len() {
            let barrier = &self.barriers[index];
            let others = self.barriers.iter().enumerate();
            if others.clone().any(|(other, implying)| other != index && implying.implies(barrier)) {
                self.barriers.remove(index);
            } else {
                index += 1;
            }
        }
        self.barriers.sort_unstable();
    }

    fn remove(&mut self, leaving: &[bool]) {
        if !leaving.contains(&true) {
            return;
        }
        let staying_before = |position: usize| leaving[..position].iter().filter(|&&left| !left).count();
        for barrier in &mut self.barriers {
            barrier.below = staying_before(barrier.below);
            barrier.late.retain(|position| !leaving[*position as usize]);
            for position in &mut barrier.late {
                *position = as_position(staying_before(*position as usize));
            }
        }
        let mut left = leaving.iter();
        self.live.retain(|_| !left.next().expect("one flag for each packet"));
    }
}

impl Live {
    pub(super) fn perturbed(&self, rules: StageRules<'_>) -> Perturbed {
        match rules.side {
            Side::Send => self.perturbed_on_send,
            Side::Receive => self.perturbed_on_receive,
        }
    }

    pub(super) fn is_perturbed(&self, rules: StageRules<'_>) -> bool {
        self.perturbed(rules) != Perturbed::No
    }

    /// Whether a region says how the packet is perturbed, on either side.
    pub(super) fn is_of_region(&self) -> bool {
        [self.perturbed_on_send, self.perturbed_on_receive]
            .iter()
            .any(|perturbed| matches!(perturbed, Perturbed::InRegion(_)))
    }

    pub(super) fn must_arrive(&self, rules: StageRules<'_>) -> bool {
        !rules.allows(self.perturbed(rules), self.arrived)
    }
}

impl Barrier {
    pub(super) fn is_late(&self, position: usize) -> bool {
        self.late.contains(&as_position(position))
    }

    /// Counts the packet at `position`, which arrives, if it is late for the first time; false if it may not arrive.
    fn admit(&mut self, position: usize) -> bool {
        if position >= self.below {
            return true;
        }
        let Err(slot) = self.late.binary_search(&as_position(position)) else {
            return true;
        };
        if self.quota == 0 {
            return false;
        }
        self.quota -= 1;
        self.late.insert(slot, as_position(position));
        true
    }

    /// Whatever this barrier admits, `other` admits too. Of the packets that arrive below `other`, those not
    /// late for it are either not late here (at most `quota`) or late here only.
    fn implies(&self, other: &Barrier) -> bool {
        let late_here_only = self
            .late
            .iter()
            .filter(|&&position| (position as usize) < other.below && !other.late.contains(&position))
            .count();
        other.below <= self.below && self.quota + late_here_only <= other.quota
    }
}

/// The faults of an arrival after the first. With a budget, those of the copies that must follow are counted along
/// with it, so that running out of budget never leaves a packet with a count that is not in `M`.
fn copy_faults(before: Live, rules: StageRules<'_>) -> u32 {
    if rules.budgeted {
        let perturbed = before.perturbed(rules);
        let counted = |arrived| u32::from(rules.next_allowed(perturbed, arrived).max(1));
        counted(before.arrived + 1) - counted(before.arrived)
    } else {
        1
    }
}

fn as_position(index: usize) -> u32 {
    u32::try_from(index).expect("fewer packets than 2^32")
}
