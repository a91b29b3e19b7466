//! The chat server and client (papers/tcp-transmission-failures.txt, section 5, Figures 2 and
//! 3), as one writes them on tokio.
//!
//! It is compiled twice: `real.rs` gives it tokio and std, `checked.rs` netcheck under these
//! names, which sees what the tasks share.

use super::{std, tokio};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Semaphore};

/// The server as the paper found it, with one fault at a time, and as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A worker that cannot close its connection is removed twice (Figure 3).
    DoubleRemoval,
    /// A line that one client cannot be sent is kept from those after it (Figure 1).
    HaltedSend,
    Corrected,
}

/// Serves so many clients, `at_once` at the same time, and ends with the last of them.
pub async fn server(address: String, clients: usize, at_once: usize, version: Version) {
    let listener = TcpListener::bind(address).await.expect("the server's port is free");
    let room = Arc::new(Room::default());
    let seats = Arc::new(Semaphore::new(at_once));
    for number in 1..=clients {
        let seat = Arc::clone(&seats).acquire_owned().await.expect("the semaphore is never closed");
        // A client whose connection fails before it is accepted has had its turn.
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (reader, writer) = stream.into_split();
        let gone = room.enter(number, writer).await;
        let room = Arc::clone(&room);
        tokio::spawn(async move {
            worker(&room, number, reader, &gone, version).await;
            drop(seat);
        });
    }
    // Each worker keeps its seat until it ends.
    let _all = seats.acquire_many(at_once as u32).await.expect("the semaphore is never closed");
}

/// Serves one client. A failure of its connection concerns nobody else.
async fn worker(room: &Room, number: usize, reader: OwnedReadHalf, gone: &AtomicBool, version: Version) {
    let served = serve(room, number, reader, gone, version).await;
    if version == Version::DoubleRemoval && served.is_err() {
        room.remove(number).await;
    }
}

/// Serves one client to the end of its input, and closes its connection.
async fn serve(
    room: &Room,
    number: usize,
    reader: OwnedReadHalf,
    gone: &AtomicBool,
    version: Version,
) -> io::Result<()> {
    let relayed = relay(room, reader, version).await;
    gone.store(true, Ordering::Relaxed);
    // The caller removes a worker that has failed, not expecting that it can fail from here on.
    if version == Version::DoubleRemoval && relayed.is_err() {
        return relayed;
    }
    let writer = room.remove(number).await;
    relayed?;
    match writer {
        Some(mut writer) => writer.shutdown().await,
        None => Ok(()),
    }
}

/// Sends each line of one client to all of them.
async fn relay(room: &Room, reader: OwnedReadHalf, version: Version) -> io::Result<()> {
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await? {
        room.send_all(&line, version).await;
    }
    Ok(())
}

/// State that the workers share.
#[derive(Default)]
struct Room {
    members: Mutex<Members>,
}

#[derive(Default)]
struct Members {
    clients: BTreeMap<usize, Client>,
    active_workers: usize,
}

/// How a client is reached.
struct Client {
    writer: OwnedWriteHalf,
    /// Its worker has met the end of its connection, and is about to remove it.
    gone: Arc<AtomicBool>,
}

impl Room {
    /// Returns how the client's worker tells that it has gone.
    async fn enter(&self, number: usize, writer: OwnedWriteHalf) -> Arc<AtomicBool> {
        let mut members = self.members.lock().await;
        members.active_workers += 1;
        let gone = Arc::new(AtomicBool::new(false));
        members.clients.insert(number, Client { writer, gone: Arc::clone(&gone) });
        gone
    }

    /// Returns the client's connection, if it has not been lost.
    async fn remove(&self, number: usize) -> Option<OwnedWriteHalf> {
        let mut members = self.members.lock().await;
        let others = members.active_workers.checked_sub(1);
        members.active_workers = others.expect("no more workers end than have begun");
        members.clients.remove(&number).map(|client| client.writer)
    }

    /// Sends to all, in the order of their coming. Who can't be sent to has left.
    async fn send_all(&self, line: &str, version: Version) {
        let line = format!("{line}\n");
        let mut members = self.members.lock().await;
        let mut lost = Vec::new();
        for (&number, client) in &mut members.clients {
            let Err(error) = client.writer.write_all(line.as_bytes()).await else { continue };
            // As in the paper, nothing is done about a client that could not be sent this line alone.
            if version == Version::HaltedSend && error.kind() == ErrorKind::OutOfMemory {
                break;
            }
            lost.push(number);
            if version == Version::HaltedSend && !client.had_gone(&error) {
                break;
            }
        }
        members.clients.retain(|number, _| !lost.contains(number));
    }
}

impl Client {
    /// Whether the connection had failed before: then that a write fails is no news.
    fn had_gone(&self, error: &io::Error) -> bool {
        error.kind() == ErrorKind::ConnectionReset || self.gone.load(Ordering::Relaxed)
    }
}

/// Sends a line, and reads until it comes back.
pub async fn client(server: String, line: String) -> Result<(), ErrorKind> {
    chat(server, &line).await.map_err(|error| error.kind())
}

async fn chat(server: String, line: &str) -> io::Result<()> {
    let mut stream = TcpStream::connect(server).await?;
    let (reader, mut writer) = stream.split();
    writer.write_all(format!("{line}\n").as_bytes()).await?;
    let mut lines = BufReader::new(reader).lines();
    while lines.next_line().await?.ok_or(ErrorKind::UnexpectedEof)? != line {}
    writer.shutdown().await
}
