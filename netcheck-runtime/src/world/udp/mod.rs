//! UDP: sockets, and the datagrams in flight between them.

mod astray;
pub(crate) mod classes;
mod copies;
pub(crate) mod depends;
mod drawn;
pub(crate) mod effects;
mod flight;
mod groups;
pub(crate) mod offers;
pub mod operation;
pub(crate) mod prepare;
pub mod prepared;
pub(in crate::world) mod readiness;
pub(crate) mod renaming;

pub use operation::Operation;
pub use prepared::Prepared;
