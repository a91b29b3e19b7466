//! The alphabet client and server (papers/udp-net-iocache.txt, section 4.1), as one writes
//! them on tokio.
//!
//! It is compiled twice: `real.rs` gives it tokio, `checked.rs` netcheck under that name.

use super::tokio;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

/// From a digit to its letter.
const OFFSET: u8 = b'a' - b'0';

/// How long the consumer waits for a response before it takes the rest for lost.
const PATIENCE: Duration = Duration::from_secs(1);

isolated! {
    /// Answers each digit with its letter, for ever.
    pub async fn server(address: String) {
        let socket = UdpSocket::bind(address).await.expect("the server's port is free");
        let mut request = [0];
        loop {
            let (_, client) = socket.recv_from(&mut request).await.expect("a request can be received");
            let [digit] = request;
            socket.send_to(&[digit + OFFSET], client).await.expect("a response can be sent");
        }
    }
}

/// One session: a producer sends the digits while a consumer looks at the letters.
pub async fn client(server: String, requests: u8, asserting: bool) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a port is free");
    socket.connect(server).await.expect("the server has an address");
    let socket = Arc::new(socket);
    let sending = tokio::spawn(producer(Arc::clone(&socket), requests));
    let receiving = tokio::spawn(consumer(socket, requests, asserting));
    sending.await.expect("the producer does not panic");
    receiving.await.expect("the consumer does not panic");
}

isolated! {
    /// Sends "0", "1", "2" ….
    async fn producer(socket: Arc<UdpSocket>, requests: u8) {
        for request in 0..requests {
            socket.send(&[b'0' + request]).await.expect("a request can be sent");
        }
    }
}

isolated! {
    /// Expects the i-th response to answer the i-th request: true as long as nothing is lost,
    /// doubled or overtaken. Gives up quietly when no response comes.
    async fn consumer(socket: Arc<UdpSocket>, requests: u8, asserting: bool) {
        let mut response = [0];
        for request in 0..requests {
            let Ok(received) = timeout(PATIENCE, socket.recv(&mut response)).await else { return };
            received.expect("a response can be received");
            if asserting {
                let expected = b'0' + request + OFFSET;
                assert_eq!(response[0] as char, expected as char, "response {request} answers another request");
            }
        }
    }
}
