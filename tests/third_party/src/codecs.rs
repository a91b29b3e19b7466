//! Requests and answers as frames of `tokio_util::codec`: lines, and frames that begin with
//! their length. The codecs draw no random numbers and read no clock.

use super::tokio;
use futures::{SinkExt, StreamExt};
use std::io;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::bytes::Bytes;
use tokio_util::codec::{Framed, LengthDelimitedCodec, LinesCodec, LinesCodecError};

/// The requests, in this order; the answers are the same in capitals.
const REQUESTS: [&str; 2] = ["ab", "c"];

type Answers = Result<Vec<String>, io::ErrorKind>;

pub(crate) async fn ask_in_lines(server: &str) -> Answers {
    let mut lines = Framed::new(connected(server).await?, LinesCodec::new());
    let mut answers = Vec::new();
    for request in REQUESTS {
        lines.send(request).await.map_err(line_error)?;
        let answer = lines.next().await.ok_or(io::ErrorKind::UnexpectedEof)?.map_err(line_error)?;
        assert_eq!(answer, request.to_uppercase(), "the answer");
        answers.push(answer);
    }
    Ok(answers)
}

pub(crate) async fn answer_lines(listener: TcpListener) -> Answers {
    let mut lines = Framed::new(accepted(listener).await?, LinesCodec::new());
    let mut requests = Vec::new();
    while let Some(request) = lines.next().await {
        let request = request.map_err(line_error)?;
        assert!(REQUESTS.contains(&&*request), "a request that nobody sent: {request:?}");
        lines.send(request.to_uppercase()).await.map_err(line_error)?;
        requests.push(request);
    }
    Ok(requests)
}

pub(crate) async fn ask_with_lengths(server: &str) -> Answers {
    let mut frames = Framed::new(connected(server).await?, with_length());
    let mut answers = Vec::new();
    for request in REQUESTS {
        frames.send(Bytes::from(request)).await.map_err(kind)?;
        let answer = frames.next().await.ok_or(io::ErrorKind::UnexpectedEof)?.map_err(kind)?;
        let answer = String::from_utf8(answer.to_vec()).expect("text");
        assert_eq!(answer, request.to_uppercase(), "the answer");
        answers.push(answer);
    }
    Ok(answers)
}

pub(crate) async fn answer_with_lengths(listener: TcpListener) -> Answers {
    let mut frames = Framed::new(accepted(listener).await?, with_length());
    let mut requests = Vec::new();
    while let Some(request) = frames.next().await {
        let request = String::from_utf8(request.map_err(kind)?.to_vec()).expect("text");
        assert!(REQUESTS.contains(&&*request), "a request that nobody sent: {request:?}");
        frames.send(Bytes::from(request.to_uppercase())).await.map_err(kind)?;
        requests.push(request);
    }
    Ok(requests)
}

/// One byte says how long a frame is: each further one doubles the ways to split it.
fn with_length() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder().length_field_type::<u8>().new_codec()
}

async fn connected(server: &str) -> Result<TcpStream, io::ErrorKind> {
    TcpStream::connect(server).await.map_err(kind)
}

async fn accepted(listener: TcpListener) -> Result<TcpStream, io::ErrorKind> {
    listener.accept().await.map(|(stream, _)| stream).map_err(kind)
}

fn kind(error: io::Error) -> io::ErrorKind {
    error.kind()
}

fn line_error(error: LinesCodecError) -> io::ErrorKind {
    match error {
        LinesCodecError::Io(error) => kind(error),
        LinesCodecError::MaxLineLengthExceeded => io::ErrorKind::InvalidData,
    }
}
