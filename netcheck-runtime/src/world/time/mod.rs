//! Timers of a unit, and the clock that all units share.

pub(crate) mod dense;
pub(crate) mod depends;
mod due;
pub(crate) mod effects;
pub(crate) mod horizon;
pub mod instants;
mod marks;
pub(in crate::world) mod names;
pub(crate) mod offers;
pub mod operation;
pub(in crate::world) mod own;
pub(crate) mod prepare;
pub(crate) mod prepared;
pub(in crate::world) mod readiness;
pub(crate) mod renaming;

pub use operation::{Effect, Operation};
pub(crate) use prepared::Prepared;
