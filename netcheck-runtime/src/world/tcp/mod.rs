//! TCP: bound sockets, listeners with their backlogs, and connections; also those of Unix domain sockets, in `unix`.

pub mod connections;
pub(crate) mod depends;
pub(crate) mod effects;
mod ends;
pub mod failures;
pub(crate) mod offers;
mod opening;
pub mod operation;
pub(crate) mod prepare;
pub(crate) mod prepared;
pub(in crate::world) mod readiness;
mod release;
pub(crate) mod renaming;
mod retries;
pub mod rules;
mod segments;
mod unix;
mod unseen;

pub use operation::Operation;
pub use prepared::Prepared;
