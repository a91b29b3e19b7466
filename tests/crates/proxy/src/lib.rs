//! A TCP proxy: a task for each connection passes the bytes on, both ways, to a server upstream.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck as tokio;

use std::io::{self, ErrorKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// The proxy as it should be, and with a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// What fails ends one connection.
    Corrected,
    /// The way upstream is opened before the next client is accepted; if that fails, the proxy ends.
    OneFailureEndsAll,
}

/// Passes each connection on to the server upstream.
pub async fn proxy(listener: TcpListener, upstream: String, version: Version) -> io::Result<()> {
    loop {
        let Some(client) = accept(&listener).await? else { continue };
        match version {
            Version::Corrected => {
                let upstream = upstream.clone();
                tokio::spawn(async move { pass_on(client, TcpStream::connect(upstream).await?).await });
            }
            Version::OneFailureEndsAll => {
                let server = TcpStream::connect(upstream.clone()).await?;
                tokio::spawn(pass_on(client, server));
            }
        }
    }
}

/// The next client; none if it was gone before it was accepted, which concerns nobody else.
async fn accept(listener: &TcpListener) -> io::Result<Option<TcpStream>> {
    match listener.accept().await {
        Ok((stream, _)) => Ok(Some(stream)),
        Err(error) if error.kind() == ErrorKind::ConnectionAborted => Ok(None),
        Err(error) => Err(error),
    }
}

async fn pass_on(mut client: TcpStream, mut server: TcpStream) -> io::Result<()> {
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

/// A server: a task for each connection answers the one request that it carries.
pub async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        if let Some(client) = accept(&listener).await? {
            tokio::spawn(answer(client));
        }
    }
}

async fn answer(mut client: TcpStream) -> io::Result<()> {
    let mut request = String::new();
    client.read_to_string(&mut request).await?;
    client.write_all(format!("answer to {request}\n").as_bytes()).await
}

/// Sends a request on a connection of its own, and returns the answer.
pub async fn ask(address: String, request: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    stream.shutdown().await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let whole = answer.strip_suffix('\n').ok_or(ErrorKind::UnexpectedEof)?;
    Ok(whole.to_owned())
}

#[cfg(test)]
mod systems;
#[cfg(test)]
mod tests;
