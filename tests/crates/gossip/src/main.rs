//! Three nodes for real: `cargo run -p gossip` says what each of them knows after a second.

use gossip::{Node, Picker};
use std::time::Duration;
use tokio::net::UdpSocket;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let address = |number: u32| format!("127.0.0.1:400{number}");
    let mut nodes = Vec::new();
    for number in 0..3 {
        let socket = UdpSocket::bind(address(number)).await?;
        let peers = (0..3).filter(|other| *other != number).map(address).collect();
        let node = Node { socket, peers, period: Duration::from_millis(100), picker: Picker::new(number) };
        nodes.push(tokio::spawn(node.run(number, 10)));
    }
    for node in nodes {
        println!("{}", node.await.expect("no panic")?);
    }
    Ok(())
}
