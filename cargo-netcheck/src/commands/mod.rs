//! The work of each command.

pub(crate) mod clean;
pub(crate) mod init;
pub(crate) mod keep;
pub(crate) mod list;
pub(crate) mod open;
pub(crate) mod replay;
pub(crate) mod swarm;
pub(crate) mod test;
pub(crate) mod why;
