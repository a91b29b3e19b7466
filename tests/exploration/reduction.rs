//! Ends that are easily lost when less is explored: what a listener does to those whom nobody
//! has accepted, before and after they have written, and how long others take.
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Search, Tcp, Udp, Verdict};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::{sleep, timeout};

async fn server() -> Result<usize, ErrorKind> {
    let listener = TcpListener::bind("0.0.0.0:1").await.unwrap();
    let (mut stream, _) = listener.accept().await.map_err(|error| error.kind())?;
    stream.read(&mut [0; 8]).await.map_err(|error| error.kind())
}

async fn client() -> Result<(), ErrorKind> {
    let mut stream = TcpStream::connect("server:1").await.map_err(|error| error.kind())?;
    stream.write_all(b"x").await.map_err(|error| error.kind())
}

/// No failure declared: the listener goes while the second client has written, and is in the queue.
#[test]
fn an_end_with_a_connection_that_nobody_accepted() {
    for reduction in [false, true] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("server", server);
            net.process("c", client).after("server");
            net.process("d", client).after("server");
            net.finally(|end| ["c", "d"].iter().any(|name| end.output(name) != Some("Ok(())")));
        });
        assert_eq!(report.verdict(), Verdict::Violated, "reduction {reduction}: {report}");
    }
}

/// The client has written before accept fails.
#[test]
fn an_end_with_an_accept_that_fails_late() {
    for reduction in [false, true] {
        let report = Checker::new().tcp(Tcp::new().fail_open()).reduction(reduction).check(|net| {
            net.process("server", server);
            net.process("c", client).after("server");
            net.finally(|end| {
                !(end.output("server") == Some("Err(ConnectionAborted)") && end.output("c") == Some("Ok(())"))
            });
        });
        assert_eq!(report.verdict(), Verdict::Violated, "reduction {reduction}: {report}");
    }
}

/// Two clients have written before accept fails, twice.
#[test]
fn an_end_with_accepts_that_fail_late() {
    async fn server() -> usize {
        let listener = TcpListener::bind("0.0.0.0:1").await.unwrap();
        let mut aborted = 0;
        for _ in 0..2 {
            match listener.accept().await {
                Ok((mut stream, _)) => drop(stream.read(&mut [0; 8]).await),
                Err(_) => aborted += 1,
            }
        }
        aborted
    }
    for reduction in [false, true] {
        let report = Checker::new().tcp(Tcp::new().fail_open()).reduction(reduction).check(|net| {
            net.process("server", server);
            net.process("c", client).after("server");
            net.process("d", client).after("server");
            net.finally(|end| {
                end.output("server") != Some("2") || ["c", "d"].iter().any(|name| end.output(name) != Some("Ok(())"))
            });
        });
        assert_eq!(report.verdict(), Verdict::Violated, "reduction {reduction}: {report}");
    }
}

/// Before the server's answers are known, the client seems to be alone with its time-outs, for ever.
#[test]
fn a_client_that_would_ask_for_ever_is_answered() {
    use netcheck::time::{Duration, timeout};
    for reduction in [false, true] {
        let report = Checker::new().reduction(reduction).max_states(100_000).check(|net| {
            net.process("client", || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                loop {
                    socket.send_to(b"?", "server:4000").await.unwrap();
                    if timeout(Duration::from_secs(1), socket.recv(&mut [0; 1])).await.is_ok() {
                        return;
                    }
                }
            })
            .after("server");
            net.daemon("server", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                loop {
                    let mut buffer = [0; 1];
                    let (_, from) = socket.recv_from(&mut buffer).await.unwrap();
                    socket.send_to(&buffer, from).await.unwrap();
                }
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "reduction {reduction}: {report}");
    }
}

#[netcheck::process]
async fn sleeper() {
    netcheck::time::sleep(Duration::from_millis(10)).await;
}

/// A timer of one process, and a task of another one that is waited for before something is sent to the first: how long
/// the task takes shows, though who waits for it has no timers.
#[test]
fn how_long_a_task_takes_shows_where_others_have_timers() {
    let outputs = [true, false].map(|reduction| {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("receiver", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                netcheck::time::timeout(Duration::from_millis(20), socket.recv(&mut [0; 4])).await.is_ok()
            });
            net.process("sender", || async {
                netcheck::spawn(sleeper()).await.unwrap();
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                socket.send_to(b"in time", "receiver:4000").await.unwrap();
            })
            .after("receiver");
        });
        assert_eq!(report.verdict(), Verdict::Verified);
        report.outputs("receiver").to_vec()
    });
    assert_eq!(outputs, [["true"], ["true"]]);
}

/// Answers so many requests, unless none comes for long.
async fn answers(requests: usize) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    for _ in 0..requests {
        let mut buffer = [0; 8];
        let limit = Duration::from_millis(100);
        let Ok(received) = timeout(limit, socket.recv_from(&mut buffer)).await else { return };
        let (length, from) = received.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

async fn asks(server: String, requests: u8) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for request in 0..requests {
        socket.send_to(&[request], &server).await.unwrap();
        let _ = timeout(Duration::from_millis(10), socket.recv_from(&mut [0; 8])).await;
    }
}

/// Each pair is a group of processes that meets no other one.
#[test]
fn pairs_that_never_meet_add_up() {
    for search in [Search::Bfs, Search::Dfs, Search::Faults] {
        for pairs in [1, 2, 3, 24] {
            let checker = Checker::new().identity(Identity::History).udp(Udp::new().loss()).search(search);
            let report = checker.check(move |net| {
                for pair in 0..pairs {
                    net.daemon(format!("server{pair}"), || answers(4));
                    net.process(format!("client{pair}"), move || asks(format!("server{pair}:4000"), 4));
                }
            });
            assert_eq!(
                (report.verdict(), report.states()),
                (Verdict::Verified, 266 * pairs + usize::from(pairs > 1)),
                "{pairs} pairs"
            );
            assert_eq!(
                report.transitions(),
                352 * pairs as u64 + if pairs > 1 { pairs as u64 } else { 0 },
                "{pairs} pairs"
            );
        }
    }
}

/// A process that meets both pairs makes them one group, as soon as it is known to.
#[test]
fn a_process_that_meets_two_groups_joins_them() {
    let checker = |reduction| Checker::new().udp(Udp::new().loss()).reduction(reduction);
    let check = |reduction| {
        checker(reduction).check(|net| {
            for pair in 0..2 {
                net.daemon(format!("server{pair}"), || answers(1));
                net.process(format!("client{pair}"), move || asks(format!("server{pair}:4000"), 1));
            }
            net.process("late", || async {
                asks("server0:4000".to_owned(), 1).await;
                asks("server1:4000".to_owned(), 1).await;
            });
        })
    };
    let (reduced, full) = (check(true), check(false));
    assert_eq!((reduced.verdict(), full.verdict()), (Verdict::Verified, Verdict::Verified));
    assert!(reduced.states() < full.states());
    for name in ["server0", "server1", "client0", "client1", "late"] {
        assert_eq!(reduced.outputs(name), full.outputs(name), "{name}");
    }
}

/// Whether it sends is chosen; then it has nothing to do with the receiver any more.
async fn sends_or_not() -> bool {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let sends = netcheck::choose([true, false]).await;
    if sends {
        socket.send_to(&[1], "receiver:4000").await.unwrap();
    }
    sleep(Duration::from_millis(1)).await;
    sends
}

/// A part with a datagram under way covers one without, and is beside another one.
#[test]
fn ends_of_parts_are_not_those_of_the_parts_that_cover_them() {
    let network = |ends: &Arc<Mutex<BTreeSet<[bool; 2]>>>| {
        let ends = Arc::clone(ends);
        move |net: &mut Network| {
            net.process("receiver", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                timeout(Duration::from_millis(4), socket.recv(&mut [0; 8])).await.is_ok()
            });
            net.process("sender", sends_or_not).after("receiver");
            let ends = Arc::clone(&ends);
            net.finally(move |end| {
                let end = ["sender", "receiver"].map(|name| end.output(name) == Some("true"));
                ends.lock().unwrap().insert(end);
                end != [false, true]
            });
        }
    };
    for udp in [Udp::new().delay(..), Udp::new().delay(Duration::from_millis(1)..), Udp::new().loss()] {
        for reduction in [true, false] {
            let ends = Arc::default();
            let checker = Checker::new().udp(udp.clone()).subsumption(true).reduction(reduction);
            let report = checker.check(network(&ends));
            assert_eq!(report.verdict(), Verdict::Verified, "{report}");
            let expected = [[false, false], [true, false], [true, true]];
            assert_eq!(*ends.lock().unwrap(), BTreeSet::from(expected), "{udp:?}, reduction {reduction}");
        }
    }
}
