//! TCP: bound sockets, listeners with their backlogs, and connections.

pub(crate) mod connections;
pub(crate) mod depends;
pub(crate) mod effects;
mod ends;
pub(crate) mod offers;
mod opening;
pub(crate) mod operation;
pub(crate) mod prepare;
pub(crate) mod prepared;
mod release;
pub(crate) mod renaming;
pub(crate) mod rules;
mod segments;

pub(crate) use operation::Operation;
pub(crate) use prepared::Prepared;
