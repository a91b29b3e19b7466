//! What tasks share, as tokio has it.

pub(crate) use netcheck::sync;

#[path = "shared.rs"]
pub(crate) mod shared;
