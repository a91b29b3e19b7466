//! Objects that tasks share, as tokio has them.

pub(crate) use netcheck::sync;

#[path = "shared.rs"]
pub(crate) mod shared;
