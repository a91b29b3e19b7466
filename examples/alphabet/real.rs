//! The program on tokio and real sockets.

pub use ::tokio;

/// On tokio, an isolated task is a task like any other.
macro_rules! isolated {
    ($($function:tt)*) => { $($function)* };
}

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

#[path = "program_tcp.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program_tcp;

use tokio::task::JoinSet;

/// Begins the line that says how much memory was resident at the most, on Linux.
pub const MEMORY: &str = "memory: ";

/// The address of the i-th connection's server, from 0 on.
pub fn address(port: u16, connection: u16) -> String {
    format!("127.0.0.1:{}", port + connection)
}

/// Serves each connection on a port of its own, for ever.
#[tokio::main]
pub async fn serve(port: u16, connections: u16, tcp: bool) {
    let mut servers = JoinSet::new();
    for connection in 0..connections {
        let address = address(port, connection);
        match tcp {
            true => servers.spawn(program_tcp::server(address)),
            false => servers.spawn(program::server(address)),
        };
    }
    servers.join_all().await;
}

/// Runs one session per connection, all at once, with the assertion.
#[tokio::main]
pub async fn run(port: u16, connections: u16, requests: u8, tcp: bool) {
    let mut clients = JoinSet::new();
    for connection in 0..connections {
        let address = address(port, connection);
        match tcp {
            true => clients.spawn(program_tcp::client(address, requests, true)),
            false => clients.spawn(program::client(address, requests, true)),
        };
    }
    clients.join_all().await;
    println!(
        "{connections} sessions of {requests} requests: every response was right{}",
        if tcp { "" } else { ", or none came" }
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(most) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
        println!("{MEMORY}{}", most.trim());
    }
}
