//! A server with a task for each client, which sends back each line, and clients of it.

use std::io::{self, ErrorKind};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};

/// Sends each client its lines back.
pub async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(answer(stream));
    }
}

async fn answer(stream: TcpStream) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        stream.write_all(line.as_bytes()).await?;
    }
}

/// Says two lines in turn, on one connection.
pub async fn ask_for_ever(server: impl ToSocketAddrs) -> io::Result<()> {
    let mut stream = BufReader::new(TcpStream::connect(server).await?);
    loop {
        ask(&mut stream, "one\n").await?;
        ask(&mut stream, "two\n").await?;
    }
}

/// Says a line on a connection, and then on another one.
pub async fn connect_for_ever(server: impl ToSocketAddrs + Clone) -> io::Result<()> {
    loop {
        ask_once(server.clone(), "one\n").await?;
    }
}

/// Says a line on a connection of its own.
pub async fn ask_once(server: impl ToSocketAddrs, line: &str) -> io::Result<()> {
    ask(&mut BufReader::new(TcpStream::connect(server).await?), line).await
}

async fn ask(stream: &mut BufReader<TcpStream>, line: &str) -> io::Result<()> {
    stream.write_all(line.as_bytes()).await?;
    let mut answer = String::new();
    if stream.read_line(&mut answer).await? == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    assert_eq!(answer, line, "the answer to another request");
    Ok(())
}
