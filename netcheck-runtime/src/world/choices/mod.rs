//! Choices that a program asks for itself, and claims that it makes (`sometimes!`).

pub(crate) mod depends;
pub(crate) mod effects;
pub(crate) mod offers;
pub mod operation;
pub(crate) mod prepare;
pub(crate) mod prepared;
pub(crate) mod renaming;

pub use operation::{Effect, Operation};
pub(crate) use prepared::Prepared;
