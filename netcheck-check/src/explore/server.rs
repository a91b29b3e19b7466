//! HTTP on loopback.
//!
//! Any program of the machine, and any page that a browser shows, can send requests to a port on loopback. So a request
//! is refused that names another host (a page elsewhere whose name leads here, "DNS rebinding"), that comes from another
//! page, or that a form could send.

use crate::error::Error;
use crate::explore::query::Query;
use crate::explore::view::Answer;
use std::io::Read;
use std::time::Duration;
use tiny_http::{Header, Method, Request, Response};

/// Bytes of a request at the most: paths of some ten thousand steps.
const REQUEST_BYTES_MAX: u64 = 64 << 20;

/// How long it takes at the most until it is noticed that the explorer is to end.
const WAIT: Duration = Duration::from_millis(100);

/// What the browser may do with the page: load nothing, and ask this server only.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The server of one explorer.
pub(crate) struct Server {
    http: tiny_http::Server,
    port: u16,
    page: String,
}

/// A query that has to be answered.
pub(crate) struct Asked {
    pub(crate) query: Query,
    request: Request,
}

/// Why a request is not answered: the status of HTTP, and a sentence.
type Refusal = (u16, String);

impl Server {
    /// Listens at a free port on loopback.
    pub(crate) fn open(page: String) -> Result<Server, Error> {
        let closed =
            |error: &dyn std::fmt::Display| Error::new(format!("the explorer can't listen on loopback: {error}"));
        let http = tiny_http::Server::http("127.0.0.1:0").map_err(|error| closed(&error))?;
        let address = http.server_addr().to_ip().ok_or_else(|| closed(&"it has no port"))?;
        Ok(Server { http, port: address.port(), page })
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Waits for the next query; `None`: the page has ended the explorer, or it is over otherwise.
    pub(crate) fn next(&self, is_over: impl Fn() -> bool) -> Option<Asked> {
        while !is_over() {
            let Some(mut request) = self.http.recv_timeout(WAIT).ok()? else { continue };
            match self.read(&mut request) {
                Ok(Some(query)) => return Some(Asked { query, request }),
                Ok(None) if request.url() == "/end" => {
                    respond(request, 200, "text/plain", "the explorer has ended".to_owned());
                    return None;
                }
                Ok(None) => respond(request, 200, "text/html", self.page.clone()),
                Err((status, why)) => respond(request, status, "text/plain", why),
            }
        }
        None
    }

    /// The query of a request; `None` for the page, and for the end.
    fn read(&self, request: &mut Request) -> Result<Option<Query>, Refusal> {
        self.admit(request)?;
        match (request.method(), request.url()) {
            (Method::Get, "/") => return Ok(None),
            (Method::Post, _) => {}
            _ => return Err((404, "there is only the page at /, and what it asks".to_owned())),
        }
        let is_json = header(request, "Content-Type").is_some_and(|of| of.starts_with("application/json"));
        if !is_json {
            return Err((415, "the explorer is asked in JSON: Content-Type: application/json".to_owned()));
        }
        if request.url() == "/end" {
            return Ok(None);
        }
        let mut body = String::new();
        request
            .as_reader()
            .take(REQUEST_BYTES_MAX + 1)
            .read_to_string(&mut body)
            .map_err(|error| (400, format!("the request can't be read: {error}")))?;
        if body.len() as u64 > REQUEST_BYTES_MAX {
            return Err((413, format!("a request has {REQUEST_BYTES_MAX} bytes at the most")));
        }
        match Query::of(request.url(), &body) {
            Some(Ok(query)) => Ok(Some(query)),
            Some(Err(why)) => Err((400, why)),
            None => Err((404, "the explorer can't be asked that".to_owned())),
        }
    }

    /// Refuses requests that do not come from a page of this server.
    fn admit(&self, request: &Request) -> Result<(), Refusal> {
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        let host = header(request, "Host").unwrap_or_default();
        if !hosts.contains(&host) {
            return Err((403, format!("the explorer is at {}, and nowhere else", self.url())));
        }
        match header(request, "Origin") {
            Some(origin) if !hosts.iter().any(|host| origin == format!("http://{host}")) => {
                Err((403, "the explorer answers its own page only".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

impl Asked {
    pub(crate) fn reply(self, answer: Answer) {
        match answer {
            Answer::Json(json) => respond(self.request, 200, "application/json", json),
            Answer::Html(html) => respond(self.request, 200, "text/html", html),
            Answer::Text(text) => respond(self.request, 200, "text/plain", text),
            Answer::Refused(why) => self.refuse(why),
        }
    }

    pub(crate) fn refuse(self, why: String) {
        respond(self.request, 400, "text/plain", why);
    }
}

/// The only header of this name; none if there are several.
fn header(request: &Request, name: &'static str) -> Option<String> {
    let mut found = request.headers().iter().filter(|header| header.field.equiv(name));
    found.next().filter(|_| found.next().is_none()).map(|header| header.value.to_string())
}

fn respond(request: Request, status: u16, kind: &str, text: String) {
    let headers = [
        ("Content-Type", &*format!("{kind}; charset=utf-8")),
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-store"),
    ]
    .map(|(name, value)| Header::from_bytes(name, value).expect("plain ASCII"));
    let response =
        headers.into_iter().fold(Response::from_string(text).with_status_code(status), Response::with_header);
    // Whoever has asked may be gone.
    let _ = request.respond(response);
}
