//! Unix domain sockets. An output says what was observed, without the folder of the paths.
//!
//! The cases are under `unix/`, by what they are about; here is what they have in common.

#[path = "unix/datagrams.rs"]
mod datagrams;
#[path = "unix/naming.rs"]
mod naming;
#[path = "unix/pipes.rs"]
mod pipes;
#[path = "unix/streaming.rs"]
mod streaming;

pub(crate) use datagrams::*;
pub(crate) use naming::*;
pub(crate) use pipes::*;
pub(crate) use streaming::*;

use super::{LARGE, tokio};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::panic::Location;
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::unix::SocketAddr;
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

/// The kind of an error and the number that the OS gives it.
type Trouble = (io::ErrorKind, Option<i32>);

fn trouble(error: &io::Error) -> Trouble {
    (error.kind(), error.raw_os_error())
}

/// Whether it went well, or what kind of error it was.
fn told<T>(result: io::Result<T>) -> Result<(), Trouble> {
    result.map(drop).map_err(|error| trouble(&error))
}

/// A path that no other case and no other line has, and at which there is no file.
#[track_caller]
fn path() -> PathBuf {
    let line = Location::caller().line();
    // On tokio, each case has a thread of its name.
    let mut hasher = DefaultHasher::new();
    std::thread::current().name().hash(&mut hasher);
    let case = hasher.finish();
    let path = std::env::temp_dir().join(format!("netcheck-{}-{case:x}-{line}.sock", std::process::id()));
    _ = std::fs::remove_file(&path);
    path
}

/// A name as a case shows it: a path without its folder and its number.
fn shown(address: &SocketAddr) -> String {
    match (address.as_pathname(), address.as_abstract_name()) {
        (Some(path), _) => format!("a path to {}", path.extension().unwrap().display()),
        (_, Some(name)) => format!("abstract {}", text(name)),
        _ => format!("unnamed: {}", address.is_unnamed()),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A client's stream and the server's.
async fn connected() -> (UnixStream, UnixStream) {
    let path = path();
    let listener = UnixListener::bind(&path).unwrap();
    let client = UnixStream::connect(&path).await.unwrap();
    let (server, _) = listener.accept().await.unwrap();
    _ = std::fs::remove_file(path);
    (client, server)
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Result<String, Trouble> {
    let mut buffer = [0; 64];
    let length = stream.read(&mut buffer).await.map_err(|error| trouble(&error))?;
    Ok(text(&buffer[..length]))
}

async fn write(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> Result<usize, Trouble> {
    stream.write(bytes).await.map_err(|error| trouble(&error))
}

/// The output of a future if it needs to be polled only once.
async fn at_once<F: Future>(future: F) -> Option<F::Output> {
    tokio::select! {
        biased;
        output = future => Some(output),
        () = async {} => None,
    }
}
