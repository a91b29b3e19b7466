//! The store on netcheck.

pub use netcheck as tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use netcheck::Network;
use program::Version;

const SERVER: &str = "server:4000";

/// The values that are set one after the other; the snapshot has the first one.
const COLORS: [&str; 4] = ["red", "green", "blue", "white"];

/// Sets values of one key, each until it is acknowledged, and reads the key in between.
async fn client() {
    for (before, value) in COLORS.into_iter().zip(&COLORS[1..]) {
        while program::set(SERVER, "color", value).await.is_err() {
            let kept = read().await;
            assert!([before, value].contains(&kept.as_str()), "it was {before}, or is {value}, and not {kept:?}");
        }
        assert_eq!(read().await, *value, "what was acknowledged is kept");
    }
}

async fn read() -> String {
    loop {
        if let Ok(kept) = program::get(SERVER, "color").await {
            return kept.unwrap_or_default();
        }
    }
}

/// Registers the processes. The server has been used before, and was shut down after a snapshot.
pub fn register(net: &mut Network, version: Version) {
    let server = move || program::server("0.0.0.0:4000".to_owned(), "data".to_owned(), version);
    net.daemon("server", server).files([("data/snapshot", format!("color {}\n", COLORS[0]))]);
    net.process("client", client).after("server");
}
