//! The interpreter, compiled against netcheck.

pub(crate) use netcheck as tokio;

#[path = "interpret.rs"]
pub(crate) mod interpret;
