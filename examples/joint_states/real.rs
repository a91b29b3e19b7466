//! The program on tokio and real sockets.

pub use ::tokio;

macro_rules! isolated {
    ($($function:tt)*) => { $($function)* };
}

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use program::{Halves, Opening, Pair, Threads};
use std::time::Duration;
use tokio::task::LocalSet;
use tokio::time::timeout;

/// Who has not ended by then is taken to wait for ever.
const PATIENCE: Duration = Duration::from_secs(2);

fn address(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// Runs the server and the client of a pair.
#[tokio::main]
pub async fn pair(port: u16, pair: Pair) {
    let serving = tokio::spawn(program::server(address(port), pair));
    tokio::time::sleep(Duration::from_millis(100)).await;
    match timeout(PATIENCE, program::client(address(port), pair)).await {
        Ok(answer) => println!("the client was answered {answer}"),
        Err(_) => println!("the client still waits after {PATIENCE:?}"),
    }
    serving.abort();
}

/// Runs so many peers, at this port and the next ones.
#[tokio::main]
pub async fn peers(port: u16, count: u16, halves: Halves) {
    let peers = LocalSet::new();
    for number in 0..count {
        let others = (0..count).filter(|&other| other != number).map(|other| address(port + other)).collect();
        let peer = program::peer(address(port + number), others, i32::from(number) + 1, halves);
        peers.spawn_local(async move {
            match timeout(PATIENCE, peer).await {
                Ok(answers) => println!("peer {} was answered {answers:?}", number + 1),
                Err(_) => println!("peer {} still waits after {PATIENCE:?}", number + 1),
            }
        });
    }
    peers.await;
}

/// Runs the server with two ports, this one and the next, and its client.
#[tokio::main]
pub async fn two_ports(port: u16, opening: Opening, threads: Threads) {
    let serving = tokio::spawn(program::two_ports(address(port), address(port + 1), opening));
    tokio::time::sleep(Duration::from_millis(100)).await;
    match timeout(PATIENCE, program::two_threads(address(port), address(port + 1), threads)).await {
        Ok(()) => println!("both threads were greeted"),
        Err(_) => println!("a thread still waits after {PATIENCE:?}"),
    }
    serving.abort();
}
