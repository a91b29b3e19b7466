//! Real processes as peers of programs under check.
#![allow(clippy::disallowed_methods, reason = "processes that others have started end when they like")]

#[path = "external/answers.rs"]
mod answers;
#[path = "external/bad_peers.rs"]
mod bad_peers;
#[path = "external/cache.rs"]
mod cache;
#[path = "external/datagrams.rs"]
mod datagrams;
#[path = "external/killed.rs"]
mod killed;

use netcheck::External;
use std::time::Duration;

/// The peer of these tests, which behaves in one way or another.
fn peer(behaviour: &str) -> External {
    External::command(env!("CARGO_BIN_EXE_peer")).args([behaviour, "{port}"]).settle(Duration::from_millis(30))
}

/// A folder for a file of answers, that no other test has.
fn fresh_folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}
