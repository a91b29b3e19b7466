//! The trace of a sniffer: an observer that misses packets, and hears packets that the device under test (DUT) does not.
//!
//! A *mutation* of the sniffer's trace (Definition 4) adds packets that the sniffer missed, and drops packets to the DUT
//! that only the sniffer heard; the DUT's own trace is one of them. [`Sniffer::validate`] answers whether the monitor
//! accepts some mutation. It runs the augmented automaton (Definition 5): besides the rules (type 0), *empty* ones that
//! guess a missed packet (type 1), and *self* transitions that drop a packet to the DUT (type 2).
//!
//! - `moves.rs`: the transitions of the augmented automaton;
//! - `zone.rs`: readings of clocks, as a missed packet has no known instant;
//! - `exact.rs`: all configurations along the trace, those with the fewest guesses first;
//! - `backtrack.rs`: Algorithm 2 of the paper with its heuristics;
//! - `ahead.rs`: the fewest guesses ahead of a configuration, by which Algorithm 2 orders its extensions;
//! - `step.rs`: transitions, as the searches keep them;
//! - `mutation.rs`: the mutation that a search has found, with instants.

mod ahead;
mod backtrack;
mod declared;
mod exact;
mod moves;
mod mutation;
mod step;
mod validate;
mod zone;

pub use declared::{Extra, Search, Sniffer, Unclear};
pub use mutation::{Mutation, Part};
pub use step::Guess;
pub use validate::{Explained, Verdict};
