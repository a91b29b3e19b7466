//! The interpreter, compiled against tokio.

pub(crate) use ::tokio;

#[path = "interpret.rs"]
pub(crate) mod interpret;
