//! The program on tokio and real sockets.

pub use ::tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use program::Version;

/// How often in a row the client asks again.
const RETRIES: usize = 3;

/// Serves packets on `port` and sizes on the next one, for ever.
#[tokio::main]
pub async fn serve(port: u16) {
    println!("serving on {} and {}", address(port), address(port + 1));
    tokio::join!(program::server(address(port)), program::size_server(address(port + 1)));
}

/// Gets all files and compares them with the client's copies.
#[tokio::main]
pub async fn get(port: u16, version: Version) {
    let transfer = program::client(address(port), address(port + 1), version, RETRIES).await;
    println!("{transfer:?}");
}

fn address(port: u16) -> String {
    format!("127.0.0.1:{port}")
}
