//! A pool of connections to one server: whoever has a request checks one out, and gives it back.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck as tokio;

use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Connections to one server, no more than a limit.
#[derive(Debug)]
pub struct Pool {
    address: String,
    idle: Mutex<Vec<TcpStream>>,
    limit: Semaphore,
}

impl Pool {
    /// Connects when a connection is asked for, and none is idle.
    pub fn new(address: impl Into<String>, limit: usize) -> Pool {
        Pool { address: address.into(), idle: Mutex::default(), limit: Semaphore::new(limit) }
    }

    /// Waits until there is a connection for the caller alone.
    pub async fn check_out(&self) -> io::Result<Connection<'_>> {
        let permit = self.limit.acquire().await.expect("it is never closed");
        let idle = self.idle().pop();
        let stream = match idle {
            Some(stream) => stream,
            None => TcpStream::connect(self.address.clone()).await?,
        };
        Ok(Connection { stream: Some(stream), pool: self, _permit: permit })
    }

    /// Sends a request, and returns the answer, which is as long. A connection that has failed is not given back.
    pub async fn ask(&self, request: &[u8]) -> io::Result<Vec<u8>> {
        let mut connection = self.check_out().await?;
        let answer = exchange(&mut connection, request).await;
        if answer.is_err() {
            connection.discard();
        }
        answer
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<TcpStream>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn exchange(stream: &mut TcpStream, request: &[u8]) -> io::Result<Vec<u8>> {
    stream.write_all(request).await?;
    let mut answer = vec![0; request.len()];
    stream.read_exact(&mut answer).await?;
    Ok(answer)
}

/// A connection that is checked out; given back when it is dropped.
#[derive(Debug)]
pub struct Connection<'pool> {
    stream: Option<TcpStream>,
    pool: &'pool Pool,
    _permit: SemaphorePermit<'pool>,
}

impl Connection<'_> {
    /// Closes it: another one will be opened in its place.
    pub fn discard(mut self) {
        self.stream = None;
    }
}

impl Deref for Connection<'_> {
    type Target = TcpStream;

    fn deref(&self) -> &TcpStream {
        self.stream.as_ref().expect("there until it is dropped")
    }
}

impl DerefMut for Connection<'_> {
    fn deref_mut(&mut self) -> &mut TcpStream {
        self.stream.as_mut().expect("there until it is dropped")
    }
}

/// It is back in the pool before the permit is.
impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.pool.idle().extend(self.stream.take());
    }
}

/// A server that sends everybody what it is sent.
pub async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(echo(stream));
    }
}

async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 64];
    loop {
        let length = stream.read(&mut buffer).await?;
        if length == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..length]).await?;
    }
}

#[cfg(test)]
mod systems;
#[cfg(test)]
mod tests;
