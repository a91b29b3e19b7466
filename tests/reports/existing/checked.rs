//! The tests, compiled against netcheck.

pub(crate) use netcheck as tokio;

#[path = "bugs.rs"]
pub(crate) mod bugs;
#[path = "ordinary.rs"]
mod ordinary;
