//! HTTP/1.1 by hyper, client and server: two requests on one connection that is kept alive.
//!
//! What hyper takes from outside, and what shows of it:
//! - the date of a response, from `SystemTime`, kept in a thread-local for a second. The server's connection reads it
//!   in each poll, which is the check's clock and a step of its own. The thread-local outlives a run, and would be on
//!   the wire; `auto_date_header(false)` leaves it out;
//! - a time-out for the head of a request, which needs a timer. None is given, so there is none;
//! - `http::HeaderMap` has a randomly seeded hasher in reserve, for names chosen to collide. The
//!   headers are in a `Vec`, in the order in which they were inserted, and are written in that.

use super::tokio;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper::{Request, Response};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// The bodies of the requests, in this order; those of the answers are the same in capitals.
const REQUESTS: [&str; 2] = ["ab", "c"];

/// Sends all requests on one connection; each is answered, or has an error of its own.
pub(crate) async fn ask(server: &str) -> Vec<Result<String, String>> {
    let stream = match TcpStream::connect(server).await {
        Ok(stream) => stream,
        // The connection may break before the client knows of it.
        Err(error) => return vec![Err(error.to_string())],
    };
    let (mut sender, connection) = handshake(HyperStream(stream)).await.expect("nothing is exchanged yet");
    let connection = tokio::spawn(connection);
    let mut answers = Vec::new();
    for request in REQUESTS {
        let answer = answer_to(&mut sender, request).await.map_err(|error| error.to_string());
        assert!(answer.as_ref().is_err() || answer == Ok(request.to_uppercase()), "the answer {answer:?}");
        answers.push(answer);
    }
    drop(sender);
    // What is wrong with the connection is what its requests were told.
    let _ = connection.await.expect("the connection's task ends by itself");
    answers
}

async fn answer_to(sender: &mut SendRequest<Full<Bytes>>, body: &'static str) -> hyper::Result<String> {
    sender.ready().await?;
    let request = Request::post("/").header("host", "server").body(Full::from(body)).expect("a request");
    let response = sender.send_request(request).await?;
    text(response.into_body()).await
}

/// Answers the requests of the first connection.
pub(crate) async fn answer(listener: TcpListener) -> Result<(), String> {
    let (stream, _) = listener.accept().await.expect("accepting can not fail");
    serve(stream).await
}

/// Answers the requests of a connection.
pub(crate) async fn serve(stream: TcpStream) -> Result<(), String> {
    let service = service_fn(|request: Request<Incoming>| async {
        let request = text(request.into_body()).await?;
        assert!(REQUESTS.contains(&&*request), "a request that nobody sent: {request:?}");
        hyper::Result::Ok(Response::new(Full::<Bytes>::from(request.to_uppercase())))
    });
    let connection = Builder::new().auto_date_header(false).serve_connection(HyperStream(stream), service);
    connection.await.map_err(|error| error.to_string())
}

async fn text(body: Incoming) -> hyper::Result<String> {
    let bytes = body.collect().await?.to_bytes();
    Ok(String::from_utf8(bytes.to_vec()).expect("text"))
}

/// Bytes that are read at once, at the most.
const READ_BYTES_MAX: usize = 1024;

/// A stream of tokio's as hyper wants it.
pub(crate) struct HyperStream(pub(crate) TcpStream);

impl hyper::rt::Read for HyperStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut into: hyper::rt::ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; READ_BYTES_MAX];
        let room = into.remaining().min(READ_BYTES_MAX);
        let mut buffer = ReadBuf::new(&mut bytes[..room]);
        ready!(Pin::new(&mut self.0).poll_read(cx, &mut buffer))?;
        into.put_slice(buffer.filled());
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for HyperStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(cx, slices)
    }
}
