//! Programs of the examples after changes that are not the right ones: their operations come in another order.

use netcheck as tokio;
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpStream, UdpSocket};

/// The echo client, which would write all lines first.
pub(crate) async fn line_by_line() -> Result<(), io::ErrorKind> {
    let mut stream = TcpStream::connect("server:4000").await.map_err(|error| error.kind())?;
    let (reader, mut writer) = stream.split();
    let mut answers = BufReader::new(reader).lines();
    for line in 0..3 {
        writer.write_all(format!("{line}\n").as_bytes()).await.map_err(|error| error.kind())?;
        answers.next_line().await.map_err(|error| error.kind())?.expect("each line is answered");
    }
    writer.shutdown().await.map_err(|error| error.kind())
}

/// The server of the file transfer, which would send the first packet first.
pub(crate) async fn backwards() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.expect("the port is free");
    let mut buffer = [0; 64];
    loop {
        let (_, client) = socket.recv_from(&mut buffer).await.expect("a request can be received");
        for packet in ["file 1, packet 2/2: summer", "file 1, packet 1/2: spring"] {
            socket.send_to(packet.as_bytes(), client).await.expect("a packet can be sent");
        }
    }
}
