//! Global states: vectors of interned ids, and the steps between them.
//!
//! - [`intern`], [`place`]: what the numbers of a state vector stand for;
//! - [`declared`]: what is declared for one check; [`menu`]: what the search has to know of an operation;
//! - [`tables`]: all that vectors refer to, to be looked up; [`system`]: the one who fills them;
//! - [`enabled`]: which steps a state offers; [`events`]: what happens with them; [`apply`]: the state that a step leads to;
//! - [`renaming`]: what becomes of all that when processes are exchanged;
//! - [`store`]: the visited states.
//!
//! Invariants: a state vector says everything about the future; equal futures of a
//! component are equal ids; nothing here polls user code but through `unit::learn`.

pub(crate) mod apply;
mod astray;
pub(crate) mod declared;
pub(crate) mod enabled;
pub(crate) mod ephemeral;
pub(crate) mod events;
pub(crate) mod intern;
pub(crate) mod menu;
pub(crate) mod place;
pub(crate) mod renaming;
pub(crate) mod store;
pub(crate) mod system;
pub(crate) mod tables;
pub(crate) mod tcp;
