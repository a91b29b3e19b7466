//! The client on tokio and real sockets.

pub use ::tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
#[allow(dead_code, reason = "each of both uses what the other need not")]
pub mod program;

use program::Version;

/// Counts a visit.
#[tokio::main(flavor = "current_thread")]
pub async fn visit(address: &str, visitor: &str) {
    match program::visit(address, visitor, Version::Added).await {
        Ok(visits) => println!("{visits} visitors so far"),
        Err(error) => println!("failed: {error}"),
    }
}
