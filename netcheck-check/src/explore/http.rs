//! Requests and responses of HTTP/1.1 ([RFC 9112](https://www.rfc-editor.org/rfc/rfc9112)), as much as a browser needs: one on each
//! connection.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Bytes of a request's head, and of its body, at the most: paths of some ten thousand steps.
const HEAD_BYTES_MAX: usize = 64 << 10;
const BODY_BYTES_MAX: usize = 64 << 20;

const HEADERS_MAX: usize = 100;

/// The content security policy of the page: it loads nothing, and asks this server only.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Why a request is not answered: the status of HTTP, and a sentence.
pub(super) type Refusal = (u16, String);

/// How long the other end may take to read a response.
const READ_WITHIN: Duration = Duration::from_secs(10);

/// A connection, and what has come of a request.
pub(super) struct Received {
    stream: TcpStream,
    bytes: Vec<u8>,
    is_at_end: bool,
}

impl Received {
    /// Nothing so far; `None` if the connection is gone already.
    pub(super) fn new(stream: TcpStream) -> Option<Received> {
        stream.set_nonblocking(true).ok()?;
        Some(Received { stream, bytes: Vec::new(), is_at_end: false })
    }

    /// Takes what has come. Returns false if nothing can come of it any more.
    pub(super) fn goes_on(&mut self) -> bool {
        let mut some = [0; 16 << 10];
        while !self.is_at_end && self.bytes.len() <= HEAD_BYTES_MAX + BODY_BYTES_MAX {
            match self.stream.read(&mut some) {
                Ok(0) => self.is_at_end = true,
                Ok(count) => self.bytes.extend(&some[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        // The other end may have nothing more to say.
        self.request().is_some()
    }

    /// The request, once all of it has come, or why there is none.
    pub(super) fn request(&self) -> Option<Result<Request, Refusal>> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut parsed = httparse::Request::new(&mut headers);
        let head = match parsed.parse(&self.bytes) {
            Ok(httparse::Status::Complete(head)) => head,
            Ok(httparse::Status::Partial) if self.bytes.len() <= HEAD_BYTES_MAX => return None,
            Ok(httparse::Status::Partial) => return Some(Err((431, "the head of the request is too long".to_owned()))),
            Err(error) => return Some(Err((400, format!("the request can't be read: {error}")))),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut request = Request {
            method: parsed.method.unwrap_or_default().to_owned(),
            url: parsed.path.unwrap_or_default().to_owned(),
            headers: parsed.headers.iter().map(|header| (header.name.to_owned(), text(header.value))).collect(),
            body: Vec::new(),
        };
        let has = |name: &str| request.headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name));
        if has("Transfer-Encoding") {
            return Some(Err((411, "the request has to say its length: Content-Length".to_owned())));
        }
        let bytes = match request.header("Content-Length").map(str::parse::<usize>) {
            None if has("Content-Length") => Err((400, "the request has several lengths".to_owned())),
            None => Ok(0),
            Some(Ok(bytes)) if bytes > BODY_BYTES_MAX => {
                Err((413, format!("a request has {BODY_BYTES_MAX} bytes at the most")))
            }
            Some(bytes) => bytes.map_err(|error| (400, format!("the length of the request can't be read: {error}"))),
        };
        match bytes {
            Ok(bytes) => {
                request.body = self.bytes.get(head..head + bytes)?.to_vec();
                Some(Ok(request))
            }
            Err(refusal) => Some(Err(refusal)),
        }
    }

    /// The other direction of the connection, for the response.
    pub(super) fn into_respond(self) -> Respond {
        Respond(self.stream)
    }
}

/// A request.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) url: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// The only header of this name; none if there are several.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(header, _)| header.eq_ignore_ascii_case(name));
        found.next().filter(|_| found.next().is_none()).map(|(_, value)| value.as_str())
    }
}

/// The other direction of a connection.
pub(super) struct Respond(TcpStream);

impl Respond {
    /// Answers, and closes the connection. Whoever has asked may be gone.
    pub(super) fn respond(self, status: u16, kind: &str, text: &str) {
        let reason = if status == 200 { "OK" } else { "Refused" };
        let head = format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
             Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n\
             Connection: close\r\n\r\n",
            text.len()
        );
        let Respond(mut stream) = self;
        let _ = stream.set_nonblocking(false).and_then(|()| {
            stream.set_write_timeout(Some(READ_WITHIN))?;
            stream.write_all(head.as_bytes())?;
            stream.write_all(text.as_bytes())
        });
    }
}
