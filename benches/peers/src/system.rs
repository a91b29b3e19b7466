//! The systems that are compared.

use clap::Args;

/// Clients and servers of `examples/alphabet`, with the assertion off.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct System {
    /// Pairs of a client and its own server.
    pub connections: u16,
    /// Digits that each client sends.
    pub requests: u8,
    /// Requests and responses may get lost.
    #[arg(long)]
    pub loss: bool,
}

impl System {
    /// In the order of the table.
    pub fn all() -> impl Iterator<Item = System> {
        let reliable = [(1, 1), (1, 2), (1, 3), (2, 2), (3, 3)];
        let reliable = reliable.map(|(connections, requests)| System { connections, requests, loss: false });
        let sizes = (1..=3).flat_map(|connections| (1..=3).map(move |requests| (connections, requests)));
        let lossy = sizes.chain([(3, 6)]).map(|(connections, requests)| System { connections, requests, loss: true });
        reliable.into_iter().chain(lossy)
    }

    pub fn name(self) -> String {
        let System { connections, requests, loss } = self;
        format!("{connections} × {requests}{}", if loss { ", loss" } else { "" })
    }
}
