//! A server that answers on one connection, and a client that notes what it sees.

use super::tokio;
use std::fmt::Debug;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Says where it listens; stays at the await of this number.
pub(crate) async fn server(address: String, tell: impl Fn(SocketAddr), stays_at: usize) {
    let come_to = async |point: usize| {
        if point == stays_at {
            std::future::pending::<()>().await;
        }
    };
    let listener = TcpListener::bind(address).await.unwrap();
    tell(listener.local_addr().unwrap());
    come_to(1).await;
    let (mut stream, _) = listener.accept().await.unwrap();
    come_to(2).await;
    let mut request = [0; 4];
    while let Ok(()) = stream.read_exact(&mut request).await.map(drop) {
        come_to(3).await;
        if stream.write_all(b"pong").await.is_err() {
            break;
        }
        come_to(4).await;
    }
    come_to(5).await;
}

/// The outcomes of a connect and two requests; `phase` is called before each call.
pub(crate) async fn client(address: String, phase: impl AsyncFn(usize)) -> Vec<String> {
    let mut seen = Vec::new();
    phase(0).await;
    match TcpStream::connect(&address).await {
        Err(error) => seen.push(noted::<()>("connect", Err(error))),
        Ok(mut stream) => {
            let mut answer = [0; 8];
            phase(1).await;
            seen.push(noted("write", stream.write_all(b"ping").await));
            phase(2).await;
            seen.push(noted("read", stream.read(&mut answer).await));
            phase(3).await;
            seen.push(noted("write", stream.write_all(b"ping").await));
            phase(4).await;
            seen.push(noted("read", stream.read(&mut answer).await));
        }
    }
    seen
}

fn noted<T: Debug>(call: &str, outcome: std::io::Result<T>) -> String {
    match outcome {
        Ok(value) => format!("{call} {value:?}"),
        Err(error) => format!("{call} {:?}", error.kind()),
    }
}
