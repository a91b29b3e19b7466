//! HTTP on loopback.
//!
//! Any program of the machine, and any page that a browser shows, can send requests to a port on loopback. So a request
//! is refused that names another host (a page elsewhere whose name leads here, "DNS rebinding"), that comes from another
//! page, or that a form could send.

use crate::error::Error;
use crate::explore::http::{Received, Refusal, Request, Respond};
use crate::explore::query::Query;
use crate::explore::view::Answer;
use std::io;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

/// How long it takes until it is noticed that a request has come, or that the explorer is to end.
const WAIT: Duration = Duration::from_millis(5);

/// The server of one explorer.
pub(crate) struct Server {
    listener: TcpListener,
    port: u16,
    page: String,
    /// Connections of which no whole request has come; browsers make some before they need them.
    waiting: Vec<Received>,
}

/// A query that has to be answered.
pub(crate) struct Asked {
    pub(crate) query: Query,
    respond: Respond,
}

impl Server {
    /// Listens at a free port on loopback.
    pub(crate) fn open(page: String) -> Result<Server, Error> {
        let closed =
            |error: &dyn std::fmt::Display| Error::new(format!("the explorer can't listen on loopback: {error}"));
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| closed(&error))?;
        listener.set_nonblocking(true).map_err(|error| closed(&error))?;
        let port = listener.local_addr().map_err(|error| closed(&error))?.port();
        Ok(Server { listener, port, page, waiting: Vec::new() })
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Waits for the next query; `None`: the page has ended the explorer, or it is over otherwise.
    #[expect(clippy::disallowed_methods, reason = "the explorer has its thread to itself, and polls nothing meanwhile")]
    pub(crate) fn next(&mut self, is_over: impl Fn() -> bool) -> Option<Asked> {
        while !is_over() {
            let Some((request, respond)) = self.received().ok()? else {
                thread::sleep(WAIT);
                continue;
            };
            match request.and_then(|request| Ok((self.read(&request)?, request))) {
                Ok((Some(query), _)) => return Some(Asked { query, respond }),
                Ok((None, request)) if request.url == "/end" => {
                    respond.respond(200, "text/plain", "the explorer has ended");
                    return None;
                }
                Ok((None, _)) => respond.respond(200, "text/html", &self.page),
                Err((status, why)) => respond.respond(status, "text/plain", &why),
            }
        }
        None
    }

    /// A request that has come, if one has.
    fn received(&mut self) -> io::Result<Option<(Result<Request, Refusal>, Respond)>> {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => self.waiting.extend(Received::new(stream)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // The other end was gone before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => return Err(error),
            }
        }
        self.waiting.retain_mut(Received::goes_on);
        let whole = (0..self.waiting.len()).find_map(|index| Some((index, self.waiting[index].request()?)));
        Ok(whole.map(|(index, request)| (request, self.waiting.remove(index).into_respond())))
    }

    /// The query of a request; `None` for the page, and for the end.
    fn read(&self, request: &Request) -> Result<Option<Query>, Refusal> {
        self.admit(request)?;
        match (request.method.as_str(), request.url.as_str()) {
            ("GET", "/") => return Ok(None),
            ("POST", _) => {}
            _ => return Err((404, "there is only the page at /, and what it asks".to_owned())),
        }
        let is_json = request.header("Content-Type").is_some_and(|of| of.starts_with("application/json"));
        if !is_json {
            return Err((415, "the explorer is asked in JSON: Content-Type: application/json".to_owned()));
        }
        if request.url == "/end" {
            return Ok(None);
        }
        let body =
            str::from_utf8(&request.body).map_err(|error| (400, format!("the request can't be read: {error}")))?;
        match Query::of(&request.url, body) {
            Some(Ok(query)) => Ok(Some(query)),
            Some(Err(why)) => Err((400, why)),
            None => Err((404, "the explorer can't be asked that".to_owned())),
        }
    }

    /// Refuses requests that do not come from a page of this server.
    fn admit(&self, request: &Request) -> Result<(), Refusal> {
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        if !request.header("Host").is_some_and(|host| hosts.iter().any(|own| own == host)) {
            return Err((403, format!("the explorer is at {}, and nowhere else", self.url())));
        }
        match request.header("Origin") {
            Some(origin) if !hosts.iter().any(|host| origin == format!("http://{host}")) => {
                Err((403, "the explorer answers its own page only".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

impl Asked {
    pub(crate) fn reply(self, answer: Answer) {
        let (kind, text) = match answer {
            Answer::Json(json) => ("application/json", json),
            Answer::Html(html) => ("text/html", html),
            Answer::Text(text) => ("text/plain", text),
            Answer::Refused(why) => return self.refuse(why),
        };
        self.respond.respond(200, kind, &text);
    }

    pub(crate) fn refuse(self, why: String) {
        self.respond.respond(400, "text/plain", &why);
    }
}
