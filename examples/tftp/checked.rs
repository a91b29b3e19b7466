//! The programs on netcheck: a transfer of a small file, under every delay of every packet.

pub use netcheck as tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
#[allow(dead_code, reason = "each of both uses what the other need not")]
pub mod program;
#[path = "specification.rs"]
pub mod specification;

use netcheck::Network;
use netcheck::check::{Checker, Report, Udp};
use program::client::{self, Wish};
use program::folder::Folder;
use program::packet::{Mode, Packet};
use program::server;
use program::transfer::{Failure, Settings, Version};
use specification::{Receiving, Sending, Transmitting};
use std::time::Duration;
use tokio::net::UdpSocket;

/// Bytes of a block: few, so that a file of a few bytes has several.
pub const BLOCK_BYTES: usize = 2;

/// Bytes of a block that is agreed on by an option: the fewest of RFC 2348.
const OPTION_BYTES: usize = 8;

/// The file: as many blocks are its beginning. A line ends in the third one.
const FILE: &[u8] = b"abcd\nfghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Which way the file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the server to the client: `RRQ`.
    Read,
    /// From the client to the server: `WRQ`.
    Write,
}

/// How long the server is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// Until the transfer is over, as in the paper.
    Once,
    /// For ever: a request that comes late begins another transfer, which nobody answers.
    Always,
}

/// A transfer to be checked.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub way: Way,
    /// Data packets, the last of one byte.
    pub blocks: usize,
    /// How often a packet is sent again at the most.
    pub retries: u32,
    pub version: Version,
    pub serving: Serving,
    /// Whether the client asks for options.
    pub has_options: bool,
}

impl Transfer {
    /// A transfer as it should be, with a server that ends with it.
    pub const fn corrected(way: Way, blocks: usize, retries: u32) -> Transfer {
        Transfer { way, blocks, retries, version: Version::Corrected, serving: Serving::Once, has_options: false }
    }

    fn block_bytes(self) -> usize {
        if self.has_options { OPTION_BYTES } else { BLOCK_BYTES }
    }

    fn contents(self) -> &'static [u8] {
        &FILE[..(self.blocks - 1) * self.block_bytes() + 1]
    }

    fn settings(self) -> Settings {
        let Transfer { retries, version, .. } = self;
        Settings { block_bytes: self.block_bytes(), timeout: Duration::from_secs(1), retries, version }
    }

    /// Registers client, server and their specification.
    pub fn register(self, net: &mut Network) {
        let (sender, receiver) = match self.way {
            Way::Read => ("server", "client"),
            Way::Write => ("client", "server"),
        };
        let last = self.blocks as i64;
        net.monitor(specification::of(Sending::new(last), sender));
        net.monitor(specification::of(Receiving::new(last), receiver));
        net.monitor(specification::of(Transmitting::new(i64::from(self.retries)), "client"));
        self.programs(net);
    }

    /// Registers client and server alone.
    pub fn programs(self, net: &mut Network) {
        let (contents, settings) = (self.contents(), self.settings());
        net.describe(|bytes| Packet::parse(bytes).ok().map(|packet| packet.to_string()));
        net.daemon("server", move || async move {
            let (socket, folder) = (UdpSocket::bind("0.0.0.0:69").await?, Folder::One(contents));
            match self.serving {
                Serving::Once => server::serve_once(socket, folder, self.server_settings()).await,
                Serving::Always => server::serve(socket, folder, self.server_settings()).await,
            }
        });
        net.process("client", move || self.client(contents, settings)).after("server");
    }

    /// The server has blocks of its own size until another one is agreed on.
    fn server_settings(self) -> Settings {
        Settings { block_bytes: BLOCK_BYTES, ..self.settings() }
    }

    async fn client(self, contents: &'static [u8], settings: Settings) -> Result<(), Failure> {
        let (file, server) = ("f".to_owned(), "server:69".to_owned());
        let wish = Wish { file, mode: Mode::Octet, server, has_options: self.has_options };
        match self.way {
            Way::Write => client::put(wish, contents, settings).await,
            Way::Read => {
                assert_eq!(client::get(wish, settings).await?, contents, "the file arrives as it was sent");
                Ok(())
            }
        }
    }

    /// Checks the transfer under a behaviour of the network.
    pub fn check(self, udp: Udp) -> Report {
        Checker::new().udp(udp).check(|net| self.register(net))
    }

    /// As [`Transfer::check`], for a larger space, which is given up after so many seconds.
    pub fn check_within(self, udp: Udp, seconds: u64) -> Report {
        let checker = Checker::new().udp(udp).max_time(Duration::from_secs(seconds));
        checker.check(|net| self.register(net))
    }
}

/// Packets take any time, or for ever: they may get lost, overtake each other, and come after any time-out.
pub fn any_delay() -> Udp {
    Udp::new().delay(..)
}
