//! The program on netcheck.

pub use netcheck as tokio;

/// A worker shares no memory with its server: it is explored as a unit of its own. (An
/// application crate writes `#[cfg_attr(test, netcheck::process)]`; here one program holds
/// both builds, so the attribute comes by macro.)
macro_rules! isolated {
    ($($function:tt)*) => { #[netcheck::process] $($function)* };
}

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use netcheck::Network;
use netcheck::check::{Checker, Propagation, Report, Tcp};
use program::Version;

/// As many as in the paper.
const CLIENTS: usize = 2;

/// Lines that each client sends.
const LINES: usize = 3;

/// Registers the processes.
pub fn register(net: &mut Network, version: Version) {
    net.process("server", || program::server("0.0.0.0:4000".to_owned(), CLIENTS));
    for number in 1..=CLIENTS {
        let client = move || program::client("server:4000".to_owned(), LINES, version);
        net.process(format!("client-{number}"), client).after("server");
    }
}

pub fn check(version: Version, tcp: Tcp) -> Report {
    Checker::new().tcp(tcp).check(|net| register(net, version))
}

pub fn propagation(version: Version, tcp: Tcp) -> Propagation {
    Checker::new().tcp(tcp).propagation(|net| register(net, version))
}
