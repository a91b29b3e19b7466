//! The mailboxes of Unix domain sockets: their datagrams, which nothing perturbs. All of a host are one component: a
//! send, a connect and a close concern two of them.

pub(crate) mod depends;
pub(crate) mod effects;
pub(crate) mod offers;
pub mod operation;
pub(crate) mod prepare;
pub mod prepared;
pub(in crate::world) mod readiness;
pub(crate) mod renaming;

pub use operation::Operation;
pub use prepared::Prepared;
