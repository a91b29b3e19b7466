//! The programs on netcheck.

pub(crate) use netcheck as tokio;
pub(crate) use netcheck::faults::{scope, with};

use crate::program::Shared;

#[path = "interpret.rs"]
pub(crate) mod interpret;

async fn choose(among: usize) -> u8 {
    netcheck::choose(0..among).await as u8
}

/// A task that shares no memory.
#[netcheck::process]
async fn isolated(system: Shared, process: usize, routine: usize, argument: u8) -> u8 {
    interpret::output(system, process, routine, argument).await
}
