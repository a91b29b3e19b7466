//! An echo server over UDP.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(any(test, feature = "netcheck"))]
extern crate netcheck as tokio;

use std::io;
use tokio::net::UdpSocket;

/// Sends each datagram back.
///
/// # Errors
/// Those of the socket.
pub async fn serve(port: u16) -> io::Result<()> {
    let socket = UdpSocket::bind(("0.0.0.0", port)).await?;
    let mut buffer = [0; 16];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await?;
        socket.send_to(&buffer[..length], from).await?;
    }
}

/// What a server answers to a request.
///
/// # Errors
/// Those of the socket.
pub async fn ask(server: &str, request: &[u8]) -> io::Result<Vec<u8>> {
    let socket = UdpSocket::bind("0.0.0.0:0").await?;
    socket.send_to(request, server).await?;
    let mut buffer = [0; 16];
    let length = socket.recv(&mut buffer).await?;
    Ok(buffer[..length].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[netcheck::model_check]
    fn a_request_comes_back(net: &mut netcheck::Network) {
        net.daemon("server", || serve(4000));
        net.process("client", || async { ask("server:4000", b"ask").await.unwrap() }).after("server");
        net.finally(|end| end.value::<Vec<u8>>("client").is_some_and(|answer| answer == b"ask"));
    }
}
