//! Signals, shaped like `tokio::signal`. In a check nobody sends any.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

/// Waits for Ctrl-C, as `tokio::signal::ctrl_c`: in a check, nobody presses it.
///
/// So this is pending for ever, and of a `select!` the other branches are taken. A program
/// that waits for nothing else is deadlocked, unless it is a daemon. To check how it shuts
/// down, hand it the future that it shuts down on.
///
/// # Errors
/// None.
pub async fn ctrl_c() -> io::Result<()> {
    let mut kept = None;
    // Kept as a driver would keep it, so that a deadlock says what the task waits for.
    poll_fn(|context| {
        kept = Some(context.waker().clone());
        Poll::Pending
    })
    .await
}
