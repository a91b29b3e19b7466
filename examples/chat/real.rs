//! The program on tokio and real sockets.

pub use ::{std, tokio};

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use program::Version;

fn address(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// Serves so many clients, all at the same time, and ends.
#[tokio::main]
pub async fn serve(port: u16, clients: usize, version: Version) {
    println!("serving {clients} clients on {}", address(port));
    program::server(address(port), clients, clients, version).await;
}

/// Runs one client.
#[tokio::main]
pub async fn connect(port: u16, line: String) {
    match program::client(address(port), line).await {
        Ok(()) => println!("the line came back"),
        Err(kind) => println!("failed: {kind}"),
    }
}
