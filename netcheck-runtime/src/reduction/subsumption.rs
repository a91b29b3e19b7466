//! States that add nothing to a visited one: subsumption on channels with loss.
//!
//! A state *covers* another if they differ only in channels that may lose packets, and each such
//! channel of the first covers that of the second (`Link::covers`): it holds all that the
//! second's holds, in an order that allows as much, and besides only packets that may stay away.
//! Then whatever the second can do the first can do, and lands in a state that covers the
//! second's:
//!
//! - what is delivered in the second is delivered in the first, which loses what is before it, or
//!   has it arrive later, or never;
//! - a timer fires in the second when nothing arrives any more; in the first, what is under way
//!   to who waits is lost first, which is a step of its own (with `delay` it fires in both at any
//!   time);
//! - every other step is the same, and appends the same packets. None sees that a channel is
//!   empty: who does not wait may find nothing there at any time.
//!
//! When nothing arrives any more has to be looked at, as deadlocks depend on it, too. In the
//! second there is nothing under way to who waits then: as long as there is something, something
//! can arrive, whatever the order so far forbids (invariants 1 and 2 of `udp::channel`; but for
//! packets that never arrive at all, under `M = {0}`, which keep nothing from happening). So all
//! that is in these channels in the first may stay away, and losing all of it is possible; then
//! they are empty in both, whatever had arrived before what. Other channels stay as they are, and
//! cover each other as before. Likewise, if the second loses all that is under way, so can the
//! first, since nothing must arrive there that need not arrive in the second.
//!
//! So a panic, a violated property, a deadlock or an output that lies behind the second lies
//! behind the first, no more steps away, if the loss of what is under way is not counted. That
//! is why a covered state need not be explored, unless it was reached by just that loss: else
//! the step that the argument needs would be cut off by the state that it starts from. Two states
//! may cover each other; the steps that are left to go become fewer all the same.
//!
//! It says nothing, and nothing is pruned, where packets must arrive, are perturbed on both
//! sides, or are counted (`at_most`). What is peeked at is told apart. Nor is anything pruned from
//! when on a component is seen to go round for ever while others wait (`proviso`).

use crate::world::components::{Component, ComponentId, StateVector};
use crate::world::step::{Move, Transition};
use crate::world::store::StateId;
use crate::world::system::System;
use ahash::AHashMap;
use smallvec::SmallVec;

/// The visited states, by all that is not in channels which may cover each other.
#[derive(Default)]
pub(crate) struct Subsumption {
    by_rest: AHashMap<StateVector, Vec<(Links, StateId)>>,
    /// The places of the channels, as far as places were looked at.
    channels: Vec<ComponentId>,
    looked_at: usize,
    rest: StateVector,
}

/// What is in the channels, in the order of their places.
type Links = SmallVec<[u32; 4]>;

impl Subsumption {
    /// The visited state that covers `state`, which `transition` leads to.
    pub(crate) fn cover(&mut self, system: &System, transition: &Transition, state: &[u32]) -> Option<StateId> {
        if transition.step == Move::LoseInFlight {
            return None;
        }
        let links = self.split(system, state);
        let visited = self.by_rest.get(&self.rest)?;
        let covers = |covering: &Links| {
            self.channels.iter().enumerate().all(|(index, &component)| {
                let (more, less) = (covering.get(index).copied().unwrap_or(0), links[index]);
                more == less || system.covers(component, more, less)
            })
        };
        visited.iter().find(|(covering, _)| covers(covering)).map(|&(_, id)| id)
    }

    /// A state was visited.
    pub(crate) fn add(&mut self, system: &System, state: &[u32], id: StateId) {
        let links = self.split(system, state);
        self.by_rest.entry(self.rest.clone()).or_default().push((links, id));
    }

    /// Takes a state apart, into what is in the channels and the rest.
    fn split(&mut self, system: &System, state: &[u32]) -> Links {
        for (id, component) in system.components.iter().skip(self.looked_at) {
            if matches!(component, Component::Channel { .. }) && system.can_cover(id) {
                self.channels.push(id);
            }
            self.looked_at += 1;
        }
        self.rest.clear();
        self.rest.extend_from_slice(state);
        let links = self.channels.iter().map(|&component| component.of(state)).collect();
        for &ComponentId(component) in &self.channels {
            if let Some(value) = self.rest.get_mut(component as usize) {
                *value = 0;
            }
        }
        while self.rest.last() == Some(&0) {
            self.rest.pop();
        }
        links
    }
}
