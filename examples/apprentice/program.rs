//! A sender that waits for the Ack of each block, and a receiver, as one writes them on tokio.
//!
//! It is compiled twice: `real.rs` gives it tokio, `checked.rs` netcheck under that name.

use super::tokio;
use std::io;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

pub const DATA: u8 = 3;
pub const ACK: u8 = 4;

/// How long the sender waits for an Ack before it sends the block again.
pub const TIMEOUT: Duration = Duration::from_millis(200);

/// How often the sender sends a block at the most.
const TRIES: usize = 3;

/// The sender as TFTP was once specified, and as RFC 1123 mends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Answers an old Ack by sending the block again.
    Seeded,
    /// Sends a block again only when the time is up.
    Corrected,
}

/// Sends so many blocks; says whether all of them were acknowledged.
pub async fn sender(receiver: String, blocks: u8, version: Version) -> io::Result<bool> {
    let socket = UdpSocket::bind("0.0.0.0:0").await?;
    socket.connect(receiver).await?;
    for block in 1..=blocks {
        let mut tries = 0;
        loop {
            if tries == TRIES {
                return Ok(false);
            }
            tries += 1;
            socket.send(&[DATA, block]).await?;
            if is_acknowledged(&socket, block, version).await? {
                break;
            }
        }
    }
    Ok(true)
}

/// Waits for the Ack of a block; `false`: the block is to be sent again.
async fn is_acknowledged(socket: &UdpSocket, block: u8, version: Version) -> io::Result<bool> {
    let mut packet = [0; 2];
    while let Ok(received) = timeout(TIMEOUT, socket.recv(&mut packet)).await {
        received?;
        if packet == [ACK, block] {
            return Ok(true);
        }
        if version == Version::Seeded {
            return Ok(false);
        }
    }
    Ok(false)
}

/// Acknowledges each block that comes, for ever.
pub async fn receiver(address: String) -> io::Result<()> {
    let socket = UdpSocket::bind(address).await?;
    let mut packet = [0; 2];
    loop {
        let (length, from) = socket.recv_from(&mut packet).await?;
        if let [DATA, block] = packet[..length] {
            socket.send_to(&[ACK, block], from).await?;
        }
    }
}
