//! A counter on a server that several clients count up: each reads it, and writes one more.
//!
//! H. Berenson and others, "A critique of ANSI SQL isolation levels" (SIGMOD 1995), section 4.1,
//! phenomenon P4, lost update: what one writes hides what another wrote since it was read. The
//! remedy, to write only if the value is still the one that was read, and else to begin again, is
//! that of H. T. Kung, J. T. Robinson, "On optimistic methods for concurrency control" (ACM
//! Transactions on Database Systems 6(2), 1981).

use super::verified;
use netcheck as tokio;
use netcheck::check::{Checker, Identity};
use netcheck::{End, Network, sometimes};
use std::collections::BTreeSet;
use tokio::net::UdpSocket;

#[derive(Clone, Copy, PartialEq)]
pub enum Write {
    /// Whatever the counter is by now.
    Always,
    /// If the counter is as it was read.
    IfUnchanged,
}

/// Answers "get" with the counter, and "set 2", or "set 2 if 1", with whether it is set.
async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut counter = "0".to_owned();
    loop {
        let mut buffer = [0; 16];
        let (length, client) = socket.recv_from(&mut buffer).await.unwrap();
        let words: Vec<&str> = text(&buffer[..length]).split(' ').collect();
        let answer = match words[..] {
            ["set", _, "if", expected] if counter != expected => "changed",
            ["set", value, ..] => {
                counter = value.to_owned();
                "done"
            }
            _ => &counter,
        };
        socket.send_to(answer.as_bytes(), client).await.unwrap();
    }
}

/// Ends with the value that it has made of the counter.
async fn client(write: Write) -> u8 {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    loop {
        let value: u8 = ask(&socket, "get").await.parse().unwrap();
        let request = match write {
            Write::Always => format!("set {}", value + 1),
            Write::IfUnchanged => format!("set {} if {value}", value + 1),
        };
        let is_done = ask(&socket, &request).await == "done";
        sometimes!(!is_done, "the counter has changed since it was read");
        if is_done {
            return value + 1;
        }
    }
}

async fn ask(socket: &UdpSocket, request: &str) -> String {
    socket.send(request.as_bytes()).await.unwrap();
    let mut answer = [0; 16];
    let length = socket.recv(&mut answer).await.unwrap();
    text(&answer[..length]).to_owned()
}

fn text(message: &[u8]) -> &str {
    std::str::from_utf8(message).unwrap()
}

pub fn counting(net: &mut Network, clients: usize, write: Write) {
    net.daemon("server", server);
    for number in 1..=clients {
        net.process(format!("client-{number}"), move || client(write)).after("server");
    }
    net.finally(move |end| no_update_is_lost(end, clients));
}

fn no_update_is_lost(end: &End, clients: usize) {
    let values: Vec<_> = (1..=clients).map(|number| end.output(&format!("client-{number}"))).collect();
    let different = BTreeSet::from_iter(&values);
    assert_eq!(different.len(), clients, "each client makes another value of the counter: {values:?}");
}

#[test]
fn a_write_that_looks_at_the_value_loses_no_update() {
    for (clients, reduction, figures) in
        [(2, true, (173, 200)), (2, false, (273, 442)), (3, true, (13_604, 15_959)), (3, false, (41_794, 88_175))]
    {
        let checker = Checker::new().identity(Identity::History).reduction(reduction);
        let report = checker.check(|net| counting(net, clients, Write::IfUnchanged));
        verified(&report, figures);
        let values: Vec<String> = (1..=clients).map(|value| value.to_string()).collect();
        assert_eq!(report.outputs("client-1"), values);
    }
}

#[test]
fn it_does_not_matter_which_client_is_which() {
    for (clients, reduction, figures) in
        [(2, true, (90, 105)), (2, false, (140, 227)), (3, true, (2_289, 2_700)), (3, false, (6_999, 14_788))]
    {
        let checker = Checker::new().reduction(reduction).symmetry(true);
        let report = checker.check(|net| counting(net, clients, Write::IfUnchanged));
        verified(&report, figures);
        let values: Vec<String> = (1..=clients).map(|value| value.to_string()).collect();
        assert_eq!(report.outputs("client-1"), values);
    }
}

#[netcheck::model_check(expect = property, snapshot)]
fn a_write_that_does_not_hides_another(net: &mut Network) {
    counting(net, 2, Write::Always);
}
