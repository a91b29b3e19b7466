//! A server that sends everybody what it is sent, and a client that asks until it is answered.

use std::io;
use std::time::Duration;
use tokio::net::{ToSocketAddrs, UdpSocket};
use tokio::time::timeout;

/// How long a client waits before it asks again.
const PATIENCE: Duration = Duration::from_secs(1);

/// Sends everybody what it is sent.
pub async fn serve(socket: UdpSocket) -> io::Result<()> {
    let mut buffer = [0; 16];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await?;
        socket.send_to(&buffer[..length], from).await?;
    }
}

/// Sends 0, 1, 0, 1 …, each as soon as the last one has come back.
pub async fn ask_for_ever(server: impl ToSocketAddrs) -> io::Result<()> {
    let socket = connect(server).await?;
    let mut number = 0;
    loop {
        let answer = ask(&socket, number).await?;
        assert_eq!(answer, number, "the answer to another request");
        number = 1 - number;
    }
}

/// A socket that speaks to a server only.
pub async fn connect(server: impl ToSocketAddrs) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind("0.0.0.0:0").await?;
    socket.connect(server).await?;
    Ok(socket)
}

/// Asks again and again until there is an answer.
pub async fn ask(socket: &UdpSocket, number: u8) -> io::Result<u8> {
    let mut answer = [0; 1];
    loop {
        socket.send(&[number]).await?;
        if let Ok(received) = timeout(PATIENCE, socket.recv(&mut answer)).await {
            received?;
            return Ok(answer[0]);
        }
    }
}
