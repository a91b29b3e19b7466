//! The program on netcheck.

pub use netcheck as tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use netcheck::Network;
use netcheck::check::{Checker, Direction, Udp};
use program::Version;

/// How often in a row the client asks again. It matters only where packets can be lost.
const RETRIES: usize = 1;

/// Registers the processes.
pub fn register(net: &mut Network, version: Version) {
    net.daemon("server", || program::server("0.0.0.0:4000".to_owned()));
    net.daemon("sizes", || program::size_server("0.0.0.0:4001".to_owned()));
    let client = move || program::client("server:4000".to_owned(), "sizes:4001".to_owned(), version, RETRIES);
    net.process("client", client).after("server").after("sizes");
}

/// Perturbs the packets that the server sends: each arrives as often as one of `copies` says
/// (the paper's M), and the network holds `window` of them (c).
pub fn checker(copies: &[usize], window: usize) -> Checker {
    let udp = Udp::new().copies(copies.iter().copied()).window(window);
    Checker::new().udp(udp.direction(Direction::Send).process("server"))
}
