//! TCP on the loopback interface. An output says what was observed, without port numbers.
//!
//! The cases are under `tcp/`, by what they are about; here is what they have in common.

#[path = "tcp/binding.rs"]
mod binding;
#[path = "tcp/closing.rs"]
mod closing;
#[path = "tcp/connecting.rs"]
mod connecting;
#[path = "tcp/halves.rs"]
mod halves;
#[path = "tcp/readiness.rs"]
mod readiness;
#[path = "tcp/streaming.rs"]
mod streaming;

pub(crate) use binding::*;
pub(crate) use closing::*;
pub(crate) use connecting::*;
pub(crate) use halves::*;
pub(crate) use readiness::*;
pub(crate) use streaming::*;

use super::{LARGE, tokio};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{Duration, timeout};

/// The kind of an error and the number that the OS gives it.
type Trouble = (io::ErrorKind, Option<i32>);

/// The result of a read: text, which is empty at the end.
type Read = Result<String, io::ErrorKind>;

/// How many bytes a write took.
type Written = Result<usize, io::ErrorKind>;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn trouble(error: &io::Error) -> Trouble {
    (error.kind(), error.raw_os_error())
}

fn kind(error: &io::Error) -> io::ErrorKind {
    error.kind()
}

/// Whether it went well, or what kind of error it was.
fn told<T>(result: io::Result<T>) -> Result<(), io::ErrorKind> {
    result.map(drop).map_err(|error| kind(&error))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

async fn listening() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

/// A listener whose queue has room for two.
fn listening_for_two() -> TcpListener {
    bound().listen(1).unwrap()
}

/// Holds a port at which nobody listens.
fn bound() -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(on_loopback(0)).unwrap();
    socket
}

fn on_loopback(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

fn on_wildcard(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))
}

fn address(listener: &TcpListener) -> SocketAddr {
    listener.local_addr().unwrap()
}

async fn connect(listener: &TcpListener) -> TcpStream {
    TcpStream::connect(address(listener)).await.unwrap()
}

async fn accept(listener: &TcpListener) -> TcpStream {
    listener.accept().await.unwrap().0
}

/// A client's stream and the server's.
async fn connected() -> (TcpStream, TcpStream) {
    let listener = listening().await;
    let client = connect(&listener).await;
    (client, accept(&listener).await)
}

/// A connection that the server has reset, with what the server wrote before.
async fn reset_after(last_words: &str) -> TcpStream {
    let (mut client, mut server) = connected().await;
    client.write_all(b"unread").await.unwrap();
    server.write_all(last_words.as_bytes()).await.unwrap();
    drop(server);
    client
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Read {
    let mut buffer = [0; 64];
    let length = stream.read(&mut buffer).await.map_err(|error| kind(&error))?;
    Ok(text(&buffer[..length]))
}

async fn read_all(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut read = String::new();
    stream.read_to_string(&mut read).await.unwrap();
    read
}

async fn write(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> Written {
    stream.write(bytes).await.map_err(|error| kind(&error))
}

/// The output of a future if it needs to be polled only once.
async fn at_once<F: Future>(future: F) -> Option<F::Output> {
    tokio::select! {
        biased;
        output = future => Some(output),
        () = async {} => None,
    }
}

/// Nothing comes within a time that is long for the loopback interface.
async fn nothing_comes(stream: &mut (impl AsyncRead + Unpin)) -> bool {
    timeout(ms(50), read(stream)).await.is_err()
}

/// Nobody knocks within that time.
async fn nobody_comes(listener: &TcpListener) -> bool {
    timeout(ms(50), listener.accept()).await.is_err()
}

/// Writes until the stream has taken all that it can hold, and says how much that was.
async fn fill(stream: &TcpStream) -> usize {
    let mut written = 0;
    while timeout(ms(50), stream.writable()).await.is_ok() {
        written += stream.try_write(&[7; 1 << 16]).unwrap_or(0);
    }
    written
}

/// Reads until nothing more comes. Says how much came, and what came last: nothing, the end or an error.
async fn drain(stream: &mut TcpStream) -> (usize, Read) {
    let mut buffer = vec![0; LARGE];
    let mut read = 0;
    loop {
        match timeout(ms(50), stream.read(&mut buffer)).await {
            Ok(Ok(0)) => return (read, Ok("the end".to_owned())),
            Ok(Ok(length)) => read += length,
            Ok(Err(error)) => return (read, Err(kind(&error))),
            Err(_) => return (read, Ok("nothing".to_owned())),
        }
    }
}
