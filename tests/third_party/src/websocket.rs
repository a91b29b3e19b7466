//! WebSocket by tokio-tungstenite, client and server, over a stream that is given to it: the
//! handshake, a text each way, and the handshake of closing.
//!
//! tungstenite draws random numbers in two places, both for clients only:
//! - the key of the handshake (`generate_key`), if it makes the request. Here the request is made
//!   by hand, with a fixed key, as an application may;
//! - the mask of each frame (`generate_mask`). Servers send without one. There is no setting for it: it comes from
//!   `rand::random`, thus from a generator of the thread. A check fixes what that draws, so the masks are the same in
//!   each run. Most programs here have masks that are easier to read and the same everywhere: [`FixedMask`] writes each
//!   frame with one that is as good for the server as any other.

use super::tokio;
use futures::{SinkExt, StreamExt};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::http::Request;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, accept_async, client_async};

/// The text that the client says; the server says it in capitals.
const REQUEST: &str = "ab";

/// The text that the server says by itself, where it is not asked.
const NEWS: &str = "a";

/// The text that came back, and how the connection ended.
pub(crate) async fn ask(server: &str) -> Result<String, String> {
    let ask = async { ask_over(FixedMask::new(connected(server).await?)).await };
    ask.await.map_err(|error| error.to_string())
}

/// As [`ask`], with the masks that tungstenite draws.
pub(crate) async fn ask_with_random_masks(server: &str) -> Result<String, String> {
    let ask = async { ask_over(connected(server).await?).await };
    ask.await.map_err(|error| error.to_string())
}

/// The connection may break before the client knows of it.
async fn connected(server: &str) -> tungstenite::Result<TcpStream> {
    Ok(TcpStream::connect(server).await?)
}

async fn accepted(listener: TcpListener) -> TcpStream {
    let (stream, _) = listener.accept().await.expect("accepting can not fail");
    stream
}

async fn ask_over<S: AsyncRead + AsyncWrite + Unpin>(stream: S) -> tungstenite::Result<String> {
    let (mut socket, _) = client_async(upgrade(), stream).await?;
    socket.send(Message::text(REQUEST)).await?;
    let answer = next_text(&mut socket).await?.ok_or(tungstenite::Error::ConnectionClosed)?;
    assert_eq!(answer, REQUEST.to_uppercase(), "the answer");
    socket.close(None).await?;
    assert_eq!(next_text(&mut socket).await?, None, "after the end");
    Ok(answer)
}

/// Answers one client, and says what it said.
pub(crate) async fn answer(listener: TcpListener) -> Result<Vec<String>, String> {
    answer_over(accepted(listener).await).await.map_err(|error| error.to_string())
}

async fn answer_over(stream: TcpStream) -> tungstenite::Result<Vec<String>> {
    let mut socket = accept_async(stream).await?;
    let mut requests = Vec::new();
    while let Some(request) = next_text(&mut socket).await? {
        assert_eq!(request, REQUEST, "the request");
        socket.send(Message::text(request.to_uppercase())).await?;
        requests.push(request);
    }
    Ok(requests)
}

/// Hears what the server says on a connection that begins with frames.
pub(crate) async fn hear(server: &str) -> Result<String, String> {
    let hear = async {
        let stream = FixedMask { stream: connected(server).await?, at: Position::Frame };
        hear_over(&mut WebSocketStream::from_raw_socket(stream, Role::Client, None).await).await
    };
    hear.await.map_err(|error| error.to_string())
}

async fn hear_over<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>) -> tungstenite::Result<String> {
    let heard = next_text(socket).await?.ok_or(tungstenite::Error::ConnectionClosed)?;
    assert_eq!(heard, NEWS, "what was said");
    assert_eq!(next_text(socket).await?, None, "after the end");
    Ok(heard)
}

/// Says one text on a connection that begins with frames, and closes.
pub(crate) async fn tell(listener: TcpListener) -> Result<(), String> {
    let mut socket = WebSocketStream::from_raw_socket(accepted(listener).await, Role::Server, None).await;
    tell_over(&mut socket).await.map_err(|error| error.to_string())
}

async fn tell_over(socket: &mut WebSocketStream<TcpStream>) -> tungstenite::Result<()> {
    socket.send(Message::text(NEWS)).await?;
    socket.close(None).await?;
    assert_eq!(next_text(socket).await?, None, "the client only listens");
    Ok(())
}

/// The next text; none once both sides have closed.
async fn next_text<S>(socket: &mut WebSocketStream<S>) -> tungstenite::Result<Option<String>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(message) = socket.next().await {
        if let Message::Text(text) = message? {
            return Ok(Some(text.to_string()));
        }
    }
    Ok(None)
}

/// The request of RFC 6455, section 1.2.
fn upgrade() -> Request<()> {
    Request::get("ws://server/")
        .header("Host", "server")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
        .body(())
        .expect("a request")
}

/// The mask of the example in RFC 6455, section 5.7.
const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

/// A client's stream, on which the mask of each frame is [`MASK`].
struct FixedMask<S> {
    stream: S,
    at: Position,
}

/// The place of the next byte that the client writes.
#[derive(Clone, Copy)]
enum Position {
    /// A byte of the handshake, the last so many bytes of which may be the start of [`END_OF_HEAD`].
    Handshake { matched: usize },
    /// The first byte of a frame.
    Frame,
    /// Its second.
    Length,
    /// A byte of the mask that was drawn.
    Mask { index: usize, drawn: [u8; 4], length: usize },
    /// A byte of the payload.
    Payload { index: usize, drawn: [u8; 4], length: usize },
}

const END_OF_HEAD: &[u8] = b"\r\n\r\n";

impl Position {
    /// The byte to be written instead of `byte`.
    fn pass(&mut self, byte: u8) -> u8 {
        let (written, next) = match *self {
            Position::Handshake { matched } => {
                let matched =
                    if byte == END_OF_HEAD[matched] { matched + 1 } else { usize::from(byte == END_OF_HEAD[0]) };
                let is_end = matched == END_OF_HEAD.len();
                (byte, if is_end { Position::Frame } else { Position::Handshake { matched } })
            }
            Position::Frame => (byte, Position::Length),
            Position::Length => {
                let (is_masked, length) = (byte & 0x80 != 0, usize::from(byte & 0x7f));
                assert!(is_masked && length < 126, "a client's frame, and no long one");
                (byte, Position::Mask { index: 0, drawn: [0; 4], length })
            }
            Position::Mask { index, mut drawn, length } => {
                drawn[index] = byte;
                let next = match (index + 1, length) {
                    (4, 0) => Position::Frame,
                    (4, length) => Position::Payload { index: 0, drawn, length },
                    (index, length) => Position::Mask { index, drawn, length },
                };
                (MASK[index], next)
            }
            Position::Payload { index, drawn, length } => {
                let is_last = index + 1 == length;
                let next =
                    if is_last { Position::Frame } else { Position::Payload { index: index + 1, drawn, length } };
                (byte ^ drawn[index % 4] ^ MASK[index % 4], next)
            }
        };
        *self = next;
        written
    }
}

impl<S> FixedMask<S> {
    fn new(stream: S) -> Self {
        FixedMask { stream, at: Position::Handshake { matched: 0 } }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FixedMask<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FixedMask<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut at = self.at;
        let fixed: Vec<u8> = bytes.iter().map(|&byte| at.pass(byte)).collect();
        let length = ready!(Pin::new(&mut self.stream).poll_write(cx, &fixed))?;
        for &byte in &bytes[..length] {
            self.at.pass(byte);
        }
        Poll::Ready(Ok(length))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
