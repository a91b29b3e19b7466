//! Tests that a function with `#[model_check]` becomes: how many, with which names, and how each ends.
//!
//! Tests that fail are run in a child: the same program, with these tests to run.

use netcheck::{Network, model_check};
use std::io;
use std::process::Command;

/// A client whose request may get lost, and a server that is slower than the client is patient.
fn impatient(net: &mut Network) {
    use netcheck::net::UdpSocket;
    use netcheck::time::{Duration, timeout};
    net.daemon("server", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (length, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
        socket.send_to(&[0; 8][..length], from).await.unwrap();
    });
    let client = net.process("client", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"ask", "server:4000").await.unwrap();
        timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await.expect("an answer").unwrap();
    });
    client.after("server");
}

const FAULTS: usize = 1;

/// One test for each attribute.
#[model_check]
#[model_check(udp(duplication), at_most = FAULTS)]
#[model_check(udp(loss), name = lossy, expect = panic)]
#[netcheck::model_check(udp(delay), expect = any)]
fn answers(net: &mut Network) {
    impatient(net);
}

mod pinned {
    use super::{Network, impatient, model_check};

    #[model_check(udp(loss), expect = panic, snapshot)]
    #[model_check(udp(delay), expect = panic, snapshot)]
    fn each_has_a_snapshot(net: &mut Network) {
        impatient(net);
    }
}

#[model_check(udp(loss), name = lossy)]
#[should_panic(expected = "client panicked at tests/reports/model_check.rs")]
fn a_chosen_name(net: &mut Network) {
    impatient(net);
}

#[model_check(udp(loss))]
#[cfg_attr(all(), model_check(udp(delay)), cfg_attr(any(), model_check(udp(reorder = 2))))]
#[cfg_attr(all(), should_panic(expected = "✗ lost"))]
#[ignore = "run in a child: one of the two loses nothing"]
fn a_loss_is_to_blame(net: &mut Network) {
    impatient(net);
}

#[model_check(udp(loss))]
#[model_check(udp(loss), expect = panic, snapshot)]
#[ignore = "run in a child: they fail, one of them because nothing is pinned"]
fn fails(net: &mut Network) {
    impatient(net);
}

#[model_check(udp(loss), max_states = 3)]
#[should_panic]
#[ignore = "run in a child: it stops at the limit"]
fn no_answer_is_no_violation(net: &mut Network) {
    impatient(net);
}

#[model_check]
#[cfg(any())]
fn what_is_configured_away_is_not_compiled(net: &mut Network) {
    not_even_this();
}

/// Two that call each other for ever, each in a loop that says that nothing is left of its past.
mod endless {
    use super::{Network, model_check};
    use netcheck::__private::capture::{checkpoint, values};
    use netcheck::net::UdpSocket;

    async fn call(other: &str, is_first: bool) {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        if is_first {
            socket.send_to(b"hello", other).await.unwrap();
        }
        loop {
            checkpoint(|| {}, values());
            socket.recv_from(&mut [0; 8]).await.unwrap();
            socket.send_to(b"hello", other).await.unwrap();
        }
    }

    #[model_check]
    #[model_check(capture = true, reduction = false)]
    #[model_check(capture = false, max_states = 1_000)]
    #[model_check(capture = false, identity = history, max_states = 1_000, expect = inconclusive)]
    #[model_check(capture = false, identity = history, reduction = false, max_states = 1_000, expect = inconclusive)]
    fn calls(net: &mut Network) {
        net.daemon("ann", || call("bob:4000", false));
        net.daemon("bob", || call("ann:4000", true)).after("ann");
    }
}

// Functions that end with an error, and functions that are async.

fn port(text: &str) -> Result<u16, std::num::ParseIntError> {
    text.parse()
}

#[model_check]
#[model_check(udp(loss))]
fn registration_may_fail(net: &mut Network) -> Result<(), std::num::ParseIntError> {
    let port = port("4000")?;
    net.process("client", move || async move { port });
    Ok(())
}

#[model_check]
#[should_panic(expected = "the programs could not be registered: ParseIntError { kind: InvalidDigit }")]
fn an_error_fails_the_test(net: &mut Network) -> Result<(), std::num::ParseIntError> {
    let port = port("http")?;
    net.process("client", move || async move { port });
    Ok(())
}

#[model_check]
#[model_check(udp(loss), expect = panic)]
async fn registration_may_be_async(net: &mut Network) -> io::Result<()> {
    async { Ok::<_, io::Error>(()) }.await?;
    net.process("client", || async {
        let socket = netcheck::net::UdpSocket::bind("127.0.0.1:4000").await.unwrap();
        socket.send_to(b"me", "127.0.0.1:4000").await.unwrap();
        let patience = netcheck::time::Duration::from_secs(1);
        netcheck::time::timeout(patience, socket.recv(&mut [0; 8])).await.expect("an echo").unwrap();
    });
    Ok(())
}

#[model_check]
#[should_panic(expected = "the function that registers programs waits, and nothing is running yet")]
async fn registration_waits_for_nothing(net: &mut Network) {
    std::future::pending::<()>().await;
    net.process("client", || async {});
}

#[model_check]
#[should_panic(expected = "only work inside a check")]
async fn registration_has_no_network(net: &mut Network) {
    let socket = netcheck::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    drop(socket);
    net.process("client", || async {});
}

// Results under `cargo test`.

/// These tests, of these names, with these options: whether all passes, and what it prints.
fn child(names: &[&str], options: &[&str]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let output = command
        .args(names.iter().map(|name| format!("model_check::{name}")))
        .args(options)
        .env_remove("NETCHECK_REPLAY")
        .env("RUST_BACKTRACE", "1")
        .env("INSTA_UPDATE", "no")
        .output()
        .expect("it runs");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text")).concat();
    (output.status.success(), text)
}

/// The lines of a run that begin with `test `, in the order of their names.
fn tests(text: &str) -> Vec<&str> {
    let mut tests: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("test model_check::")).collect();
    tests.retain(|line| !line.starts_with("result"));
    tests.sort_unstable();
    tests
}

#[test]
fn each_attribute_is_a_test() {
    let (passes, text) = child(&["answers::", "a_chosen_name", "registration_may_be_async", "pinned"], &[]);
    assert!(passes, "{text}");
    let expected = [
        "a_chosen_name::lossy - should panic ... ok",
        "answers::lossy ... ok",
        "answers::schedules ... ok",
        "answers::udp_delay_expect_any ... ok",
        "answers::udp_duplication_at_most_faults ... ok",
        "pinned::each_has_a_snapshot::udp_delay_expect_panic ... ok",
        "pinned::each_has_a_snapshot::udp_loss_expect_panic ... ok",
        "registration_may_be_async::schedules ... ok",
        "registration_may_be_async::udp_loss_expect_panic ... ok",
    ];
    assert_eq!(tests(&text), expected);
}

#[test]
fn each_test_reports_under_its_own_name() {
    let (passes, text) = child(&["answers::"], &["--nocapture", "--test-threads=1"]);
    assert!(passes && text.contains("answers::lossy: violated ("), "{text}");
    assert!(text.contains("answers::schedules: verified ("), "{text}");
}

#[test]
fn should_panic_is_asked_of_each_test() {
    let (passes, text) = child(&["a_loss_is_to_blame"], &["--include-ignored"]);
    assert!(!passes && text.contains("panic did not contain expected string"), "{text}");
    let expected = [
        "a_loss_is_to_blame::udp_delay - should panic ... FAILED",
        "a_loss_is_to_blame::udp_loss - should panic ... ok",
    ];
    assert_eq!(tests(&text), expected);
    assert!(text.contains("cargo test a_loss_is_to_blame::udp_delay"), "{text}");
    assert!(text.contains("netcheck/reports-model_check-a_loss_is_to_blame-udp_delay.json"), "{text}");
}

#[test]
fn a_counterexample_is_printed_once_and_nothing_of_the_engine_after_it() {
    let lines = |text: &str, part: &str| text.lines().filter(|line| line.contains(part)).count();
    let (passes, text) = child(&["fails::udp_loss"], &["--include-ignored", "--exact"]);
    assert!(!passes, "{text}");
    assert_eq!(lines(&text, "panic: client panicked at tests/reports/model_check.rs:"), 1, "{text}");
    assert_eq!(lines(&text, "1. server   start"), 1, "{text}");
    assert!(
        !text.contains("stack backtrace") && !text.contains("netcheck_runtime") && !text.contains("netcheck_check"),
        "{text}"
    );
    // A difference from the pinned text is shown by `insta`, which panics.
    let (passes, text) = child(&["fails::udp_loss_expect_panic"], &["--include-ignored", "--exact"]);
    assert!(!passes && text.contains("fails::udp_loss_expect_panic: violated ("), "{text}");
    assert_eq!(lines(&text, "panic: client panicked at tests/reports/model_check.rs: an answer"), 1, "{text}");
    assert_eq!(lines(&text, "1. server   start"), 1, "{text}");
    assert!(!text.contains("netcheck_runtime") && !text.contains("netcheck_check"), "{text}");
}

#[test]
fn a_limit_is_no_panic() {
    let (passes, text) = child(&["no_answer_is_no_violation"], &["--include-ignored"]);
    assert!(!passes && text.contains("inconclusive: max_states = 3 was reached"), "{text}");
    assert!(text.contains("test did not panic as expected"), "{text}");
}
