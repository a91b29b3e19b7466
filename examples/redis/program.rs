//! A client of Redis: commands in one go (a pipeline), in version 2 of its protocol (RESP).
//!
//! It is compiled twice: `real.rs` gives it tokio, `checked.rs` netcheck under that name.

use super::tokio;
use std::io::{self, ErrorKind};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// How a visit is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// `INCR`, and once more on a new connection if that fails: if only the answer was lost, the visit counts twice.
    Incremented,
    /// The visitor is added to a set, which may be done twice.
    Added,
}

/// A part of an answer that counts as a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// All that `read_line` returns. At the end of a stream that is the beginning of a line: of `:12`, it may be `:1`.
    AsRead,
    /// Bytes with an end of line after them.
    Whole,
}

/// An answer of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Status(String),
    Number(i64),
    /// Bytes; `None` if there are none under that key.
    Bytes(Option<Vec<u8>>),
    /// The mistake in the command.
    Refused(String),
}

/// A connection to a server.
pub struct Redis {
    stream: BufReader<TcpStream>,
    lines: Lines,
}

impl Redis {
    pub async fn connect(address: &str, lines: Lines) -> io::Result<Self> {
        Ok(Redis { stream: BufReader::new(TcpStream::connect(address).await?), lines })
    }

    /// Sends commands in one go, and takes their answers.
    pub async fn run(&mut self, commands: &[&[&str]]) -> io::Result<Vec<Answer>> {
        let mut request = String::new();
        for words in commands {
            request += &format!("*{}\r\n", words.len());
            for word in *words {
                request += &format!("${}\r\n{word}\r\n", word.len());
            }
        }
        self.stream.write_all(request.as_bytes()).await?;
        let mut answers = Vec::new();
        for _ in commands {
            answers.push(self.answer().await?);
        }
        Ok(answers)
    }

    async fn answer(&mut self) -> io::Result<Answer> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await?;
        if read == 0 || (self.lines == Lines::Whole && !line.ends_with('\n')) {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end();
        let (kind, rest) = line.split_at_checked(1).ok_or(ErrorKind::InvalidData)?;
        let number = || rest.parse::<i64>().map_err(|_| io::Error::from(ErrorKind::InvalidData));
        Ok(match kind {
            "+" => Answer::Status(rest.to_owned()),
            "-" => Answer::Refused(rest.to_owned()),
            ":" => Answer::Number(number()?),
            "$" => match usize::try_from(number()?) {
                Err(_) => Answer::Bytes(None),
                Ok(length) => {
                    let mut bytes = vec![0; length + 2];
                    self.stream.read_exact(&mut bytes).await?;
                    bytes.truncate(length);
                    Answer::Bytes(Some(bytes))
                }
            },
            _ => return Err(ErrorKind::InvalidData.into()),
        })
    }
}

/// Counts a visit; returns how many there were. If the connection fails, it tries once more.
pub async fn visit(address: &str, visitor: &str, version: Version) -> io::Result<i64> {
    match count(address, visitor, version).await {
        Ok(visits) => Ok(visits),
        Err(_) => count(address, visitor, version).await,
    }
}

async fn count(address: &str, visitor: &str, version: Version) -> io::Result<i64> {
    let mut redis = Redis::connect(address, Lines::Whole).await?;
    let commands: &[&[&str]] = match version {
        Version::Incremented => &[&["INCR", "n"], &["EXPIRE", "n", "60"]],
        Version::Added => &[&["SADD", "v", visitor], &["SCARD", "v"]],
    };
    let answers = redis.run(commands).await?;
    let counted = match version {
        Version::Incremented => &answers[0],
        Version::Added => &answers[1],
    };
    match counted {
        Answer::Number(visits) => Ok(*visits),
        other => Err(io::Error::other(format!("no number: {other:?}"))),
    }
}

/// Whether the server is there.
pub async fn ping(address: &str, lines: Lines) -> io::Result<bool> {
    let mut redis = Redis::connect(address, lines).await?;
    Ok(redis.run(&[&["PING"]]).await? == [Answer::Status("PONG".to_owned())])
}

/// Keeps a value for a while, and reads it.
pub async fn keep(address: &str, key: &str, value: &str) -> io::Result<bool> {
    let mut redis = Redis::connect(address, Lines::Whole).await?;
    let answers = redis.run(&[&["SET", key, value, "EX", "60"], &["GET", key]]).await?;
    Ok(answers[1] == Answer::Bytes(Some(value.as_bytes().to_vec())))
}
