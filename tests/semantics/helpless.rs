//! Processes that wait for ever while others go on: a deadlock, as soon as nobody can help them any more.

use crate::checked::checked;
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Report, Udp, Verdict, ViolationKind};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::sleep;

const MS: Duration = Duration::from_millis(1);

/// In quiet time and in dense time. That something never ends is not looked for.
fn reports(register: impl Fn(&mut Network) + Copy) -> [Report; 2] {
    let udp = [Udp::new().loss(), Udp::new().loss().delay(MS..=2 * MS)];
    udp.map(|udp| checked(Checker::new().udp(udp).at_most(1).liveness(false), register))
}

#[track_caller]
fn waits_for_ever(register: impl Fn(&mut Network) + Copy, who: &str) {
    for report in reports(register) {
        let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
        assert_eq!(found.kind(), ViolationKind::Deadlock, "{report}");
        assert!(found.message().contains("whatever the other processes do"), "{report}");
        assert!(found.message().contains(&format!("{who} waits")), "{report}");
        let blamed = found.message().lines().find(|line| line.contains("probably to blame"));
        assert!(blamed.is_some_and(|blamed| blamed.contains("is lost, and nobody sends it again")), "{report}");
    }
}

/// Tells a socket of another process the time, for ever.
async fn beacon(to: &'static str) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    loop {
        socket.send_to(b"time", to).await.unwrap();
        sleep(10 * MS).await;
    }
}

/// Tells the listener when it has its answer.
async fn asks() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"ask", "server:4000").await.unwrap();
    let mut buffer = [0; 8];
    socket.recv(&mut buffer).await.unwrap();
    socket.send_to(b"done", "listener:1").await.unwrap();
}

async fn answers() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = [0; 8];
    let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
    socket.send_to(&buffer[..length], from).await.unwrap();
}

async fn listens() {
    let socket = UdpSocket::bind("0.0.0.0:1").await.unwrap();
    loop {
        socket.recv(&mut [0; 8]).await.unwrap();
    }
}

/// If it went on, the client would send to the listener, which goes on for ever.
#[test]
fn whoever_would_reach_an_endless_loop_only_afterwards_waits_for_ever() {
    let register = |net: &mut Network| {
        net.process("server", answers);
        net.daemon("listener", listens);
        net.process("client", asks).after("server").after("listener");
        net.daemon("beacon", || beacon("listener:1")).after("listener");
    };
    waits_for_ever(register, "client");
    waits_for_ever(register, "server");
}

#[test]
fn whoever_is_reached_by_an_endless_loop_does_not() {
    let lost_or_not = |net: &mut Network| {
        net.process("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            socket.recv(&mut [0; 8]).await.unwrap();
        });
        net.daemon("client", || beacon("server:4000")).after("server");
    };
    for report in reports(lost_or_not) {
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    }
}

#[netcheck::process]
async fn accepts_for_ever() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    loop {
        let _ = listener.accept().await.unwrap();
    }
}

/// Its isolated task waits for a next client.
#[test]
fn a_process_with_an_isolated_task_that_accepts_waits_for_nothing() {
    let register = |net: &mut Network| {
        net.process("server", || async {
            let _accepting = tokio::spawn(accepts_for_ever());
            std::future::pending::<()>().await;
        });
        net.process("client", || async {
            let _ = TcpStream::connect("server:80").await;
        });
        net.daemon("beacon", || beacon("client:9"));
    };
    let report = checked(Checker::new().liveness(false), register);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}
