//! Datagrams that nobody will receive: a loop that goes on sending them comes back to a state, and nothing else changes.

use netcheck as tokio;
use netcheck::check::{Checker, Report, Udp, Verdict, ViolationKind};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

const MS: Duration = Duration::from_millis(1);

/// The time in which ten metrics are sent.
const TEN_METRICS: Duration = Duration::from_millis(100);

/// Sends a metric every ten milliseconds: ten of them in the time that others wait, more than are kept where nobody reads.
async fn measures(to: &'static str) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    loop {
        socket.send_to(b"metric", to).await.unwrap();
        sleep(10 * MS).await;
    }
}

/// Answers one request, and sends metrics to a socket of its own that it never reads.
async fn server() {
    let _unread = UdpSocket::bind("0.0.0.0:9000").await.unwrap();
    tokio::spawn(measures("127.0.0.1:9000"));
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = [0; 8];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

/// Has an answer after one of the beacons, and has never read the others when it looks at an outcome.
async fn client(outcomes: std::ops::Range<u8>) {
    let beacons = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
    let mut buffer = [0; 8];
    beacons.recv(&mut buffer).await.unwrap();
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"ask", "server:4000").await.unwrap();
    socket.recv(&mut buffer).await.unwrap();
    sleep(TEN_METRICS).await;
    let outcome = netcheck::choose(outcomes).await;
    assert_ne!(outcome, 2, "after the beacons at {}", beacons.local_addr().unwrap());
}

fn check(checker: &Checker, outcomes: std::ops::Range<u8>) -> Report {
    checker.check(|net| {
        net.daemon("server", server);
        net.daemon("beacon", || measures("client:5000")).after("client");
        net.process("client", move || client(outcomes.clone())).after("server");
    })
}

#[test]
fn beside_an_endless_sender_to_nobody_a_check_ends_and_finds_what_there_is() {
    let delayed = |from: u32, to: u32| Checker::new().udp(Udp::new().delay(from * MS..=to * MS));
    for checker in [Checker::new(), Checker::new().liveness(true), delayed(0, 0), delayed(1, 3)] {
        let report = check(&checker, 0..2);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert!(report.states() < 2_000, "{report}");
        let report = check(&checker, 0..3);
        let found = report.counterexample().expect("an outcome is wrong");
        assert_eq!(found.kind(), ViolationKind::Panic, "{report}");
    }
}

#[test]
fn one_that_was_looked_at_is_forgotten_with_the_others() {
    let report = Checker::new().check(|net| {
        net.process("server", || async {
            let peeked = UdpSocket::bind("0.0.0.0:9000").await.unwrap();
            tokio::spawn(measures("127.0.0.1:9000"));
            peeked.peek(&mut [0; 8]).await.unwrap();
            sleep(TEN_METRICS).await;
            drop(peeked);
        });
        net.daemon("beacon", || measures("server:9000")).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn a_lost_request_is_missed_for_ever_beside_them() {
    for udp in [Udp::new().loss(), Udp::new().loss().delay(MS..=3 * MS)] {
        let report = check(&Checker::new().udp(udp).at_most(1), 0..2);
        let found = report.counterexample().expect("the request is lost");
        assert_eq!(found.kind(), ViolationKind::Deadlock, "{report}");
    }
}

/// The number of datagrams that the socket has received at last.
async fn collects(reads: fn(&UdpSocket, &mut [u8]) -> bool) -> usize {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    // All ten have come by then.
    sleep(100 * MS).await;
    let mut buffer = [0; 8];
    let mut count = 0;
    while reads(&socket, &mut buffer) {
        count += 1;
    }
    while timeout(Duration::ZERO, socket.recv(&mut buffer)).await.is_ok() {
        count += 1;
    }
    count
}

/// Ten datagrams at once.
async fn sends() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for _ in 0..10 {
        socket.send_to(b"metric", "collector:4000").await.unwrap();
    }
}

#[test]
fn what_is_received_later_is_not_forgotten() {
    let never = |_: &UdpSocket, _: &mut [u8]| false;
    let tries = |socket: &UdpSocket, buffer: &mut [u8]| socket.try_recv(buffer).is_ok();
    for (reads, checker) in [
        (never as fn(&UdpSocket, &mut [u8]) -> bool, Checker::new()),
        (tries, Checker::new()),
        (never, Checker::new().udp(Udp::new().delay(MS..=2 * MS))),
    ] {
        let report = checker.check(|net| {
            net.process("collector", move || collects(reads));
            net.process("sender", sends).after("collector");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        let outputs: Vec<&str> = report.outputs("collector").iter().map(String::as_str).collect();
        assert_eq!(outputs, ["10"], "{report}");
    }
}
