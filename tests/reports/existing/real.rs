//! The tests, compiled against tokio.

pub(crate) use ::tokio;

#[path = "bugs.rs"]
pub(crate) mod bugs;
#[path = "ordinary.rs"]
mod ordinary;
