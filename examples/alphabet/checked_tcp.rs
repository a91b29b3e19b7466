//! The program over TCP, on netcheck.

pub use netcheck as tokio;

/// As in `checked.rs`.
macro_rules! isolated {
    ($($function:tt)*) => { #[netcheck::process] $($function)* };
}

#[path = "program_tcp.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use super::checked::Sessions;
use netcheck::Network;

/// Registers the processes.
pub fn register(sessions: Sessions, net: &mut Network) {
    let Sessions { connections, requests, asserting } = sessions;
    for connection in 1..=connections {
        let server = format!("server-{connection}");
        net.daemon(&server, || program::server("0.0.0.0:4000".to_owned()));
        let address = format!("{server}:4000");
        net.process(format!("client-{connection}"), move || program::client(address.clone(), requests, asserting))
            .after(server);
    }
}
