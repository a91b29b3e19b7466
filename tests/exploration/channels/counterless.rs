//! The programs, compiled against channels that count nothing.

pub(crate) use netcheck::tracked as tokio;

#[path = "programs.rs"]
pub(crate) mod programs;
