//! The program on netcheck.

pub use netcheck as tokio;

/// Server, producer and consumer share no memory, only sockets: each is explored as a unit of its own, and what its
/// loop goes round with is all that counts of its past. (An application crate writes
/// `#[cfg_attr(test, netcheck::process)]`; here one program holds both builds, so the attribute comes by macro.)
macro_rules! isolated {
    ($($function:tt)*) => { #[netcheck::process] $($function)* };
}

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use netcheck::Network;

/// The programs that are checked.
#[derive(Clone, Copy, Debug)]
pub struct Sessions {
    /// Pairs of a client and its own server.
    pub connections: u16,
    /// Digits that each client sends.
    pub requests: u8,
    /// Whether the consumers assert that the responses are right.
    pub asserting: bool,
}

impl Sessions {
    /// Registers the processes.
    pub fn register(self, net: &mut Network) {
        let Sessions { connections, requests, asserting } = self;
        for connection in 1..=connections {
            let server = format!("server-{connection}");
            net.daemon(&server, || program::server("0.0.0.0:4000".to_owned()));
            let address = format!("{server}:4000");
            net.process(format!("client-{connection}"), move || program::client(address.clone(), requests, asserting))
                .after(server);
        }
    }
}
