//! Servers that others have written, as peers of programs under check: where they are installed.

#[path = "installed/redis.rs"]
mod redis;
#[path = "installed/tftp.rs"]
mod tftp;

use netcheck::External;

/// The peer, if this machine has its program; else the test says so and has nothing to check.
fn if_installed(peer: External) -> Option<External> {
    if !peer.is_installed() {
        eprintln!("skipped: not installed: {peer:?}");
        return None;
    }
    Some(peer)
}
