//! The files of hosts.
//!
//! The tree that a program sees is a part of its unit: calls are answered there, and offer no choice. What a call changes is an
//! effect.

pub(crate) mod depends;
pub(crate) mod effects;
pub(crate) mod offers;
pub mod operation;
pub(crate) mod prepare;
pub(crate) mod prepared;
pub(crate) mod renaming;

pub(crate) use prepared::Prepared;
