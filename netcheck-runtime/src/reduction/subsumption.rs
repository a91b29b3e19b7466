//! States that add nothing to a visited one: subsumption on channels with loss.
//!
//! A state *covers* another if they differ only in channels that may lose packets and keep the
//! order, and each such channel of the first holds all that the second's holds, in the same
//! order, and besides only packets that may stay away (`Link::covers`). Then whatever the
//! second can do the first can do, and lands in a state that covers the second's:
//!
//! - what is delivered in the second is delivered in the first, which loses what is before it;
//! - a timer fires in the second when nothing arrives any more; in the first, what is under way
//!   to who waits is lost first, which is a step of its own;
//! - every other step is the same, and appends the same packets.
//!
//! So a panic, a violated property, a deadlock or an output that lies behind the second lies
//! behind the first, no more steps away, if the loss of what is under way is not counted. That
//! is why a covered state need not be explored, unless it was reached by just that loss: else
//! the step that the argument needs would be cut off by the state that it starts from.
//!
//! It says nothing, and nothing is pruned, where packets must arrive, may overtake each other,
//! are perturbed on both sides, or are counted (`at_most`). What is peeked at is told apart.

use crate::state::enabled::{Step, Transition};
use crate::state::place::{Place, PlaceId, StateVector};
use crate::state::store::StateId;
use crate::state::system::System;
use ahash::AHashMap;
use smallvec::SmallVec;

/// The visited states, by all that is not in channels which may cover each other.
#[derive(Default)]
pub(crate) struct Subsumption {
    by_rest: AHashMap<StateVector, Vec<(Links, StateId)>>,
    /// The places of the channels, as far as places were looked at.
    channels: Vec<PlaceId>,
    looked_at: usize,
    rest: StateVector,
}

/// What is in the channels, in the order of their places.
type Links = SmallVec<[u32; 4]>;

impl Subsumption {
    /// The visited state that covers `state`, which `transition` leads to.
    pub(crate) fn cover(&mut self, system: &System, transition: &Transition, state: &[u32]) -> Option<StateId> {
        if transition.step == Step::Settle {
            return None;
        }
        let links = self.split(system, state);
        let visited = self.by_rest.get(&self.rest)?;
        let covers = |covering: &Links| {
            self.channels.iter().enumerate().all(|(index, &place)| {
                let (more, less) = (covering.get(index).copied().unwrap_or(0), links[index]);
                more == less || system.covers(place, more, less)
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
        for (id, place) in system.places.iter().skip(self.looked_at) {
            if matches!(place, Place::Channel { .. }) && system.can_cover(id) {
                self.channels.push(id);
            }
            self.looked_at += 1;
        }
        self.rest.clear();
        self.rest.extend_from_slice(state);
        let links = self.channels.iter().map(|&place| place.of(state)).collect();
        for &PlaceId(place) in &self.channels {
            if let Some(value) = self.rest.get_mut(place as usize) {
                *value = 0;
            }
        }
        while self.rest.last() == Some(&0) {
            self.rest.pop();
        }
        links
    }
}
