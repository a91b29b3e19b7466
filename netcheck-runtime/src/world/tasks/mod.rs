//! Tasks of a unit, and isolated tasks: units of their own that end by themselves, with their process, or by an abort.

pub(crate) mod crash;
pub(crate) mod depends;
pub(crate) mod effects;
pub(crate) mod offers;
pub mod operation;
mod power;
pub(crate) mod prepare;
pub(crate) mod prepared;
pub(crate) mod renaming;

pub use operation::{Effect, Operation};
pub(crate) use prepared::Prepared;
