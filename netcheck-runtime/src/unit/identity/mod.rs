//! Identities of local states: when two histories lead to the same one. Equal histories always do; `unit::automaton`
//! keeps the history.
//!
//! - [`causality`]: histories up to the order of independent steps, for tracked tasks;
//! - [`checkpoint`]: the values and operations that remain of a history at a loop head, for captured loops;
//! - [`memory`]: the futures of a unit and the heap that they reach.

pub(crate) mod causality;
pub(crate) mod checkpoint;
pub mod memory;
