//! The client on netcheck, and a real Redis as its peer.

pub use netcheck as tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
#[allow(dead_code, reason = "each of both uses what the other need not")]
pub mod program;

use netcheck::check::{Checker, Error, Report, Tcp};
use netcheck::{External, Network};
use program::{Lines, Version};
use std::path::Path;
use std::time::Duration;

/// A real Redis, whose answers are kept in a file.
pub fn redis(answers: &Path) -> External {
    External::command("redis-server")
        .args(["--port", "{port}", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .settle(Duration::from_millis(20))
        .cache(answers)
}

/// Reads and writes fail, and connections are reset.
pub fn failures() -> Tcp {
    Tcp::new().fail_read().fail_write().reset()
}

/// Checks that a visitor counts once, whatever fails.
pub fn check_visit(redis: External, version: Version, tcp: Tcp) -> Result<Report, Error> {
    Checker::new().tcp(tcp).at_most(1).try_check(|net: &mut Network| {
        net.external("redis:6379", redis.clone());
        net.process("client", move || async move {
            let visits = program::visit("redis:6379", "a", version).await;
            assert_eq!(visits.unwrap_or(1), 1, "one visitor counts once");
        });
    })
}

/// Checks that a server that is there says so, or an error is seen.
pub fn check_ping(redis: External, lines: Lines, tcp: Tcp) -> Result<Report, Error> {
    Checker::new().tcp(tcp).at_most(1).try_check(|net: &mut Network| {
        net.external("redis:6379", redis.clone());
        net.process("client", move || async move {
            let is_there = program::ping("redis:6379", lines).await;
            assert!(is_there.unwrap_or(true), "the server is there");
        });
    })
}

/// Checks that a value that was kept is read, or an error is seen.
pub fn check_keep(redis: External, tcp: Tcp) -> Result<Report, Error> {
    Checker::new().tcp(tcp).at_most(1).try_check(|net: &mut Network| {
        net.external("redis:6379", redis.clone());
        net.process("client", || async {
            let kept = program::keep("redis:6379", "k", "v").await;
            assert!(kept.unwrap_or(true), "what was kept is there");
        });
    })
}
