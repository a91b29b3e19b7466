//! A chat server: what a peer says goes to the queues of all others, and from there to them.
//!
//! A peer is told how many others there are (`* 1 here`), when one comes (`* joined`) and goes (`* left`), and what they
//! say.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck as tokio;

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::timeout;

/// The server as it should be, and with a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A peer is among the others from the instant at which these are counted.
    Corrected,
    /// A peer is among the others once it was told how many there are. Of two who come at the same time, one does not
    /// know of the other.
    WelcomedFirst,
}

/// The queues of all peers.
#[derive(Clone, Default)]
struct Room(Arc<Mutex<BTreeMap<u32, UnboundedSender<String>>>>);

impl Room {
    fn others(&self) -> usize {
        self.0.lock().expect("no panic with the lock").len()
    }

    /// Returns how many others there are.
    fn enter(&self, peer: u32, queue: UnboundedSender<String>) -> usize {
        let mut peers = self.0.lock().expect("no panic with the lock");
        send_all(&peers, "* joined");
        peers.insert(peer, queue);
        peers.len() - 1
    }

    fn leave(&self, peer: u32) {
        let mut peers = self.0.lock().expect("no panic with the lock");
        if peers.remove(&peer).is_some() {
            send_all(&peers, "* left");
        }
    }

    fn say(&self, peer: u32, line: &str) {
        let peers = self.0.lock().expect("no panic with the lock");
        let others = peers.iter().filter(|(other, _)| **other != peer);
        others.for_each(|(_, queue)| send(queue, line));
    }
}

fn send_all(peers: &BTreeMap<u32, UnboundedSender<String>>, line: &str) {
    peers.values().for_each(|queue| send(queue, line));
}

/// Who is about to leave need not hear it.
fn send(queue: &UnboundedSender<String>, line: &str) {
    let _ = queue.send(line.to_owned());
}

/// Serves everybody who comes.
pub async fn serve(listener: TcpListener, version: Version) -> io::Result<()> {
    let room = Room::default();
    let mut peer = 0;
    loop {
        let (stream, _) = listener.accept().await?;
        peer += 1;
        tokio::spawn(attend(room.clone(), peer, stream, version));
    }
}

async fn attend(room: Room, peer: u32, stream: TcpStream, version: Version) -> io::Result<()> {
    let (sender, queue) = mpsc::unbounded_channel();
    let result = converse(&room, peer, stream, sender, queue, version).await;
    room.leave(peer);
    result
}

async fn converse(
    room: &Room,
    peer: u32,
    stream: TcpStream,
    sender: UnboundedSender<String>,
    mut queue: UnboundedReceiver<String>,
    version: Version,
) -> io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    match version {
        Version::Corrected => {
            let others = room.enter(peer, sender);
            writer.write_all(format!("* {others} here\n").as_bytes()).await?;
        }
        Version::WelcomedFirst => {
            writer.write_all(format!("* {} here\n", room.others()).as_bytes()).await?;
            room.enter(peer, sender);
        }
    }
    let mut lines = BufReader::new(reader).lines();
    loop {
        tokio::select! {
            Some(line) = queue.recv() => writer.write_all(format!("{line}\n").as_bytes()).await?,
            line = lines.next_line() => match line? {
                Some(line) => room.say(peer, &line),
                None => return Ok(()),
            },
        }
    }
}

/// Waits for company, says a line, and leaves once somebody else has said one. Returns what it has heard.
pub async fn talk(address: &str, line: &str, patience: Duration) -> io::Result<Vec<String>> {
    let mut stream = BufReader::new(TcpStream::connect(address).await?);
    if next_line(&mut stream).await? == "* 0 here" {
        timeout(patience, next_line(&mut stream)).await??;
    }
    stream.write_all(format!("{line}\n").as_bytes()).await?;
    let mut heard = Vec::new();
    loop {
        match next_line(&mut stream).await?.as_str() {
            "* joined" => {}
            "* left" => break,
            said => {
                heard.push(said.to_owned());
                break;
            }
        }
    }
    stream.shutdown().await?;
    // What was on its way is heard, too.
    while let Ok(said) = next_line(&mut stream).await {
        if !said.starts_with('*') {
            heard.push(said);
        }
    }
    Ok(heard)
}

async fn next_line(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let whole = line.strip_suffix('\n').ok_or(ErrorKind::UnexpectedEof)?;
    Ok(whole.to_owned())
}

#[cfg(test)]
mod systems;
#[cfg(test)]
mod tests;
