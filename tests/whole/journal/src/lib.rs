//! A service that notes what it is told, and says it again. It is told over UDP, and answers when it has noted it.

pub use journal_log::Syncs;

use journal_log::Journal;
use std::io;
use std::path::Path;
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

/// The folder of the journal.
pub const FOLDER: &str = "/var/lib/journal";

/// Notes each datagram but `?`, which it answers with all that it has noted.
pub async fn server(syncs: Syncs) -> io::Result<()> {
    let (mut journal, mut noted) = Journal::open(Path::new(FOLDER), syncs)?;
    let socket = UdpSocket::bind("0.0.0.0:4000").await?;
    let mut buffer = [0; 64];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await?;
        let line = String::from_utf8_lossy(&buffer[..length]).into_owned();
        if line == "?" {
            socket.send_to(noted.join(",").as_bytes(), from).await?;
            continue;
        }
        if !noted.contains(&line) {
            journal.append(&line)?;
            noted.push(line.clone());
        }
        socket.send_to(line.as_bytes(), from).await?;
    }
}

/// Asks until there is an answer.
async fn ask(socket: &UdpSocket, question: &str) -> io::Result<String> {
    let mut buffer = [0; 64];
    loop {
        socket.send_to(question.as_bytes(), "server:4000").await?;
        if let Ok(received) = timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await {
            return Ok(String::from_utf8_lossy(&buffer[..received?]).into_owned());
        }
    }
}

/// Has three lines noted, and returns those that are noted then.
pub async fn client() -> io::Result<Vec<String>> {
    for line in ["a", "b", "c"] {
        let socket = UdpSocket::bind("0.0.0.0:0").await?;
        let answer = ask(&socket, line).await?;
        assert_eq!(answer, line);
    }
    let socket = UdpSocket::bind("0.0.0.0:0").await?;
    Ok(ask(&socket, "?").await?.split(',').map(str::to_owned).collect())
}
