//! Global states: vectors of interned ids, and the steps between them.
//!
//! - [`intern`], [`place`]: what the numbers of a state vector stand for;
//! - [`system`]: the automata, the components and the declared faults of one check;
//! - [`enabled`]: which steps a state offers; [`apply`]: the state that a step leads to;
//! - [`store`]: the visited states.
//!
//! Invariants: a state vector says everything about the future; equal futures of a
//! component are equal ids; nothing here polls user code but through `unit::learn`.

pub(crate) mod apply;
pub(crate) mod enabled;
pub(crate) mod intern;
pub(crate) mod place;
pub(crate) mod store;
pub(crate) mod system;
pub(crate) mod tcp;
