//! The programs on tokio and real sockets.

pub use ::tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
#[allow(dead_code, reason = "each of both uses what the other need not")]
pub mod program;

use program::client::{self, Wish};
use program::folder::Folder;
use program::packet::{BLOCK_BYTES, Mode};
use program::server;
use program::transfer::{Failure, Settings, Version};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::UdpSocket;

/// How transfers are done for real.
pub const SETTINGS: Settings =
    Settings { block_bytes: BLOCK_BYTES, timeout: Duration::from_secs(1), retries: 4, version: Version::Corrected };

/// Serves a directory at a port of this machine, once or for ever.
#[tokio::main]
pub async fn serve(directory: PathBuf, port: u16, once: bool, settings: Settings) -> io::Result<()> {
    let socket = UdpSocket::bind(("127.0.0.1", port)).await?;
    println!("serving {} on {}", directory.display(), socket.local_addr()?);
    let folder = Folder::Directory(directory);
    match once {
        true => server::serve_once(socket, folder, settings).await,
        false => server::serve(socket, folder, settings).await,
    }
}

/// Gets a file into the current directory.
#[tokio::main]
pub async fn get(server: String, file: String, mode: Mode, settings: Settings) -> io::Result<()> {
    let wish = Wish { file: file.clone(), mode, server, has_options: true };
    let contents = client::get(wish, settings).await.map_err(told)?;
    let name = Path::new(&file).file_name().unwrap_or_default();
    std::fs::write(name, &contents)?;
    println!("{} bytes received", contents.len());
    Ok(())
}

/// Puts a file on a server.
#[tokio::main]
pub async fn put(server: String, file: PathBuf, mode: Mode, settings: Settings) -> io::Result<()> {
    let contents = std::fs::read(&file)?;
    let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let wish = Wish { file, mode, server, has_options: true };
    client::put(wish, &contents, settings).await.map_err(told)?;
    println!("{} bytes sent", contents.len());
    Ok(())
}

fn told(failure: Failure) -> io::Error {
    match failure {
        Failure::Silence => io::Error::new(io::ErrorKind::TimedOut, "the other side does not answer"),
        Failure::Refused(code, message) => io::Error::other(format!("refused: {message} ({code})")),
        Failure::Broken(kind) => kind.into(),
    }
}
