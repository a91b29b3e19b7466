//! Objects that tasks share, tracked.

pub(crate) use netcheck::tracked::sync;

#[path = "shared.rs"]
pub(crate) mod shared;
