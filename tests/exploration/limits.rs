//! Bounds of a check: a limit that was hit is never "verified", and says what to do.

use netcheck as tokio;
use netcheck::check::{Checker, Identity, Keep, Report, Search, Udp, Verdict};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

pub async fn dice(name: &'static str, throws: usize) -> usize {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let mut sum = 0;
    for _ in 0..throws {
        sum += netcheck::choose(1..=3).await;
        socket.send_to(name.as_bytes(), "table:4000").await.unwrap();
    }
    sum
}

pub async fn table(throws: usize) -> Vec<u8> {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut order = Vec::new();
    for _ in 0..throws {
        let mut name = [0; 1];
        socket.recv_from(&mut name).await.unwrap();
        order.push(name[0]);
    }
    order
}

fn check(checker: &Checker, throws: usize) -> Report {
    checker.check(move |net| {
        net.process("table", move || table(2 * throws));
        net.process("a", move || dice("a", throws)).after("table");
        net.process("b", move || dice("b", throws)).after("table");
    })
}

#[test]
fn fingerprints_find_the_same_states_and_say_how_sure_they_are() {
    for search in [Search::Bfs, Search::Dfs, Search::Random { seed: 5 }] {
        for reduction in [false, true] {
            let checker = Checker::new().search(search).reduction(reduction);
            let exact = check(&checker, 3);
            let kept = check(&checker.clone().store(Keep::Fingerprint), 3);
            assert_eq!(exact.verdict(), Verdict::Verified);
            assert_eq!(kept.verdict(), Verdict::Verified);
            assert_eq!((kept.states(), kept.transitions()), (exact.states(), exact.transitions()));
            assert_eq!(kept.outputs("table"), exact.outputs("table"));
            assert_eq!(exact.omission_probability(), None);
            let probability = kept.omission_probability().expect("states may be missed");
            assert!(0.0 < probability && probability < 1e-9, "{probability}");
        }
    }
}

#[test]
fn a_violation_is_found_by_fingerprints_too() {
    let report = Checker::new().store(Keep::Fingerprint).check(|net| {
        net.process("table", || async { assert_ne!(table(4).await, b"abba") });
        net.process("a", || dice("a", 2)).after("table");
        net.process("b", || dice("b", 2)).after("table");
    });
    let counterexample = report.counterexample().expect("an execution with that order");
    assert!(counterexample.to_string().contains("left != right"), "{counterexample}");
}

#[test]
fn memory_that_is_used_up_is_no_verdict() {
    let report = check(&Checker::new().reduction(false).max_memory(3 << 20), 5);
    assert_eq!(report.verdict(), Verdict::Inconclusive);
    let limit = report.limit().expect("it says which limit");
    assert!(limit.contains("max_memory = 3145728 bytes was reached"), "{limit}");
}

#[test]
fn what_is_not_explored_is_counted() {
    let reduced = check(&Checker::new(), 2);
    let full = check(&Checker::new().reduction(false), 2);
    assert!(reduced.pruned() > 0);
    assert!(reduced.states() < full.states());
    assert_eq!(full.pruned(), 0);
}

#[test]
#[ignore = "never ends by itself: the next test runs it and interrupts it"]
fn a_check_that_takes_long() {
    let report = check(&Checker::new().reduction(false).store(Keep::Fingerprint).max_states(usize::MAX), 40);
    println!("{report}");
    assert_eq!(report.verdict(), Verdict::Inconclusive);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_check_with_what_it_has_seen() {
    let mut test = Command::new(std::env::current_exe().expect("a test has a file"))
        .args(["--exact", "limits::a_check_that_takes_long", "--ignored", "--nocapture"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test runs");
    let mut first_line = String::new();
    BufReader::new(test.stderr.take().expect("it is piped")).read_line(&mut first_line).expect("it writes a line");
    assert!(first_line.starts_with("netcheck: ") && first_line.contains(" to be expanded"), "{first_line}");
    let killed = Command::new("kill").args(["-INT", &test.id().to_string()]).status().expect("kill is there");
    assert!(killed.success());
    let output = test.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("inconclusive: interrupted while exploring states ("), "{text}");
}

/// `cargo test --release --test exploration -- --ignored --nocapture twenty`
#[test]
#[ignore = "20 million states take a minute each way, in a release build"]
fn twenty_million_states_fit_into_memory() {
    const GIB: usize = 1 << 30;
    for (keep, bytes_max) in [(Keep::Fingerprint, 2 * GIB), (Keep::Exact, 4 * GIB)] {
        let checker = Checker::new().reduction(false).store(keep).max_states(20_000_000).max_memory(bytes_max);
        let report = check(&checker, 60);
        println!("{keep:?}: {} bytes, {report}", report.memory_bytes());
        assert_eq!(report.verdict(), Verdict::Inconclusive);
        assert_eq!(report.states(), 20_000_001, "{:?}", report.limit());
    }
}

/// Two tasks that share memory and count for ever: no limit but the time ends the check soon.
async fn counts() {
    let count = Arc::new(AtomicU64::new(0));
    let own = Arc::clone(&count);
    let other = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(10)).await;
            own.fetch_add(1, Ordering::Relaxed);
        }
    });
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    while netcheck::choose(0..3).await < 3 {
        count.fetch_add(1, Ordering::Relaxed);
        socket.send_to(b"a", "table:4000").await.unwrap();
    }
    other.abort();
}

#[test]
fn a_check_ends_soon_after_its_time() {
    let words = ["max_time = 1", "max_time = 500ms"].map(|words| words.parse().unwrap());
    let checkers = [Checker::new().max_time(Duration::from_millis(300))].into_iter().chain(words);
    for (checker, said) in checkers.zip([
        "max_time = 0.3 s was reached while ",
        "max_time = 1 s was reached",
        "max_time = 0.5 s was reached",
    ]) {
        let report = checker.check(|net| {
            net.daemon("table", || table(usize::MAX));
            net.process("counter", counts).after("table");
        });
        assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
        assert!(report.limit().unwrap().starts_with(said), "{report}");
    }
}

/// Keeps the instant at which it has started, and another process asks it now and then.
#[test]
fn what_makes_a_check_endless_is_named_first_and_what_differs_by_its_processes() {
    async fn ages() {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        let started = tokio::time::Instant::now();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_u64(started.elapsed().as_secs()).await.unwrap();
        }
    }
    async fn asks() {
        loop {
            let mut stream = TcpStream::connect("server:4000").await.unwrap();
            stream.read_u64().await.unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
    let check = |checker: Checker| {
        checker.max_states(2_000).check(|net| {
            net.daemon("server", ages);
            net.daemon("client", asks).after("server");
        })
    };
    let report = check(Checker::new());
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    let advice = report.profile().advice();
    assert!(advice[0].starts_with("a program asks how long ago an instant is that it keeps, up to "), "{advice:?}");
    assert!(advice[1].starts_with("`duration = 10s`") && advice[1].contains("the search ends then"), "{advice:?}");
    let text = report.to_string();
    assert!(text.contains("TCP connections from \"client\" to \"server\" ("), "{text}");
    assert_eq!(check(Checker::new().duration(Duration::from_secs(3))).verdict(), Verdict::Verified);
}

#[test]
fn an_inconclusive_check_names_a_socket_from_which_nobody_receives() {
    async fn tells(listener: bool) {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            match listener {
                true => _ = socket.recv(&mut [0; 8]).await,
                false => {
                    socket.send_to(b"hello", "deaf:4000").await.unwrap();
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }
    async fn is_deaf() {
        let _socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        std::future::pending().await
    }
    let advice = |listens: bool, reduction: bool| {
        let report = Checker::new().udp(Udp::new().loss()).max_states(200).reduction(reduction).check(|net| {
            match listens {
                true => net.daemon("deaf", || tells(true)),
                false => net.daemon("deaf", is_deaf),
            };
            net.daemon("teller", || tells(false)).after("deaf");
        });
        (report.verdict(), report.profile().advice().join("\n"))
    };
    // With the reduction, datagrams that nobody will receive are forgotten.
    assert_eq!(advice(false, true).0, Verdict::Verified);
    let (verdict, deaf) = advice(false, false);
    assert_eq!(verdict, Verdict::Inconclusive);
    let expected = "\"deaf\" has not received anything from a socket to which \"teller\" sends, and what is under way to it piles up";
    assert!(deaf.starts_with(expected), "{deaf}");
    assert!(!advice(true, false).1.contains("has not received anything"));
}

#[test]
fn an_inconclusive_check_says_where_its_size_comes_from_and_what_may_help() {
    let network = |net: &mut netcheck::Network| {
        net.daemon("table", || table(usize::MAX));
        for name in ["first", "second"] {
            net.process(name, counts).after("table");
        }
    };
    let report = Checker::new().max_states(600).check(network);
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    let profile = report.profile();
    let most: Vec<&str> = profile.processes().iter().map(|process| process.name()).collect();
    assert_eq!(most.len(), 3);
    let first = profile.processes().iter().find(|process| process.name() == "first").unwrap();
    assert!(first.local_states() > 100 && first.tasks() == 2, "{first:?}");
    assert!(first.spawned_at()[0].contains("limits.rs:"), "{:?}", first.spawned_at());
    assert!(
        profile.components().any(|(name, values)| name.contains("under way to \"table\"") && values >= 8),
        "{profile}"
    );
    let text = report.to_string();
    assert!(text.contains("local states: \""), "{text}");
    assert!(text.contains("`tasks = tracked`") && text.contains("limits.rs:"), "{text}");
    // By history, that is what to change first.
    let report = Checker::new().identity(Identity::History).max_states(200).check(network);
    assert!(
        report.profile().advice().iter().any(|advice| advice.contains("leave `identity = history` out")),
        "{report}"
    );
}
