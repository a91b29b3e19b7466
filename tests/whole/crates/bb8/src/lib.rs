//! A server that answers lines, and clients that share its connections by a pool of bb8.

use bb8::{ManageConnection, Pool, RunError};
use std::io::{Error, ErrorKind, Result};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Answers each line with itself, on port 7000.
pub async fn server() -> Result<()> {
    let listener = TcpListener::bind("0.0.0.0:7000").await?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            let mut line = Line::new(stream);
            while let Some(text) = line.read().await? {
                line.write(&text).await?;
            }
            Ok::<(), Error>(())
        });
    }
}

/// A connection on which texts are sent as lines.
pub struct Line {
    stream: BufReader<TcpStream>,
    /// A request has been sent, or a part of it, and its answer has not been read.
    pending: bool,
    /// How many pings with a number were sent.
    pings: u32,
}

impl Line {
    fn new(stream: TcpStream) -> Line {
        Line { stream: BufReader::new(stream), pending: false, pings: 0 }
    }

    /// The next line, or `None` at the end of the stream.
    async fn read(&mut self) -> Result<Option<String>> {
        let mut text = String::new();
        let bytes = self.stream.read_line(&mut text).await?;
        Ok((bytes > 0).then(|| text.trim_end().to_owned()))
    }

    async fn write(&mut self, text: &str) -> Result<()> {
        self.stream.write_all(format!("{text}\n").as_bytes()).await
    }

    /// Sends a request and returns its answer.
    pub async fn ask(&mut self, request: &str) -> Result<String> {
        self.pending = true;
        self.write(request).await?;
        let answer = self.read().await?.ok_or(ErrorKind::UnexpectedEof)?;
        self.pending = false;
        Ok(answer)
    }
}

/// How a pool tells that a connection can be used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// It takes each connection for a good one.
    Nothing,
    /// The connection has no answer to come.
    Pending,
    /// The server answers a ping before the connection is used.
    Ping,
    /// The same, but each ping has a number.
    NumberedPing,
}

/// Makes connections to the server.
pub struct Lines(Test);

impl ManageConnection for Lines {
    type Connection = Line;
    type Error = Error;

    async fn connect(&self) -> Result<Line> {
        TcpStream::connect("server:7000").await.map(Line::new)
    }

    async fn is_valid(&self, line: &mut Line) -> Result<()> {
        let mut ping = "ping".to_owned();
        if self.0 == Test::NumberedPing {
            line.pings += 1;
            ping += &line.pings.to_string();
        }
        if line.ask(&ping).await? == ping { Ok(()) } else { Err(ErrorKind::InvalidData.into()) }
    }

    fn has_broken(&self, line: &mut Line) -> bool {
        self.0 == Test::Pending && line.pending
    }
}

/// A pool of one connection, which is made when it is first needed.
pub fn pool(test: Test) -> Pool<Lines> {
    Pool::builder()
        .max_size(1)
        .max_lifetime(None)
        .idle_timeout(None)
        .connection_timeout(Duration::from_secs(5))
        .retry_connection(false)
        .test_on_check_out(matches!(test, Test::Ping | Test::NumberedPing))
        .build_unchecked(Lines(test))
}

/// Sends a request on a connection of the pool, and returns its answer.
pub async fn asks(pool: &Pool<Lines>, request: &str) -> std::result::Result<String, RunError<Error>> {
    Ok(pool.get().await?.ask(request).await?)
}

/// Asks for one thing, and then for another one. The first request may be cancelled at any time.
pub async fn cancels_and_asks(test: Test) -> std::result::Result<String, RunError<Error>> {
    let pool = pool(test);
    let cancelled = tokio::spawn(async {});
    tokio::select! {
        _ = asks(&pool, "one") => {}
        _ = cancelled => {}
    }
    asks(&pool, "two").await
}
