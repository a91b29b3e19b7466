//! The programs, compiled against tokio's own channels.

pub(crate) use netcheck as tokio;

#[path = "programs.rs"]
pub(crate) mod programs;
