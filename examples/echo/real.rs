//! The program on tokio and real sockets.

pub use ::tokio;

/// On tokio, an isolated task is a task like any other.
macro_rules! isolated {
    ($($function:tt)*) => { $($function)* };
}

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use program::Version;

fn address(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// Serves so many clients, and ends.
#[tokio::main]
pub async fn serve(port: u16, clients: usize) {
    println!("serving {clients} clients on {}", address(port));
    program::server(address(port), clients).await;
}

/// Runs one client.
#[tokio::main]
pub async fn connect(port: u16, lines: usize, version: Version) {
    match program::client(address(port), lines, version).await {
        Ok(answers) => println!("{answers:?}"),
        Err(kind) => println!("failed: {kind}"),
    }
}
