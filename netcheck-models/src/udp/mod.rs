//! Datagrams from one sending socket to one receiving socket.
//!
//! The paper fixes a *dispatch* `(p1, …, pn)` (Definition 2) and describes the set `D(p1..pn, M, c)` of the
//! packet sequences that the receiver may get (Definition 5): each packet arrives a number of times that is
//! in the *multiplication choices* `M` (Definition 4), and after an arrival of a packet at most `c - 1` packets
//! dispatched before it still arrive, because the network holds at most `c` (Definition 3).
//!
//! This module produces exactly these sequences, one delivery at a time, for dispatches of unknown length. It *chooses
//! late*: [`Link::dispatch`] only appends, and loss, duplication and reordering are decided when the receiver asks, by
//! [`Link::deliveries`], or when the network falls silent, by [`Link::lose_in_flight`]. Two promises hold in every
//! reachable state:
//!
//! - *exact*: the delivered sequences over all interleavings are those of Definition 5, none missing, none
//!   extra;
//! - *no dead ends*: whatever has been delivered so far can be completed to one of them.
//!
//! The parts: `rules` (the possible perturbations: [`Perturbation`], [`LinkRules`]), `channel` (one stage of
//! perturbation, the definitions as a transition function), `covering` (channels whose deliveries another channel can
//! make as well) and `link` (the state of a channel from end to end, of one stage or two).

mod channel;
mod covering;
mod link;
mod rules;

pub use link::{Delivery, Link, LostInFlight, WithoutFaults};
pub use rules::{LinkRules, Perturbation, Perturbed};
