//! Requests to an explorer, and an explorer to send them to.

use netcheck::Network;
use netcheck::check::{Checker, Counterexample};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread::JoinHandle;

/// An explorer on a thread of its own.
pub(super) struct Explorer {
    pub(super) address: String,
    thread: Option<JoinHandle<()>>,
}

impl Explorer {
    pub(super) fn start(
        checker: &Checker,
        network: impl Fn(&mut Network) + Send + 'static,
        from: Option<Counterexample>,
    ) -> Explorer {
        let (sender, receiver) = mpsc::channel();
        let checker = checker.clone();
        let thread = std::thread::spawn(move || {
            let opened = |url: &str| sender.send(address(url)).expect("somebody waits for it");
            checker.explore(network, from.as_ref(), opened).expect("it is explored");
        });
        Explorer { address: receiver.recv().expect("an address"), thread: Some(thread) }
    }

    pub(super) fn post(&self, path: &str, body: &str) -> (u16, String) {
        post(&self.address, path, body)
    }

    /// The answer to a query, as JSON.
    #[track_caller]
    pub(super) fn ask(&self, path: &str, query: &Value) -> Value {
        let (status, body) = self.post(path, &query.to_string());
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("JSON")
    }

    /// Where steps lead.
    #[track_caller]
    pub(super) fn look(&self, steps: &[Value]) -> Value {
        self.ask("/look", &json!({ "steps": steps }))
    }

    /// Ends it; it has to be at its end then.
    pub(super) fn end(mut self) {
        assert_eq!(self.post("/end", "{}").0, 200);
        self.thread.take().expect("it runs").join().expect("it has ended");
    }
}

/// Host and port of a page.
pub(super) fn address(url: &str) -> String {
    url.strip_prefix("http://").and_then(|url| url.strip_suffix('/')).expect("a page").to_owned()
}

pub(super) fn post(address: &str, path: &str, body: &str) -> (u16, String) {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    request(address, &(head + body))
}

/// The status of the answer to a request, and its body.
pub(super) fn request(address: &str, request: &str) -> (u16, String) {
    let (head, body) = exchange(address, request);
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body)
}

/// The head and the body of the answer to a request.
pub(super) fn exchange(address: &str, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_owned(), body.to_owned())
}
