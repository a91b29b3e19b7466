//! The files of hosts.
//!
//! The tree that a program sees is a part of its unit: calls are answered there, and offer no choice but whether they fail, where
//! that is declared. What a call changes is an effect. Where files can be lost, what is durable of them is a component of the state
//! ([`Storage`](netcheck_models::storage::Storage)): the program sees the pending operations applied to it, and what a power
//! failure leaves is among its images.

pub(crate) mod depends;
pub(crate) mod effects;
pub(crate) mod images;
mod left;
pub mod lost;
pub(crate) mod offers;
pub mod operation;
pub(crate) mod prepare;
pub(crate) mod prepared;
pub(crate) mod renaming;

pub use effects::storage;
pub use images::Unenumerated;
pub use operation::Operation;
pub(crate) use prepared::Prepared;
