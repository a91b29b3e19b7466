//! A server that keeps a value for each of a few keys, and a client that counts there.

use crate::udp_echo::connect;
use std::collections::BTreeMap;
use std::io;
use std::time::Duration;
use tokio::net::{ToSocketAddrs, UdpSocket};
use tokio::time::timeout;

/// Keys are less than this, so that the server cannot be filled up.
pub const KEYS: u8 = 2;

/// Values are less than this.
pub const VALUES: u8 = 3;

/// How long a client waits before it asks again.
const PATIENCE: Duration = Duration::from_secs(1);

/// Answers `[key]` by `[key, value]`, and stores the value of `[key, value]` before it sends it back.
///
/// What has another form, a key or a value that is too big, or a key without a value, is answered by nothing.
pub async fn serve(socket: UdpSocket) -> io::Result<()> {
    let mut values = BTreeMap::new();
    let mut buffer = [0; 8];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await?;
        match buffer[..length] {
            [key] => {
                if let Some(value) = values.get(&key) {
                    socket.send_to(&[key, *value], from).await?;
                }
            }
            [key, value] if key < KEYS && value < VALUES => {
                values.insert(key, value);
                socket.send_to(&[key, value], from).await?;
            }
            _ => {}
        }
    }
}

/// Counts under one key that nobody else writes, as far as values go and again from 0, and reads back each value.
pub async fn count_for_ever(server: impl ToSocketAddrs, key: u8) -> io::Result<()> {
    let socket = connect(server).await?;
    let mut value = 0;
    loop {
        store_and_read(&socket, key, value).await?;
        value = (value + 1) % VALUES;
    }
}

/// Stores a value, and reads it back.
pub async fn store_and_read(socket: &UdpSocket, key: u8, value: u8) -> io::Result<()> {
    let stored = ask(socket, &[key, value]).await?;
    assert_eq!(stored, [key, value], "the answer to another request");
    let read = ask(socket, &[key]).await?;
    assert_eq!(read, [key, value], "a value is lost");
    Ok(())
}

/// Asks again and again until there is an answer.
async fn ask(socket: &UdpSocket, request: &[u8]) -> io::Result<[u8; 2]> {
    let mut answer = [0; 2];
    loop {
        socket.send(request).await?;
        if let Ok(received) = timeout(PATIENCE, socket.recv(&mut answer)).await {
            received?;
            return Ok(answer);
        }
    }
}
