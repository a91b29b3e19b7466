//! Exploring less, finding the same: stubborn sets over learned automata.
//!
//! - [`footprint`]: which components a unit's present and future steps touch, read off its
//!   automaton as far as it is known; [`present`]: what of that depends on a state;
//! - [`clocks`]: which movers share a clock, and which daemons are finished; [`failures`]: calls that fail at the instants of
//!   others' timers;
//! - [`parts`]: units that never meet again, each of which is explored by itself (rule 1); [`groups`]: processes that
//!   never meet from their beginning on; [`sets`]: disjoint sets, of which these and clocks are made;
//! - [`survey`]: the movers of a state ([`live`]), their connected components and clocks;
//! - [`stubborn`]: which movers have to be explored in a state, by the [`dependence`] of each on the others (rule 2);
//! - [`rounds`]: what a round of the search relies on;
//! - [`repeats`]: steps that may be taken again, for the proviso (rule 3, in
//!   `search/proviso.rs`);
//! - [`subsumption`]: states that add nothing to a visited one;
//! - [`symmetry`]: states that differ only by a permutation of like processes;
//! - [`bisimulation`]: states that no receiver can tell apart;
//! - [`helpless`]: processes that wait for ever while others go on;
//! - [`unread`]: datagrams that nobody will receive;
//! - [`successors`]: the steps of a state that are explored for it.
//!
//! Automata are learned while they are explored, so a footprint may grow after a choice relied on it.
//! [`footprint::Footprints::grew`] says so, and the search runs again with what is known by then, until a whole run has
//! relied on no footprint that grew. Without this fixpoint the first state would believe that no response can ever
//! come.
//!
//! With `reduction = false` footprints say only which movers share a clock.

pub(crate) mod bisimulation;
pub(crate) mod bits;
mod clocks;
mod dependence;
pub(crate) mod failures;
pub mod footprint;
mod groups;
mod helpless;
mod live;
pub(crate) mod parts;
mod present;
pub(crate) mod repeats;
mod rounds;
mod row;
mod sets;
pub mod stubborn;
pub(crate) mod subsumption;
pub mod successors;
mod survey;
pub mod symmetry;
pub mod unread;
