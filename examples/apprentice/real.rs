//! The program on tokio and real sockets.

pub use ::tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use program::Version;

fn address(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// Acknowledges what comes.
#[tokio::main]
pub async fn receive(port: u16) -> std::io::Result<()> {
    println!("receiving on {}", address(port));
    program::receiver(address(port)).await
}

/// Sends so many blocks.
#[tokio::main]
pub async fn send(port: u16, blocks: u8, version: Version) -> std::io::Result<()> {
    let all = program::sender(address(port), blocks, version).await?;
    println!("{}", if all { "all blocks are acknowledged" } else { "the receiver does not answer" });
    Ok(())
}
