//! A key/value server with a line protocol: `set hits 1`, `get hits`, `add hits 1`, `quit`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck as tokio;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The values, shared by all connections.
#[derive(Clone, Debug, Default)]
pub struct Store(Arc<Mutex<BTreeMap<String, i64>>>);

impl Store {
    fn get(&self, key: &str) -> i64 {
        self.0.lock().expect("no panic with the lock").get(key).copied().unwrap_or(0)
    }

    fn set(&self, key: &str, value: i64) {
        self.0.lock().expect("no panic with the lock").insert(key.to_owned(), value);
    }

    fn add(&self, key: &str, amount: i64) -> i64 {
        let mut values = self.0.lock().expect("no panic with the lock");
        let value = values.entry(key.to_owned()).or_default();
        *value += amount;
        *value
    }

    /// The answer to a line; `None` if the client says goodbye.
    fn answer(&self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some(match (&words[..], words.last().and_then(|last| last.parse().ok())) {
            (["quit"], _) => return None,
            (["get", key], _) => self.get(key).to_string(),
            (["set", key, _], Some(value)) => {
                self.set(key, value);
                "ok".to_owned()
            }
            (["add", key, _], Some(amount)) => self.add(key, amount).to_string(),
            _ => "error".to_owned(),
        })
    }
}

/// Serves everybody who connects.
pub async fn serve(listener: TcpListener, store: Store) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(handle(stream, store.clone()));
    }
}

/// Answers each line of one client, until it says `quit` or is gone.
pub async fn handle(stream: TcpStream, store: Store) -> io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await? {
        let Some(answer) = store.answer(&line) else { break };
        writer.write_all(format!("{answer}\n").as_bytes()).await?;
    }
    Ok(())
}

/// One end of a connection: a question and its answer at a time.
#[derive(Debug)]
pub struct Client(BufReader<TcpStream>);

impl Client {
    /// Speaks to who listens there.
    pub async fn connect(address: std::net::SocketAddr) -> io::Result<Client> {
        Ok(Client(BufReader::new(TcpStream::connect(address).await?)))
    }

    /// Sends a line.
    pub async fn send(&mut self, line: &str) -> io::Result<()> {
        self.0.write_all(format!("{line}\n").as_bytes()).await
    }

    /// The next answer.
    pub async fn answer(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
