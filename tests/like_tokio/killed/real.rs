//! The programs, compiled against tokio.

pub(crate) use ::tokio;

#[path = "program.rs"]
pub(crate) mod program;
