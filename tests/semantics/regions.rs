//! Regions of a program whose faults are not those of the check (`faults::with`).

use crate::udp::received;
use netcheck as tokio;
use netcheck::check::{Checker, Direction, Tasks, Tcp, Udp, Verdict, ViolationKind};
use netcheck::faults::{scope, with};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::timeout;

async fn send(socket: &UdpSocket, payload: &str) {
    socket.send_to(payload.as_bytes(), "receiver:4000").await.unwrap();
}

/// The outputs of a process, in the same way with and without reduction, with shared and with tracked tasks.
fn outputs(checker: &Checker, of: &str, network: impl Fn(&mut netcheck::Network)) -> Vec<String> {
    let run = |reduction: bool, tasks: Tasks| {
        let report = checker.clone().reduction(reduction).tasks(tasks).check(&network);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs(of).to_vec()
    };
    let reduced = run(true, Tasks::Shared);
    assert_eq!(reduced, run(false, Tasks::Shared), "reduced and unreduced");
    assert_eq!(reduced, run(true, Tasks::Tracked), "shared and tracked");
    reduced
}

fn lossy() -> Checker {
    Checker::new().udp(Udp::new().loss().direction(Direction::Send))
}

/// The datagrams that the receiver gets of `a`, of `b` in a region with these words, and of `c`.
fn around_a_region(checker: &Checker, words: &'static str) -> Vec<String> {
    outputs(checker, "receiver", |net| {
        net.process("receiver", received);
        net.process("sender", move || async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            send(&socket, "a").await;
            with(words, send(&socket, "b")).await;
            send(&socket, "c").await;
        })
        .after("receiver");
    })
}

#[test]
fn a_region_sets_the_multiplication_choices_anew() {
    assert_eq!(around_a_region(&Checker::new(), "udp(copies = [1, 2])"), ["\"a b b c\"", "\"a b c\""]);
    assert_eq!(around_a_region(&Checker::new(), "udp(loss)"), ["\"a b c\"", "\"a c\""]);
    let all = around_a_region(&lossy(), "udp(copies = [2])");
    assert_eq!(all, ["\"a b b c\"", "\"a b b\"", "\"b b c\"", "\"b b\""]);
}

#[test]
fn a_region_sets_the_capacity_anew() {
    assert_eq!(around_a_region(&Checker::new(), "udp(reorder = 2)"), ["\"a b c\""], "nothing perturbs `a`");
    let ordered = Checker::new().udp(Udp::new().copies([1, 2]).window(1));
    let all = around_a_region(&ordered, "udp(copies = [1], window = 2)");
    assert!(all.contains(&"\"b a c\"".to_owned()) && !all.iter().any(|got| got.starts_with("\"c")), "{all:?}");
    let unordered = Checker::new().udp(Udp::new().reorder(3));
    let all = around_a_region(&unordered, "udp(copies = [1, 2])");
    assert!(all.contains(&"\"a c b\"".to_owned()) && !all.iter().any(|got| got.starts_with("\"b")), "{all:?}");
}

#[test]
fn an_empty_list_means_no_faults() {
    assert_eq!(around_a_region(&lossy(), "udp()"), ["\"a b c\"", "\"a b\"", "\"b c\"", "\"b\""]);
    assert_eq!(around_a_region(&lossy(), "udp(copies = [1])"), around_a_region(&lossy(), "udp()"));
}

#[test]
fn a_list_that_is_not_written_leaves_the_faults_of_the_check() {
    assert_eq!(around_a_region(&lossy(), "tcp(read)").len(), 8);
}

#[test]
fn without_a_direction_the_region_of_the_receiver_counts_too() {
    let receivers = |checker: &Checker, words: &'static str| {
        outputs(checker, "receiver", |net| {
            net.process("receiver", move || with(words, received()));
            net.process("sender", || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                send(&socket, "a").await;
                with("udp(copies = [2])", send(&socket, "b")).await;
            })
            .after("receiver");
        })
    };
    assert_eq!(receivers(&Checker::new(), "udp(loss)"), ["\"a b b\"", "\"b b\""], "of both, that of the sender");
    let sent = Checker::new().udp(Udp::new().loss().direction(Direction::Send));
    assert_eq!(receivers(&sent, "udp(copies = [0])"), ["\"a b b\"", "\"b b\""]);
    let received = Checker::new().udp(Udp::new().loss().direction(Direction::Receive));
    assert_eq!(receivers(&received, "udp(copies = [2])"), ["\"a a b b\""]);
    let both = Checker::new().udp(Udp::new().loss().direction(Direction::Both));
    assert_eq!(receivers(&both, "udp(copies = [1, 2])").len(), 9, "0 to 2 of `a`, 2 to 4 of `b`");
}

#[test]
fn of_several_regions_the_one_that_was_entered_last_counts() {
    let receivers = outputs(&Checker::new(), "receiver", |net| {
        net.process("receiver", received);
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            with("udp(loss)", async {
                with("udp(copies = [2]), tcp(read)", async {
                    with("tcp(write)", send(&socket, "a")).await;
                })
                .await;
                send(&socket, "b").await;
            })
            .await;
        })
        .after("receiver");
    });
    assert_eq!(receivers, ["\"a a b\"", "\"a a\""]);
}

/// Regions of tasks of one memory need not end in the reverse order of their beginnings.
#[test]
fn regions_of_one_process_may_overlap() {
    let receivers = outputs(&Checker::new(), "receiver", |net| {
        net.process("receiver", received);
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            let first = with("udp(copies = [2])", tokio::time::sleep(Duration::from_millis(10)));
            let second = with("udp(copies = [3])", async {
                send(&socket, "a").await;
                tokio::time::sleep(Duration::from_millis(20)).await;
                send(&socket, "b").await;
            });
            let third = with("udp(copies = [2])", tokio::time::sleep(Duration::from_millis(30)));
            tokio::join!(first, second, async {
                tokio::time::sleep(Duration::from_millis(1)).await;
                third.await;
            });
        })
        .after("receiver");
    });
    assert_eq!(receivers, ["\"a a a b b\""]);
}

#[netcheck::process]
async fn isolated(words: &'static str) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    send(&socket, "a").await;
    with(words, send(&socket, "b")).await;
}

#[test]
fn an_isolated_task_is_in_the_regions_of_its_process_unless_it_has_its_own() {
    let receivers = outputs(&Checker::new(), "receiver", |net| {
        net.process("receiver", received);
        net.process("sender", || async {
            with("udp(copies = [2])", async {
                tokio::spawn(isolated("udp(copies = [3])")).await.unwrap();
            })
            .await;
        })
        .after("receiver");
    });
    assert_eq!(receivers, ["\"a a b b b\""]);
}

#[test]
fn a_region_counts_also_outside_of_scopes() {
    let receivers = outputs(&lossy(), "receiver", |net| {
        net.process("receiver", received);
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            send(&socket, "a").await;
            scope(send(&socket, "b")).await;
            with("udp(copies = [1, 2])", send(&socket, "c")).await;
        })
        .after("receiver");
    });
    assert_eq!(receivers, ["\"a b c c\"", "\"a b c\"", "\"a c c\"", "\"a c\""]);
}

#[test]
fn faults_of_regions_are_counted() {
    let receivers = |at_most: usize| {
        outputs(&Checker::new().at_most(at_most), "receiver", |net| {
            net.process("receiver", received);
            net.process("sender", || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                with("udp(copies = [1, 0, 2])", async {
                    send(&socket, "a").await;
                    send(&socket, "b").await;
                })
                .await;
            })
            .after("receiver");
        })
    };
    assert_eq!(receivers(0), ["\"a b\""]);
    assert_eq!(receivers(1), ["\"a a b\"", "\"a b b\"", "\"a b\"", "\"a\"", "\"b\""]);
    assert_eq!(receivers(2).len(), 9);
}

#[test]
fn copies_of_regions_take_time_like_others() {
    let late = Udp::new().delay(Duration::from_millis(1)..=Duration::from_millis(200)).direction(Direction::Send);
    let receivers = around_a_region(&Checker::new().udp(late), "udp(copies = [0, 2])");
    for got in ["\"a b b c\"", "\"b b a c\"", "\"a c\"", "\"c b a b\""] {
        assert!(receivers.contains(&got.to_owned()), "{got}: {receivers:?}");
    }
    assert!(receivers.iter().all(|got| got.matches('b').count() % 2 == 0), "{receivers:?}");
}

/// A client that writes once in a region with these words and once outside, and what it gets for both.
fn writes(checker: &Checker, words: &'static str) -> Vec<String> {
    outputs(checker, "client", |net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            loop {
                let Ok((mut stream, _)) = listener.accept().await else { continue };
                let mut all = Vec::new();
                _ = stream.read_to_end(&mut all).await;
            }
        });
        net.process("client", move || async move {
            let mut got = Vec::new();
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            got.push(with(words, stream.write_all(b"a")).await.map_err(|error| error.kind()));
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            got.push(stream.write_all(b"b").await.map_err(|error| error.kind()));
            got
        })
        .after("server");
    })
}

#[test]
fn a_region_sets_the_failures_of_tcp_anew() {
    let (fine, broken) = ("Ok(())", "Err(BrokenPipe)");
    let pair = |first: &str, second: &str| format!("[{first}, {second}]");
    assert_eq!(writes(&Checker::new(), "tcp(write)"), [pair(broken, fine), pair(fine, fine)]);
    assert_eq!(writes(&Checker::new(), "tcp(read)"), [pair(fine, fine)]);
    let failing = Checker::new().tcp(Tcp::new().fail_write());
    assert_eq!(writes(&failing, "tcp()"), [pair(fine, broken), pair(fine, fine)]);
    assert_eq!(writes(&failing, "udp(loss)").len(), 4, "the faults of the check hold");
    assert_eq!(writes(&failing.clone().at_most(1), "tcp(write)").len(), 3);
    let of_server = Checker::new().tcp(Tcp::new().fail_write().process("server"));
    assert_eq!(writes(&of_server, "tcp(write)"), [pair(broken, fine), pair(fine, fine)]);
}

#[test]
fn connects_fail_and_hang_in_regions() {
    let clients = |words: &'static str| {
        outputs(&Checker::new(), "client", |net| {
            net.daemon("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                loop {
                    _ = listener.accept().await;
                }
            });
            net.process("client", move || async move {
                let connect = timeout(Duration::from_secs(1), TcpStream::connect("server:80"));
                match with(words, connect).await {
                    Ok(Ok(_)) => "connected",
                    Ok(Err(_)) => "failed",
                    Err(_) => "elapsed",
                }
            })
            .after("server");
        })
    };
    assert_eq!(clients("tcp(open)"), ["\"connected\"", "\"failed\""]);
    assert_eq!(clients("tcp(open, hang)"), ["\"connected\"", "\"elapsed\"", "\"failed\""]);
    assert_eq!(clients("tcp(reset)"), ["\"connected\""]);
}

/// A region in a loop: the check ends, since the loop comes back to the state at its beginning.
#[test]
fn a_loop_with_a_region_has_few_states() {
    let report = Checker::new().check(|net| {
        net.daemon("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.connect("server:4000").await.unwrap();
            let mut buffer = [0; 4];
            loop {
                with("udp(loss)", socket.send(b"ping")).await.unwrap();
                _ = timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await;
            }
        });
        net.daemon("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let mut buffer = [0; 4];
            loop {
                let (_, client) = socket.recv_from(&mut buffer).await.unwrap();
                socket.send_to(&buffer, client).await.unwrap();
            }
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert!(report.states() < 200, "{report}");
}

#[test]
fn a_counterexample_with_faults_of_a_region_is_confirmed_and_short() {
    let report = Checker::new().check(|net| {
        net.process("receiver", || async { assert_eq!(received().await, "a b c") });
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            send(&socket, "a").await;
            with("udp(copies = [1, 0, 2])", send(&socket, "b")).await;
            send(&socket, "c").await;
        })
        .after("receiver");
    });
    let counterexample = report.counterexample().expect("`b` may be lost");
    assert_eq!(counterexample.kind(), ViolationKind::Panic);
    let text = counterexample.to_string();
    assert!(text.contains("lost"), "{text}");
    assert!(
        text.contains("* from here on faults are `udp(copies = [1, 0, 2])`  (tests/semantics/regions.rs:"),
        "{text}"
    );
}

fn wrong(words: &'static str) -> String {
    let report = Checker::new().check(|net| {
        net.process("client", move || async move { with(words, async {}).await });
    });
    let counterexample = report.counterexample().expect("the words are wrong");
    assert_eq!(counterexample.kind(), ViolationKind::Panic);
    let text = counterexample.to_string();
    assert!(text.contains("tests/semantics/regions.rs:"), "the line of the program: {text}");
    text
}

#[test]
fn a_wrong_word_is_a_panic_at_the_line_of_the_program() {
    let cases = [
        ("udp(los)", "unknown word `los`, did you mean `loss`?"),
        ("udp(copies = [300])", "a packet can arrive at most 255 times"),
        ("udp(loss), udp(duplication)", "`udp` is said twice"),
        ("udp(direction = send, loss)", "`direction` can't be set in a region: the side that is perturbed"),
        ("udp(loss, delay)", "`delay` can't be set in a region: whether packets take time"),
        ("udp(loss, process = \"server\")", "`process` can't be set in a region: a region is about the process"),
        ("tcp(read, split)", "`split` can't be set in a region: how streams carry bytes"),
        ("tcp(read, first = 2)", "`first` can't be set in a region: all calls of the process"),
        ("udp(loss), at_most = 1", "`at_most` is a word of the whole check: write it at the test"),
        ("loss", "unknown word `loss`"),
        ("", "no words: a region has `udp(…)`, `tcp(…)` or both"),
        ("udp(loss", "expected"),
    ];
    for (words, message) in cases {
        let text = wrong(words);
        assert!(text.contains(message), "{words}: {text}");
    }
}
