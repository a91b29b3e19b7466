//! A leader that is cut off from its follower, and not from everybody: it answers reads with what it has, while the follower
//! has taken over and takes writes.
//!
//! The leader tells its follower of each write before it acknowledges it. The follower takes over when it has not heard of the
//! leader for three seconds, and answers it no more. A leader that asks its follower before it answers a read as well is safe; it
//! steps down when there is no answer.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Report, Verdict, ViolationKind};
use netcheck::history::{Register, RegisterAnswer, RegisterOperation, invoke};
use std::future::pending;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, PartialEq)]
enum Reads {
    /// The leader answers with what it has.
    Alone,
    /// The leader asks its follower first whether it still follows.
    Confirmed,
}

async fn leader(reads: Reads) {
    let clients = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let follower = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
    follower.connect("follower:4000").await.unwrap();
    let mut value = 0;
    loop {
        let mut request = [0; 2];
        let Ok(received) = timeout(SECOND, clients.recv_from(&mut request)).await else {
            follower.send(b"h").await.unwrap();
            continue;
        };
        let (_, client) = received.unwrap();
        if request[0] == b'w' || reads == Reads::Confirmed {
            follower.send(&request).await.unwrap();
            if timeout(SECOND, follower.recv(&mut [0])).await.is_err() {
                // It has perhaps taken over.
                return pending().await;
            }
        }
        if request[0] == b'w' {
            value = request[1];
        }
        clients.send_to(&[value], client).await.unwrap();
    }
}

async fn follower() {
    let clients = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
    let leader = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut value = 0;
    let mut request = [0; 2];
    while let Ok(received) = timeout(3 * SECOND, leader.recv_from(&mut request)).await {
        let (_, from) = received.unwrap();
        if request[0] == b'w' {
            value = request[1];
        }
        if request[0] != b'h' {
            leader.send_to(b"!", from).await.unwrap();
        }
    }
    // It leads from now on.
    drop(leader);
    loop {
        let (_, client) = clients.recv_from(&mut request).await.unwrap();
        if request[0] == b'w' {
            value = request[1];
        }
        clients.send_to(&[value], client).await.unwrap();
    }
}

/// The answer of the leader, or of the follower when it has taken over.
async fn ask(request: [u8; 2]) -> Option<u8> {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for (server, patience) in [("leader:4000", 2), ("follower:4001", 5)] {
        let mut answer = [0];
        socket.send_to(&request, server).await.unwrap();
        if timeout(patience * SECOND, socket.recv(&mut answer)).await.is_ok() {
            return Some(answer[0]);
        }
    }
    None
}

async fn writer() -> bool {
    let call = invoke(RegisterOperation::Write(1_u8));
    let is_written = ask([b'w', 1]).await.is_some();
    if is_written {
        call.returned(RegisterAnswer::<u8>::Written);
    }
    is_written
}

async fn reader() -> Option<u8> {
    // By then the writer has its answer.
    sleep(8 * SECOND).await;
    let call = invoke(RegisterOperation::<u8>::Read);
    let value = ask([b'r', 0]).await?;
    call.returned(RegisterAnswer::Value(value));
    Some(value)
}

fn check(words: &str, reads: Reads) -> Report {
    words.parse::<Checker>().expect("words of the attribute").check(|net: &mut Network| {
        net.linearizable(Register::new(0_u8));
        net.daemon("follower", follower);
        net.daemon("leader", move || leader(reads)).after("follower");
        net.process("writer", writer).after("leader");
        net.process("reader", reader).after("leader");
    })
}

const CUT_OFF: &str = r#"partition(between = [["leader"], ["follower", "writer"]])"#;

#[test]
fn a_leader_that_is_cut_off_from_its_follower_answers_with_an_old_value() {
    for words in [CUT_OFF, "partition(any)"] {
        let report = check(words, Reads::Alone);
        let found = report.counterexample().unwrap_or_else(|| panic!("{words}: {report}"));
        assert_eq!(found.kind(), ViolationKind::Monitor, "{report}");
        let text = found.to_string();
        assert!(text.contains("Value(0)") && text.contains("it could have been Value(1)"), "{text}");
        let cuts = ["cut leader | follower, writer", "cut follower, writer | leader, reader"];
        assert!(cuts.iter().any(|cut| text.contains(cut)), "{text}");
    }
    let report = check("", Reads::Alone);
    assert_eq!((report.verdict(), report.states()), (Verdict::Verified, 62), "{report}");
}

/// There are more heartbeats before the follower takes over.
#[test]
fn a_message_that_is_lost_makes_no_follower_take_over() {
    let report = check("udp(loss), at_most = 1", Reads::Alone);
    assert_eq!((report.verdict(), report.states()), (Verdict::Verified, 351), "{report}");
}

#[test]
fn a_leader_that_asks_its_follower_before_a_read_is_linearizable() {
    let all = ["", CUT_OFF, "partition(any)", "udp(loss), partition(any), at_most = 2"].map(|words| {
        let report = check(words, Reads::Confirmed);
        assert_eq!(report.verdict(), Verdict::Verified, "{words}: {report}");
        report.states()
    });
    assert_eq!(all, [69, 709, 2_299, 13_383]);
}
