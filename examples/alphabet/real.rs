//! The program on tokio and real sockets.

pub use ::tokio;

/// On tokio, an isolated task is a task like any other.
macro_rules! isolated {
    ($($function:tt)*) => { $($function)* };
}

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use tokio::task::JoinSet;

/// The address of the i-th connection's server, from 0 on.
fn address(port: u16, connection: u16) -> String {
    format!("127.0.0.1:{}", port + connection)
}

/// Serves each connection on a port of its own, for ever.
#[tokio::main]
pub async fn serve(port: u16, connections: u16) {
    let mut servers = JoinSet::new();
    for connection in 0..connections {
        println!("serving on {}", address(port, connection));
        servers.spawn(program::server(address(port, connection)));
    }
    servers.join_all().await;
}

/// Runs one session per connection, all at once, with the assertion.
#[tokio::main]
pub async fn run(port: u16, connections: u16, requests: u8) {
    let mut clients = JoinSet::new();
    for connection in 0..connections {
        clients.spawn(program::client(address(port, connection), requests, true));
    }
    clients.join_all().await;
    println!("{connections} sessions of {requests} requests: every response was right, or none came");
}
