//! Tests that were written for tokio, as they are: `#[tokio::test]` where netcheck stands in for
//! tokio explores every schedule. They are compiled twice, against tokio and against netcheck.
//!
//! Effects of NETCHECK_FAULTS and NETCHECK_REPLAY are seen in a child: the same program, with one test
//! to run.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the tests are for")]

mod checked;
mod real;

use netcheck as tokio;
use std::io;
use std::process::Command;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::yield_now;
use tokio::time::{Duration, timeout};

// Bugs that tokio's own schedule hides.

#[tokio::test]
#[should_panic(expected = "the server listens: Os { code: 111, kind: ConnectionRefused")]
async fn a_client_that_comes_too_early_is_found() {
    checked::bugs::the_server_may_not_listen_yet().await;
}

#[tokio::test]
#[should_panic(expected = "a deposit is lost")]
async fn deposits_that_overlap_are_found() {
    checked::bugs::deposits_may_overlap().await;
}

#[::tokio::test(crate = "::tokio")]
async fn on_tokio_neither_shows_in_a_hundred_runs() {
    for _ in 0..100 {
        real::bugs::the_server_may_not_listen_yet().await;
        real::bugs::deposits_may_overlap().await;
    }
}

#[tokio::test]
#[should_panic(expected = "the test has ended with an error: Custom { kind: Other, error: \"out of paper\" }")]
async fn an_error_at_the_end_fails_a_test() -> io::Result<()> {
    yield_now().await;
    Err(io::Error::other("out of paper"))
}

// Tests that pass on a reliable network.

/// Sends `ping` to a task that answers, and waits for the answer.
async fn ping(socket: &UdpSocket) {
    let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let to = server.local_addr().unwrap();
    tokio::spawn(async move {
        let (_, from) = server.recv_from(&mut [0; 8]).await.unwrap();
        server.send_to(b"pong", from).await.unwrap();
    });
    socket.send_to(b"ping", to).await.unwrap();
}

#[tokio::test]
async fn an_answer_comes_in_time() {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    ping(&socket).await;
    timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await.expect("no answer").unwrap();
}

/// If the answer is lost, this waits for ever, and so does the task that waits for a next client.
#[tokio::test]
async fn an_answer_comes_at_last() {
    let listener = TcpListener::bind("127.0.0.1:80").await.unwrap();
    tokio::spawn(async move { while listener.accept().await.is_ok() {} });
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    ping(&socket).await;
    socket.recv(&mut [0; 8]).await.unwrap();
}

#[tokio::test]
#[should_panic(expected = "the answer is not")]
async fn an_answer_is_what_was_hoped_for() {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    ping(&socket).await;
    let mut answer = [0; 4];
    socket.recv(&mut answer).await.unwrap();
    assert_eq!(&answer, b"ping", "the answer is not");
}

#[tokio::test]
#[should_panic]
async fn something_panics() {
    panic!("at once");
}

#[tokio::test]
async fn a_stream_carries_bytes() -> io::Result<()> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let client = tokio::spawn(async move { TcpStream::connect(address).await?.write_all(b"bytes").await });
    let (mut stream, _) = listener.accept().await?;
    let mut read = Vec::new();
    stream.read_to_end(&mut read).await?;
    assert_eq!(read, b"bytes");
    client.await.expect("no panic")
}

// The environment.

/// Runs one of these tests in a child; whether it passes, and all that it prints.
fn child(test: &str, environment: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([&format!("existing::{test}"), "--exact", "--nocapture", "--test-threads=1", "--include-ignored"]);
    command.env_remove("NETCHECK_FAULTS").env_remove("NETCHECK_REPLAY").env_remove("RUST_BACKTRACE");
    let output = command.envs(environment.iter().copied()).output().expect("it runs");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text")).concat();
    assert!(text.contains("running 1 test"), "{text}");
    (output.status.success(), text)
}

#[track_caller]
fn assert_passes(test: &str, faults: &str) {
    let (passes, text) = child(test, &[("NETCHECK_FAULTS", faults)]);
    assert!(passes, "{text}");
}

#[track_caller]
fn assert_fails(test: &str, faults: &str, expected: &[&str]) {
    let (passes, text) = child(test, &[("NETCHECK_FAULTS", faults)]);
    assert!(!passes, "{text}");
    for expected in expected {
        assert!(text.contains(expected), "{expected}\nis missing in\n{text}");
    }
}

/// The note that `cargo netcheck` reads.
#[test]
fn a_failing_test_is_noted_until_it_passes() {
    let target = std::env::current_exe().expect("this program");
    let target = target.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()).expect("cargo's target folder");
    let note = target.join("netcheck/reports-existing-nobody_waits_for_ever.failed");
    assert_fails("nobody_waits_for_ever", "udp(loss)", &["deadlock"]);
    let text = std::fs::read_to_string(&note).expect("it is written");
    for said in [
        r#""test": "existing::nobody_waits_for_ever""#,
        r#""file": "tests/reports/existing.rs""#,
        r#""violation": "deadlock: "#,
        r#""trace": "reports-existing-nobody_waits_for_ever.json""#,
        r#""faults": "udp(loss)""#,
    ] {
        assert!(text.contains(said), "{said}\nis missing in\n{text}");
    }
    assert_passes("nobody_waits_for_ever", "");
    assert!(!note.exists(), "it was mended");
}

/// Waits for a datagram that may be lost.
#[tokio::test]
#[ignore = "one process of the test above, and not to be run beside it"]
async fn nobody_waits_for_ever() {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.send_to(b"ping", socket.local_addr().unwrap()).await.unwrap();
    socket.recv(&mut [0; 8]).await.unwrap();
}

#[test]
fn without_faults_every_schedule_passes() {
    for test in ["an_answer_comes_in_time", "an_answer_comes_at_last", "a_stream_carries_bytes"] {
        let (passes, text) = child(test, &[]);
        assert!(passes && text.contains(&format!("{test}: verified (")), "{text}");
        assert_passes(test, "");
    }
}

#[test]
fn faults_of_the_environment_are_explored() {
    assert_fails(
        "an_answer_comes_in_time",
        "udp(loss)",
        &["panic: test panicked at tests/reports/existing.rs:", "no answer: Elapsed", "✗ lost"],
    );
    assert_passes("an_answer_comes_in_time", "udp(duplication, reorder = 2), tcp(read, write), at_most = 1");
    assert_fails(
        "a_stream_carries_bytes",
        "tcp(read), at_most = 1",
        &["the test has ended with an error: Os { code: 104"],
    );
    assert_passes("a_stream_carries_bytes", "tcp(split)");
    assert_fails("a_stream_carries_bytes", "max_states = 3", &["inconclusive: max_states = 3 was reached"]);
}

#[test]
fn a_test_that_never_ends_is_a_deadlock_although_a_task_accepts() {
    let expected =
        ["deadlock: nothing can happen any more", "test waits for accept on 127.0.0.1:80 at", ", recv on port"];
    assert_fails("an_answer_comes_at_last", "udp(loss)", &expected);
    assert_fails("an_answer_comes_at_last", "udp(loss), reduction = false", &expected);
}

#[test]
fn words_that_are_wrong_fail_every_test() {
    let shown = "NETCHECK_FAULTS is wrong: unknown word `los`, did you mean `loss`?";
    assert_fails("an_answer_comes_in_time", "udp(los)", &[shown, "\n  udp(los)\n      ^^^"]);
    assert_fails("something_panics", "udp(los)", &[shown, "test did not panic as expected"]);
    assert_fails(
        "a_stream_carries_bytes",
        "tcp(read, process = \"server\")",
        &["names \"server\", but there is no such process; there are: test"],
    );
}

#[test]
fn only_a_panic_is_what_should_panic() {
    assert_passes("an_answer_is_what_was_hoped_for", "");
    assert_passes("an_answer_is_what_was_hoped_for", "udp(duplication)");
    assert_fails("an_answer_is_what_was_hoped_for", "max_states = 3", &["inconclusive", "did not panic as expected"]);
}

#[test]
fn a_failure_replays_under_its_faults() {
    let (passes, text) = child("an_answer_comes_in_time", &[("NETCHECK_FAULTS", "udp(loss, process = \"test\")")]);
    assert!(!passes, "{text}");
    let (_, line) = text.split_once("replay: ").expect("how to replay");
    let (faults, line) = line.split_once(" NETCHECK_REPLAY=").expect("the file");
    assert_eq!(faults, "NETCHECK_FAULTS='udp(loss, process = \"test\")'");
    let (file, command) = line.lines().next().unwrap().split_once(' ').expect("a command");
    assert_eq!(command, "cargo test an_answer_comes_in_time");

    let (_, diagram) = text.split_once("diagram: ").expect("where the diagram is");
    let page = std::fs::read_to_string(diagram.lines().next().unwrap()).expect("it was written");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("cargo test an_answer_comes_in_time"), "{page}");

    let faults = ("NETCHECK_FAULTS", "udp(loss, process = \"test\")");
    let (passes, text) = child("an_answer_comes_in_time", &[faults, ("NETCHECK_REPLAY", file)]);
    assert!(!passes && text.contains("an_answer_comes_in_time replayed: panic: test panicked at"), "{text}");
    let (passes, text) = child("an_answer_comes_in_time", &[("NETCHECK_REPLAY", file)]);
    assert!(!passes && text.contains("an_answer_comes_in_time replayed: panic"), "the trace names its faults: {text}");
    let others = ("NETCHECK_FAULTS", "udp(duplication)");
    let (passes, text) = child("an_answer_comes_in_time", &[others, ("NETCHECK_REPLAY", file)]);
    assert!(!passes && text.contains("could not be replayed"), "{text}");
    let (passes, text) = child("something_panics", &[("NETCHECK_REPLAY", "no such file")]);
    assert!(!passes && text.contains("NETCHECK_REPLAY=no such file: "), "{text}");
}

#[test]
fn a_failure_is_colored_where_a_terminal_wants_it() {
    let text = |environment: &[(&str, &str)]| {
        let faults = [("NETCHECK_FAULTS", "tcp(read), at_most = 1")];
        child("a_stream_carries_bytes", &[&faults, environment].concat()).1
    };
    assert!(!text(&[]).contains('\x1b'), "what is captured has no colors");
    assert!(text(&[("CLICOLOR_FORCE", "1")]).contains("\x1b[1m\x1b[31mpanic\x1b[0m: test panicked at"));
    assert!(!text(&[("CLICOLOR_FORCE", "0"), ("NO_COLOR", "1")]).contains('\x1b'));
}
