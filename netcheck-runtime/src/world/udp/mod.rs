//! UDP: sockets, and the datagrams in flight between them.

mod astray;
mod copies;
pub(crate) mod depends;
mod drawn;
pub(crate) mod effects;
mod flight;
pub(crate) mod offers;
pub(crate) mod operation;
pub(crate) mod prepare;
pub(crate) mod prepared;
pub(crate) mod renaming;

pub(crate) use operation::Operation;
pub(crate) use prepared::Prepared;
