//! The programs on tokio.

pub(crate) use ::tokio;

use crate::program::Shared;
use std::sync::atomic::{AtomicU64, Ordering};

#[path = "interpret.rs"]
pub(crate) mod interpret;

/// Differs from run to run.
static CHOICES: AtomicU64 = AtomicU64::new(0);

async fn choose(among: usize) -> u8 {
    let number = CHOICES.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
    ((number >> 32) % among as u64) as u8
}

async fn isolated(system: Shared, process: usize, routine: usize, argument: u8) -> u8 {
    interpret::output(system, process, routine, argument).await
}

/// There are no faults to be switched on.
async fn scope<F: Future>(future: F) -> F::Output {
    future.await
}

/// There are no faults to be set anew.
async fn with<F: Future>(_words: &str, future: F) -> F::Output {
    future.await
}
