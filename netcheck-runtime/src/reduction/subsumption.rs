//! States that add nothing to a visited one: subsumption on channels with loss.
//!
//! A state *covers* another if they differ only in channels that may lose packets, and each such channel of the first
//! covers that of the second (`Link::covers`): it holds all packets of the second's, in an order that allows as much,
//! and besides only packets that may stay away. Then each step of the second is possible in the first, and leads to a
//! state that covers the second's next one:
//!
//! - a packet that is delivered in the second is delivered in the first, where the packets before it are lost, or
//!   arrive later, or never;
//! - a timer fires in the second when nothing arrives any more; in the first, the packets under way to the waiting unit
//!   are lost first, which is a step of its own (with `delay` it fires in both at any time);
//! - every other step is the same, and appends the same packets. None depends on a channel being empty: a unit that
//!   does not wait may find nothing there at any time.
//!
//! The moment when nothing arrives any more needs a closer look, as deadlocks depend on it, too. In the second, no
//! packet is under way to a waiting unit then: as long as there are packets, one can arrive, whatever the order so far
//! forbids (invariants 1 and 2 of `udp::channel`; but for packets that never arrive at all, under `M = {0}`, which keep
//! nothing from happening). So all packets in these channels of the first may stay away, and losing all of them is
//! possible; then the channels are empty in both, in whatever order packets had arrived. Other channels stay as they
//! are, and cover each other as before. Likewise, if the second loses all packets under way, so can the first, since no
//! packet must arrive there that need not arrive in the second.
//!
//! So a panic, a violated property, a deadlock or an output that lies behind the second lies behind the first, no more
//! steps away, if the loss of packets in flight is not counted. That is why a covered state need not be explored,
//! unless it was reached by just that loss: else the step that the argument needs would be cut off by the state that it
//! starts from. Two states may cover each other; the steps that are left to go become fewer all the same.
//!
//! In dense time a state also covers another if its *zone* includes the other's, and all else is equal: each schedule of
//! the second is one of the first. Zones are compared in every check in dense time. A state that was reached by settling
//! whether a deadline is over is not covered either: the state before has all its schedules, and nothing else to do.
//!
//! Where each copy takes any time or never arrives (`delay` alone), the copies under way have no order, and a state covers
//! another also if it holds all copies of the other and more, since those may never arrive: that costs no fault, so it
//! is so in each such check, with a budget too.
//!
//! In dense time a state is also *superseded* by one that is met later and covers it: it is not expanded any more, if it has
//! not been. That cuts nothing off: the later state is open, and was not reached through the earlier one, which has no
//! successors yet. A state that a loss in flight or a settled deadline leads to, now or later, is not superseded, for the
//! same reason for which it is not covered.
//!
//! *Parts.* A state that covers another has all that lies behind it, and more. The more is real, since the first state can be
//! reached as well: for what is found in a state alone, that is enough. But the ends of a part are combined with those of
//! the parts beside it (`search/ends.rs`), and the covering state may be a part beside others: a datagram that it has
//! under way, and the covered one has not, was sent by a process that has gone another way there. So where ends are
//! combined, no part covers a part. States of the whole cover each other as ever: all that lies behind them lies behind
//! the first state. None of them covers a part, or the other way round, as a part has units that are elsewhere.
//!
//! The argument on channels says nothing, and no state is pruned by it, where packets must arrive, are perturbed on both sides, or are
//! counted (`at_most`). Peeked-at datagrams are told apart.

use crate::world::components::{Component, ComponentId, StateVector};
use crate::world::step::{Move, Transition};
use crate::world::store::StateId;
use crate::world::system::System;
use ahash::{AHashMap, AHashSet};
use smallvec::SmallVec;

/// States that are superseded one by the other, at the most, without a turn.
const CHAIN_MAX: u32 = 8;

/// The visited states, by their values outside of the zone and of the channels that may cover each other.
pub(crate) struct Subsumption {
    by_rest: AHashMap<StateVector, Vec<(u32, Links, StateId)>>,
    /// Whether channels are compared.
    has_channels: bool,
    /// Whether copies under way may all arrive at any time, or never.
    has_late_copies: bool,
    /// Whether the ends of parts are combined.
    combines: bool,
    /// The channels among the components that were looked at.
    channels: Vec<ComponentId>,
    looked_at: usize,
    rest: StateVector,
    superseded: Superseded,
}

/// The states that a later one covers, of a search in dense time.
#[derive(Default)]
struct Superseded {
    /// The states whose turn has not come, or that were expanded before.
    waiting: AHashSet<StateId>,
    /// The states whose turn has come, and that were not expanded.
    skipped: AHashSet<StateId>,
    /// States that need to be expanded, whatever covers them.
    needed: AHashSet<StateId>,
    /// For states whose turn has not come: how many have been superseded one by the other, up to this one.
    chains: AHashMap<StateId, u32>,
}

/// The values of the channels, in the order of their components.
type Links = SmallVec<[u32; 4]>;

impl Subsumption {
    /// Nothing has been visited. Zones are always compared, channels only if that is asked for; parts, unless their ends
    /// are combined.
    pub(crate) fn new(system: &System, has_channels: bool, combines: bool) -> Self {
        let (channels, rest, has_late_copies) = (Vec::new(), StateVector::new(), system.view().arrives_late());
        let (by_rest, superseded) = Default::default();
        Subsumption { by_rest, has_channels, has_late_copies, combines, channels, looked_at: 0, rest, superseded }
    }

    /// The visited state that covers `state`, which `transition` leads to.
    pub(crate) fn cover(&mut self, system: &System, transition: &Transition, state: &[u32]) -> Option<StateId> {
        if is_needed_after(transition) || self.stands_alone(system, state) {
            return None;
        }
        let (zone, links) = self.split(system, state);
        let visited = self.by_rest.get(&self.rest)?;
        visited.iter().find(|(by, more, _)| self.covers(system, (*by, more), (zone, &links))).map(|&(_, _, id)| id)
    }

    /// A state was visited, to which `transition` leads; returns the states that it supersedes.
    pub(crate) fn add(&mut self, system: &System, transition: &Transition, state: &[u32], id: StateId) -> Vec<StateId> {
        if self.stands_alone(system, state) {
            return Vec::new();
        }
        let mut all_superseded = Vec::new();
        let (zone, links) = self.split(system, state);
        let mut visited = self.by_rest.remove(&self.rest).unwrap_or_default();
        if system.zone.is_some() {
            let mut chain = 0;
            visited.retain(|(less_zone, less, earlier)| {
                let before = self.superseded.chains.get(earlier).copied().unwrap_or(0);
                let is_superseded = before < CHAIN_MAX
                    && !self.superseded.needed.contains(earlier)
                    && self.covers(system, (zone, &links), (*less_zone, less));
                if is_superseded {
                    self.superseded.chains.remove(earlier);
                    chain = chain.max(before + 1);
                    self.superseded.waiting.insert(*earlier);
                    all_superseded.push(*earlier);
                }
                !is_superseded
            });
            if chain > 0 {
                self.superseded.chains.insert(id, chain);
            }
            if is_needed_after(transition) {
                self.superseded.needed.insert(id);
            }
        }
        visited.push((zone, links, id));
        self.by_rest.insert(self.rest.clone(), visited);
        all_superseded
    }

    /// Whether a state whose turn has come need not be expanded.
    pub(crate) fn skips(&mut self, id: StateId) -> bool {
        let Superseded { waiting, skipped, chains, .. } = &mut self.superseded;
        chains.remove(&id);
        waiting.remove(&id) && skipped.insert(id)
    }

    /// A step leads to a state that was visited before. Whether its turn has to come again.
    pub(crate) fn needs(&mut self, system: &System, transition: &Transition, id: StateId) -> bool {
        let Superseded { waiting, skipped, needed, .. } = &mut self.superseded;
        if system.zone.is_none() || !is_needed_after(transition) {
            return false;
        }
        needed.insert(id);
        waiting.remove(&id);
        skipped.remove(&id)
    }

    /// Whether a state neither covers others nor is covered.
    fn stands_alone(&self, system: &System, state: &[u32]) -> bool {
        self.combines && system.view().is_part(state)
    }

    /// Whether a zone and channels cover others, where all else is equal.
    fn covers(&self, system: &System, (by, more): (u32, &Links), (zone, less): (u32, &Links)) -> bool {
        let covers = |(index, &component): (usize, &ComponentId)| {
            let of = |links: &Links| links.get(index).copied().unwrap_or(0);
            of(more) == of(less) || system.covers(component, of(more), of(less))
        };
        (by == zone || system.zone_covers(by, zone)) && self.channels.iter().enumerate().all(covers)
    }

    /// Splits a state into the zone, the values of the channels, and the rest.
    fn split(&mut self, system: &System, state: &[u32]) -> (u32, Links) {
        for (id, component) in system.components.iter().skip(self.looked_at) {
            let can_cover = match component {
                Component::Channel { .. } => self.has_channels && system.can_cover(id),
                Component::Astray { .. } => self.has_late_copies,
                _ => false,
            };
            if can_cover {
                self.channels.push(id);
            }
            self.looked_at += 1;
        }
        self.rest.clear();
        self.rest.extend_from_slice(state);
        let links = self.channels.iter().map(|&component| component.of(state)).collect();
        for &ComponentId(component) in self.channels.iter().chain(&system.zone) {
            if let Some(value) = self.rest.get_mut(component as usize) {
                *value = 0;
            }
        }
        while self.rest.last() == Some(&0) {
            self.rest.pop();
        }
        (system.zone.map_or(0, |zone| zone.of(state)), links)
    }
}

/// Whether what a step leads to has to be expanded although the state before covers it.
fn is_needed_after(transition: &Transition) -> bool {
    matches!(transition.step, Move::LoseInFlight | Move::Settle { .. })
}
