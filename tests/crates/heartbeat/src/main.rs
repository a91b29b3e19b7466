//! Two ends for real: `cargo run -p heartbeat` says what one observes of the other, which stops
//! after a second.

use heartbeat::{Status, beat, lost, observe};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::time::timeout;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    let to = socket.local_addr()?;
    let (sender, mut status) = watch::channel(Status::default());
    tokio::spawn(observe(socket, Duration::from_millis(300), sender));
    tokio::spawn(async move {
        let socket = UdpSocket::bind("127.0.0.1:0").await?;
        let beats = beat(&socket, to, Duration::from_millis(100));
        timeout(Duration::from_secs(1), beats).await.unwrap_or(Ok(()))
    });
    println!("lost {} time(s)", lost(&mut status, 0).await);
    Ok(())
}
