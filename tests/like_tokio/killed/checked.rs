//! The programs, compiled against netcheck.

pub(crate) use netcheck as tokio;

#[path = "program.rs"]
pub(crate) mod program;
