//! Exploring less, finding the same: stubborn sets over learned automata.
//!
//! - [`footprint`]: which components a unit's present and future steps touch, read off its
//!   automaton as far as it is known;
//! - [`clocks`]: which movers share a clock, and which daemons are finished;
//! - [`groups`]: processes that never meet; [`apart`]: these in dense time, one group after the other, and [`last`] those of
//!   them that go round for ever; [`sets`]: disjoint sets, of which groups and clocks are made;
//! - [`survey`]: the movers of a state ([`live`]), their connected components and clocks;
//! - [`stubborn`]: which movers have to be explored in a state, by the [`dependence`] of each on the others;
//! - [`proviso`]: cycles that would put off the steps of a mover for ever; [`cycles`]: those that were found;
//! - [`subsumption`]: states that add nothing to a visited one;
//! - [`symmetry`]: states that differ only by a permutation of like processes;
//! - [`successors`]: the steps of a state that are explored for it.
//!
//! Automata are learned while they are explored, so a footprint may grow after a choice relied on it.
//! [`footprint::Footprints::grew`] says so, and the search runs again with what is known by then, until a whole run has
//! relied on no footprint that grew. Without this fixpoint the first state would believe that no response can ever
//! come.
//!
//! With captured loops the graph of global states has cycles: [`proviso`] sees to it that no
//! step is put off for ever.

mod apart;
pub(crate) mod bits;
mod clocks;
mod cycles;
mod dependence;
pub mod footprint;
mod groups;
pub mod last;
mod live;
pub mod proviso;
mod row;
mod sets;
pub mod stubborn;
pub(crate) mod subsumption;
pub mod successors;
mod survey;
pub mod symmetry;
