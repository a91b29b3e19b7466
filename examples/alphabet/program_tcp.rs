//! The alphabet client and server over TCP (papers/udp-net-iocache.txt, section 4.1), as one writes
//! them on tokio.
//!
//! It is compiled twice: `real.rs` gives it tokio, `checked_tcp.rs` netcheck under that name.

use super::tokio;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// From a digit to its letter.
const OFFSET: u8 = b'a' - b'0';

isolated! {
    /// Serves one client after the other, for ever.
    pub async fn server(address: String) {
        let listener = TcpListener::bind(address).await.expect("the server's port is free");
        loop {
            let (stream, _) = listener.accept().await.expect("a client can be accepted");
            session(stream).await;
        }
    }
}

isolated! {
    /// Answers each digit with its letter, until the client has sent all, or is gone.
    async fn session(stream: TcpStream) {
        let mut stream = stream;
        let mut request = [0];
        while let Ok(1) = stream.read(&mut request).await {
            let [digit] = request;
            if stream.write_all(&[digit + OFFSET]).await.is_err() {
                return;
            }
        }
    }
}

/// One session: a producer sends the digits while a consumer looks at the letters.
pub async fn client(server: String, requests: u8, asserting: bool) {
    let stream = TcpStream::connect(server).await.expect("the server listens");
    let (letters, digits) = stream.into_split();
    let sending = tokio::spawn(producer(digits, requests));
    let receiving = tokio::spawn(consumer(letters, requests, asserting));
    sending.await.expect("the producer does not panic");
    receiving.await.expect("the consumer does not panic");
}

/// Sends "0", "1", "2" ….
async fn producer(mut digits: OwnedWriteHalf, requests: u8) {
    for request in 0..requests {
        digits.write_all(&[b'0' + request]).await.expect("a request can be sent");
    }
}

/// Expects the i-th response to answer the i-th request: TCP loses nothing and keeps the order.
async fn consumer(mut letters: OwnedReadHalf, requests: u8, asserting: bool) {
    let mut response = [0];
    for request in 0..requests {
        letters.read_exact(&mut response).await.expect("a response can be received");
        if asserting {
            let expected = b'0' + request + OFFSET;
            assert_eq!(response[0] as char, expected as char, "response {request} answers another request");
        }
    }
}
