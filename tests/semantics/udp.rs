//! UDP as programs see it, where there is no real socket to compare with: several processes,
//! declared faults, races. What a single machine can show is in `parity.rs`.

use netcheck as tokio;
use netcheck::check::{Checker, Direction, Udp, Verdict, ViolationKind};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

async fn send(to: &'static str, payloads: &'static [&'static str]) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for payload in payloads {
        socket.send_to(payload.as_bytes(), to).await.unwrap();
    }
}

pub async fn received() -> String {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    collect(&socket).await
}

async fn collect(socket: &UdpSocket) -> String {
    let mut all = Vec::new();
    let mut buffer = [0; 8];
    while let Ok(received) = timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await {
        all.push(String::from_utf8_lossy(&buffer[..received.unwrap()]).into_owned());
    }
    all.join(" ")
}

/// The outputs of the receiver, which are the same with and without reduction.
fn outputs(checker: &Checker, network: impl Fn(&mut netcheck::Network)) -> Vec<String> {
    let run = |reduction: bool| {
        let report = checker.clone().reduction(reduction).check(&network);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("receiver").to_vec()
    };
    let reduced = run(true);
    assert_eq!(reduced, run(false), "reduced and unreduced");
    reduced
}

#[test]
fn a_datagram_to_an_unbound_port_is_dropped_and_the_trace_says_so() {
    let report = Checker::new().check(|net| {
        net.process("receiver", || async { assert_eq!(received().await, "a") });
        net.process("sender", || send("receiver:4000", &["a"]));
    });
    let text = report.counterexample().expect("the send may come before the bind").to_string();
    assert!(text.contains("dropped: nobody is bound there"), "{text}");
}

#[test]
fn after_lets_a_process_start_when_another_waits() {
    let receivers = outputs(&Checker::new(), |net| {
        net.process("receiver", received);
        net.process("sender", || send("receiver:4000", &["a"])).after("receiver");
    });
    assert_eq!(receivers, ["\"a\""]);
}

#[test]
fn channels_of_different_senders_are_independent() {
    let receivers = outputs(&Checker::new(), |net| {
        net.process("receiver", received);
        net.process("one", || send("receiver:4000", &["a", "b"])).after("receiver");
        net.process("two", || send("receiver:4000", &["x"])).after("receiver");
    });
    assert_eq!(receivers, ["\"a b x\"", "\"a x b\"", "\"x a b\""]);
}

#[test]
fn at_most_bounds_the_faults_of_one_execution() {
    let with = |faults| {
        outputs(&Checker::new().udp(Udp::new().loss().duplication()).at_most(faults), |net| {
            net.process("receiver", received);
            net.process("sender", || send("receiver:4000", &["a", "b"])).after("receiver");
        })
    };
    assert_eq!(with(0), ["\"a b\""]);
    assert_eq!(with(1), ["\"a a b\"", "\"a b b\"", "\"a b\"", "\"a\"", "\"b\""]);
    assert_eq!(with(2).len(), 9);
}

#[test]
fn faults_can_be_limited_to_a_process() {
    let with = |name: &str| {
        outputs(&Checker::new().udp(Udp::new().loss().process(name)), |net| {
            net.process("receiver", received);
            net.process("one", || send("receiver:4000", &["a"])).after("receiver");
            net.process("two", || send("receiver:4000", &["x"])).after("receiver");
        })
    };
    assert_eq!(with("one"), ["\"a x\"", "\"x a\"", "\"x\""]);
    assert_eq!(with("receiver").len(), 5);
}

#[test]
fn a_scope_switches_faults_on_for_a_region_of_the_program() {
    let receivers = outputs(&Checker::new().udp(Udp::new().loss().direction(Direction::Send)), |net| {
        net.process("receiver", received);
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"a", "receiver:4000").await.unwrap();
            netcheck::faults::scope(async {
                socket.send_to(b"b", "receiver:4000").await.unwrap();
            })
            .await;
            socket.send_to(b"c", "receiver:4000").await.unwrap();
        })
        .after("receiver");
    });
    assert_eq!(receivers, ["\"a b c\"", "\"a c\""]);
}

#[test]
fn a_try_receive_may_come_too_early() {
    let receivers = |waits: u64| {
        outputs(&Checker::new(), |net| {
            net.process("receiver", move || async move {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                let mut buffer = [0; 8];
                socket.recv(&mut buffer).await.unwrap();
                if waits > 0 {
                    tokio::time::sleep(Duration::from_secs(waits)).await;
                }
                socket.try_recv(&mut buffer).map_err(|error| error.kind())
            });
            net.process("sender", || send("receiver:4000", &["a", "abc"])).after("receiver");
        })
    };
    assert_eq!(receivers(0), ["Err(WouldBlock)", "Ok(3)"]);
    // by then the driver has seen it
    assert_eq!(receivers(1), ["Ok(3)"]);
}

#[test]
fn readable_commits_to_a_datagram() {
    let receivers = outputs(&Checker::new(), |net| {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let mut buffer = [0; 8];
            socket.readable().await.unwrap();
            socket.try_recv(&mut buffer).map_err(|error| error.kind())
        });
        net.process("sender", || send("receiver:4000", &["abc"])).after("receiver");
    });
    assert_eq!(receivers, ["Ok(3)"]);
}

#[test]
fn processes_know_each_other_by_name_and_address() {
    let receivers = outputs(&Checker::new(), |net| {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
            let by_name = tokio::net::lookup_host("sender:0").await.unwrap().next().unwrap();
            let unknown = tokio::net::lookup_host("nobody:0").await.is_err();
            (from.ip() == by_name.ip(), from.ip().is_loopback(), unknown)
        });
        net.process("sender", || send("receiver:4000", &["a"])).after("receiver");
    });
    assert_eq!(receivers, ["(true, false, true)"]);
}

#[test]
fn two_sockets_of_one_process_compete_for_nothing() {
    let receivers = outputs(&Checker::new(), |net| {
        net.process("receiver", || async {
            let one = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let two = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
            let (mut a, mut b) = ([0; 8], [0; 8]);
            let mut order = Vec::new();
            for _ in 0..2 {
                tokio::select! {
                    _ = one.recv(&mut a) => order.push(1),
                    _ = two.recv(&mut b) => order.push(2),
                }
            }
            order
        });
        net.process("one", || send("receiver:4000", &["a"])).after("receiver");
        net.process("two", || send("receiver:4001", &["b"])).after("receiver");
    });
    assert_eq!(receivers, ["[1, 2]", "[2, 1]"]);
}

/// The stubborn set of the receiver's first state must not believe that no answer can come:
/// the answer is only learned of when the server has been explored.
#[test]
fn a_time_out_is_not_believed_before_the_answer_has_been_learned() {
    for servers in 1..=3 {
        let report = Checker::new().check(|net| {
            net.process("client", move || async move {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                let mut buffer = [0; 8];
                let answer = timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await;
                assert!(answer.is_ok(), "no answer");
            });
            // A chain: each server passes on what it gets, the last one to the client.
            for number in 1..=servers {
                let to = if number == 1 { "client:4000".to_owned() } else { format!("server-{}:4000", number - 1) };
                let server = move || {
                    let to = to.clone();
                    async move {
                        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                        let mut buffer = [0; 8];
                        let length = socket.recv(&mut buffer).await.unwrap();
                        socket.send_to(&buffer[..length], to).await.unwrap();
                    }
                };
                net.daemon(format!("server-{number}"), server);
            }
            let first = format!("server-{servers}:4000");
            let mut asks = net.process("asker", move || {
                let first = first.clone();
                async move {
                    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                    socket.send_to(b"go", first).await.unwrap();
                }
            });
            asks = asks.after("client");
            for number in 1..=servers {
                asks = asks.after(format!("server-{number}"));
            }
            let _ = asks;
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{servers} servers: {report}");
        assert!(report.rounds() > 1, "footprints grew, so it was explored again");
    }
}

#[test]
fn a_premature_time_out_is_found_where_it_is_real() {
    let report = Checker::new().udp(Udp::new().loss()).check(|net| {
        net.process("receiver", || async { assert_eq!(received().await, "a") });
        net.process("sender", || send("receiver:4000", &["a"])).after("receiver");
    });
    let counterexample = report.counterexample().expect("the datagram may be lost");
    assert_eq!(counterexample.kind(), ViolationKind::Panic);
    assert!(counterexample.to_string().contains("lost: \"a\" from sender:"), "{counterexample}");
}
