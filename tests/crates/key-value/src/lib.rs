//! A server like Redis: values that may expire, and channels that one publishes to and subscribes to.
//!
//! Lines are `SET key value`, `GET key`, `DEL key`, `EXPIRE key seconds`, `SUBSCRIBE channel`, `PUBLISH channel message`
//! and `SHUTDOWN`, and each is answered by one line. After `SUBSCRIBE`, each message is a line.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck as tokio;

mod store;

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The server as it should be, and with a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A seat is given back however its connection ends.
    Corrected,
    /// A seat is given back at the end of the conversation, to which one that fails does not come.
    SeatIsLost,
}

/// Serves so many connections at the same time, until somebody says `SHUTDOWN` and everybody else has left.
pub async fn serve(listener: TcpListener, limit: usize, version: Version) -> io::Result<()> {
    let server = Server { store: Store::default(), seats: Arc::new(Semaphore::new(limit)), shutdown: Arc::default() };
    loop {
        let seat = Arc::clone(&server.seats).acquire_owned().await.expect("it is never closed");
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted?;
                tokio::spawn(server.clone().attend(stream, seat, version));
            }
            () = server.shutdown.notified() => break,
        }
    }
    let _all = server.seats.acquire_many(u32::try_from(limit).expect("few seats")).await.expect("it is never closed");
    Ok(())
}

#[derive(Clone)]
struct Server {
    store: Store,
    seats: Arc<Semaphore>,
    shutdown: Arc<Notify>,
}

impl Server {
    async fn attend(self, stream: TcpStream, seat: OwnedSemaphorePermit, version: Version) -> io::Result<()> {
        match version {
            Version::Corrected => {
                let _seat = seat;
                self.converse(stream).await
            }
            Version::SeatIsLost => {
                seat.forget();
                self.converse(stream).await?;
                self.seats.add_permits(1);
                Ok(())
            }
        }
    }

    /// Answers each line of one client.
    async fn converse(&self, stream: TcpStream) -> io::Result<()> {
        let (reader, mut writer) = stream.into_split();
        let mut lines = BufReader::new(reader).lines();
        while let Some(line) = lines.next_line().await? {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["SUBSCRIBE", channel] = words[..] {
                return feed(self.store.subscribe(channel), lines, writer).await;
            }
            writer.write_all(format!("{}\n", self.answer(&words)).as_bytes()).await?;
        }
        Ok(())
    }

    fn answer(&self, words: &[&str]) -> String {
        match *words {
            ["SET", key, value] => {
                self.store.set(key, value);
                "OK".to_owned()
            }
            ["GET", key] => self.store.get(key).unwrap_or_else(|| "nil".to_owned()),
            ["DEL", key] => u8::from(self.store.remove(key)).to_string(),
            ["EXPIRE", key, seconds] => match seconds.parse() {
                Ok(seconds) => u8::from(self.store.expire(key, Duration::from_secs(seconds))).to_string(),
                Err(_) => "ERROR".to_owned(),
            },
            ["PUBLISH", channel, message] => self.store.publish(channel, message).to_string(),
            ["SHUTDOWN"] => {
                self.shutdown.notify_one();
                "OK".to_owned()
            }
            _ => "ERROR".to_owned(),
        }
    }
}

/// Passes messages on, until the subscriber has left.
async fn feed(
    mut messages: broadcast::Receiver<String>,
    mut lines: Lines<BufReader<OwnedReadHalf>>,
    mut writer: OwnedWriteHalf,
) -> io::Result<()> {
    writer.write_all(b"OK\n").await?;
    loop {
        tokio::select! {
            message = messages.recv() => match message {
                Ok(message) => writer.write_all(format!("{message}\n").as_bytes()).await?,
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Ok(()),
            },
            line = lines.next_line() => if line?.is_none() {
                return Ok(());
            },
        }
    }
}

/// A client's end of a connection.
#[derive(Debug)]
pub struct Client(BufReader<TcpStream>);

impl Client {
    /// Speaks to who listens there.
    pub async fn connect(address: &str) -> io::Result<Client> {
        Ok(Client(BufReader::new(TcpStream::connect(address).await?)))
    }

    /// Sends a line, and returns its answer.
    pub async fn ask(&mut self, line: &str) -> io::Result<String> {
        self.0.write_all(format!("{line}\n").as_bytes()).await?;
        self.next().await
    }

    /// The next line: after `SUBSCRIBE`, a message.
    pub async fn next(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.0.read_line(&mut line).await?;
        let whole = line.strip_suffix('\n').ok_or(ErrorKind::UnexpectedEof)?;
        Ok(whole.to_owned())
    }
}

#[cfg(test)]
mod systems;
#[cfg(test)]
mod tests;
