//! The echo server and client (papers/tcp-transmission-failures.txt, section 5.1, Figure 4),
//! as one writes them on tokio.
//!
//! It is compiled twice: `real.rs` gives it tokio, `checked.rs` netcheck under that name.

use super::tokio;
use std::io::{self, ErrorKind};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The client as the paper found it, and as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Does not expect the end of the stream where an answer should be (Figure 4).
    Seeded,
    /// Takes it for a failure like any other.
    Corrected,
}

/// Answers so many clients, each in a task of its own, and ends with the last of them.
pub async fn server(address: String, clients: usize) {
    let listener = TcpListener::bind(address).await.expect("the server's port is free");
    let mut workers = Vec::new();
    for _ in 0..clients {
        // A client whose connection fails before it is accepted has had its turn.
        if let Ok((stream, _)) = listener.accept().await {
            workers.push(tokio::spawn(worker(stream)));
        }
    }
    for worker in workers {
        worker.await.expect("a worker does not panic");
    }
}

isolated! {
    /// Serves one client. A failure concerns nobody else, and the client meets it as well.
    async fn worker(stream: TcpStream) {
        let _ = echo(stream).await;
    }
}

async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let (reader, mut writer) = stream.split();
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await? {
        writer.write_all(format!("Echo {line}\n").as_bytes()).await?;
    }
    writer.shutdown().await
}

/// Sends so many lines, then reads as many answers, and gives them.
pub async fn client(server: String, lines: usize, version: Version) -> Result<Vec<String>, ErrorKind> {
    ask(server, lines, version).await.map_err(|error| error.kind())
}

async fn ask(server: String, lines: usize, version: Version) -> io::Result<Vec<String>> {
    let mut stream = TcpStream::connect(server).await?;
    let (reader, mut writer) = stream.split();
    for line in 0..lines {
        writer.write_all(format!("{line}\n").as_bytes()).await?;
    }
    let mut reader = BufReader::new(reader).lines();
    let mut answers = Vec::new();
    for _ in 0..lines {
        let answer = reader.next_line().await?;
        answers.push(match version {
            Version::Seeded => answer.expect("each line is answered"),
            Version::Corrected => answer.ok_or(ErrorKind::UnexpectedEof)?,
        });
    }
    writer.shutdown().await?;
    Ok(answers)
}
