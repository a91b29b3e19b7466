//! The program on netcheck.

pub use netcheck::tracked::{self as tokio, std};

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use netcheck::Network;
use netcheck::check::{Checker, Report, Tasks, Tcp};
use program::Version;

/// The programs that are checked.
#[derive(Clone, Copy, Debug)]
pub struct Chat {
    pub clients: usize,
    /// Clients that are served at the same time.
    pub at_once: usize,
    pub version: Version,
}

impl Chat {
    /// As in most of the paper: two clients, served at the same time.
    pub fn of_two(version: Version) -> Self {
        Chat { clients: 2, at_once: 2, version }
    }

    /// Registers the processes.
    pub fn register(self, net: &mut Network) {
        let Chat { clients, at_once, version } = self;
        net.process("server", move || program::server("0.0.0.0:4000".to_owned(), clients, at_once, version));
        for number in 1..=clients {
            let client = move || program::client("server:4000".to_owned(), number.to_string());
            net.process(format!("client-{number}"), client).after("server");
        }
    }

    pub fn check(self, tcp: Tcp) -> Report {
        Chat::checker().tcp(tcp).check(|net| self.register(net))
    }

    /// The workers share what they share by types that record it, so the order of steps that
    /// do not meet there is not told apart.
    pub fn checker() -> Checker {
        Checker::new().tasks(Tasks::Tracked)
    }
}
