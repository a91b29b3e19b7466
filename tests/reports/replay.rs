//! Executions that were saved: as tests, and step by step for whoever looks for the fault.
//!
//! Effects of NETCHECK_REPLAY, and failures of tests, are seen in a child: the same program, with one test to run.

use netcheck as tokio;
use netcheck::{Network, model_check};
use std::process::Command;
use tokio::net::UdpSocket;
use tokio::time::{Duration, Instant, timeout};

/// Answers once.
async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    println!("the server is bound");
    let (length, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
    println!("the server got {length} bytes");
    socket.send_to(b"answer", from).await.unwrap();
}

/// Asks once; says how long it took for an answer, if there was any.
async fn ask(question: &[u8]) -> Option<Duration> {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let begin = Instant::now();
    println!("the client asks");
    socket.send_to(question, "server:4000").await.unwrap();
    let answer = timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await;
    let duration = begin.elapsed();
    println!("the client has waited {duration:?}");
    answer.ok().map(|_| duration)
}

fn register<F: Future<Output = ()> + 'static>(net: &mut Network, client: impl Fn() -> F + Send + Sync + 'static) {
    net.daemon("server", server);
    net.process("client", client).after("server");
}

/// The fault that tests/replay/lost.json shows: nothing is done about a lost datagram.
fn hopeful(net: &mut Network) {
    register(net, || async {
        ask(b"ask").await.expect("an answer");
    });
}

fn resigned(net: &mut Network) {
    register(net, || async {
        let _ = ask(b"ask").await;
    });
}

// Where tests/replay/lost.json comes from.
#[model_check(udp(loss), expect = panic)]
fn is_found(net: &mut Network) {
    hopeful(net);
}

#[model_check(udp(loss))]
#[ignore = "run in a child: it fails"]
fn fails(net: &mut Network) {
    hopeful(net);
}

// Traces as tests.

#[model_check(replay = "tests/replay/lost.json")]
fn a_mended_program_passes(net: &mut Network) {
    resigned(net);
}

#[model_check(replay = "tests/replay/lost.json", expect = panic)]
#[model_check(udp(loss), replay = "tests/replay/lost.json", expect = any)]
fn what_is_expected_again_passes(net: &mut Network) {
    hopeful(net);
}

#[model_check(replay = "tests/replay/lost.json")]
#[should_panic(expected = "runs \"tests/replay/lost.json\" again, and it is violated again\npanic: client panicked at")]
fn a_fault_that_comes_back_fails(net: &mut Network) {
    hopeful(net);
}

#[model_check(replay = "tests/replay/lost.json", expect = panic)]
#[ignore = "run in a child: it fails"]
fn nothing_panics_any_more(net: &mut Network) {
    resigned(net);
}

#[model_check(replay = "tests/replay/lost.json", expect = deadlock)]
#[ignore = "run in a child: it fails"]
fn something_else_is_expected(net: &mut Network) {
    hopeful(net);
}

#[model_check(replay = "tests/replay/lost.json")]
#[model_check(replay = "tests/replay/lost.json", expect = panic)]
#[ignore = "run in a child: it fails"]
fn another_question(net: &mut Network) {
    register(net, || async {
        ask(b"another").await.expect("an answer");
    });
}

#[model_check(udp(duplication), replay = "tests/replay/lost.json")]
#[ignore = "run in a child: it fails"]
fn other_faults(net: &mut Network) {
    hopeful(net);
}

#[model_check(replay = "tests/replay/lost.json")]
#[ignore = "run in a child: it fails"]
fn nobody_asks(net: &mut Network) {
    net.daemon("server", server);
}

#[model_check(replay = "tests/replay/missing.json")]
#[ignore = "run in a child: it fails"]
fn a_missing_trace(net: &mut Network) {
    hopeful(net);
}

#[model_check(replay = "tests/reports/replay.rs")]
#[should_panic]
#[ignore = "run in a child: it fails, although it panics"]
fn no_trace(net: &mut Network) {
    hopeful(net);
}

/// Runs one of these tests in a child; whether it passes, and all that it prints.
fn child(test: &str, environment: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([&format!("replay::{test}"), "--exact", "--include-ignored", "--nocapture", "--test-threads=1"]);
    command.env_remove("NETCHECK_REPLAY").env_remove("RUST_BACKTRACE");
    let output = command.envs(environment.iter().copied()).output().expect("it runs");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text")).concat();
    assert!(text.contains("running 1 test"), "{text}");
    (output.status.success(), text)
}

#[track_caller]
fn assert_fails(test: &str, expected: &[&str]) {
    let (passes, text) = child(test, &[]);
    assert!(!passes, "{text}");
    for expected in expected {
        assert!(text.contains(expected), "{expected}\nis missing in\n{text}");
    }
}

#[test]
fn a_test_that_expects_something_else_says_what_it_found() {
    assert_fails("nothing_panics_any_more", &["nothing is violated; expected: a panic"]);
    let replayed = "replay: NETCHECK_REPLAY=";
    assert_fails(
        "something_else_is_expected",
        &["expected: a deadlock\npanic: client panicked at", replayed, "✗ lost"],
    );
}

#[test]
fn a_trace_that_does_not_fit_says_where_and_why_and_what_to_do() {
    let advice = "a trace that does not fit tests nothing: if the change is meant, remove this test";
    for test in [
        "another_question::replay_tests_replay_lost_json",
        "another_question::replay_tests_replay_lost_json_expect_panic",
    ] {
        let expected = [
            "is not possible: client does something else now\n  expected:\n    client: send \"ask\" to server:4000 (tests/reports/replay.rs:",
            "possible now:\n    client: send \"another\" to server:4000 (tests/reports/replay.rs:",
            advice,
        ];
        assert_fails(test, &expected);
    }
    let network = "is not possible: the network can't do this, or need not, with what is under way now";
    assert_fails("other_faults", &[network, "✗ lost: \"ask\" from client:", advice]);
    assert_fails("nobody_asks", &["is not possible: client waits for something else, or has ended", advice]);
}

#[test]
fn a_file_that_is_no_trace_is_refused() {
    assert_fails("a_missing_trace", &["replay = \"tests/replay/missing.json\": /", "put the trace there"]);
    assert_fails("no_trace", &["not a counterexample", "test did not panic as expected"]);
}

// Step by step.

/// The printed part that is about the execution itself.
fn performed(test: &str, file: &str, environment: &[(&str, &str)]) -> (bool, String) {
    let (passes, text) = child(test, &[environment, &[("NETCHECK_REPLAY", file)]].concat());
    let (_, performed) = text.split_once("was printed while its steps were looked up)\n").expect("a heading");
    (passes, performed.to_owned())
}

const TRACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/replay/lost.json");

#[test]
fn what_the_programs_print_stands_after_the_step_that_they_print_it_with() {
    let (passes, text) = performed("fails", TRACE, &[]);
    assert!(!passes && text.contains("fails replayed: panic: client panicked at tests/reports/replay.rs:"), "{text}");
    let lines = text.lines().take_while(|line| !line.is_empty());
    let is_source = |line: &&str| line.trim_start().starts_with('|');
    let without_places =
        lines.filter(|line| !is_source(line)).map(|line| line.split("  (tests/").next().unwrap_or(line));
    insta::assert_snapshot!(without_places.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_panic_is_printed_as_it_happens_with_a_backtrace_if_one_is_asked_for() {
    let (_, text) = performed("fails", TRACE, &[("RUST_BACKTRACE", "1")]);
    assert!(text.contains("thread 'netcheck'") && text.contains("stack backtrace"), "{text}");
    let (_, text) = performed("fails", TRACE, &[]);
    assert!(text.contains("thread 'netcheck'") && !text.contains("stack backtrace"), "{text}");
}

#[test]
fn a_mended_program_is_taken_to_the_end() {
    let (passes, text) = performed("a_mended_program_passes", TRACE, &[]);
    assert!(passes && text.contains("the client has waited 1s"), "{text}");
    assert!(text.contains("replayed: nothing is violated any more"), "{text}");
}

#[test]
fn steps_are_shown_up_to_the_one_that_is_not_possible() {
    let test = "another_question::replay_tests_replay_lost_json";
    let (passes, text) = performed(test, TRACE, &[]);
    assert!(!passes && text.contains("the client asks"), "{text}");
    let error = "could not be replayed: the execution does not fit the program any more: step";
    assert!(text.contains(error) && text.contains("run the test without NETCHECK_REPLAY"), "{text}");
}

#[test]
fn a_file_that_is_not_there_is_said() {
    let (passes, text) = child("fails", &[("NETCHECK_REPLAY", "nowhere.json")]);
    assert!(!passes && text.contains("NETCHECK_REPLAY=nowhere.json: "), "{text}");
}

// An execution in which a link is cut, and heals.

/// Asks twice, of a server that answers each time.
fn asks_twice(net: &mut Network, is_patient: bool) {
    net.daemon("server", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
            socket.send_to(b"answer", from).await.unwrap();
        }
    });
    net.process("client", move || async move {
        let first = ask(b"first").await.is_some();
        let second = ask(b"second").await.is_some();
        assert!(first || !second || is_patient, "the second answer comes, and not the first");
    })
    .after("server");
}

// Where tests/replay/cut.json comes from.
#[model_check(partition(between = ["client", "server"]), expect = panic)]
fn a_cut_that_heals_is_found(net: &mut Network) {
    asks_twice(net, false);
}

#[model_check(partition(between = ["client", "server"]))]
#[ignore = "run in a child: it fails"]
fn a_cut_that_heals_fails(net: &mut Network) {
    asks_twice(net, false);
}

#[model_check(replay = "tests/replay/cut.json", expect = panic)]
fn a_cut_is_made_and_heals_again(net: &mut Network) {
    asks_twice(net, false);
}

#[model_check(replay = "tests/replay/cut.json")]
fn a_mended_program_passes_although_a_link_is_cut(net: &mut Network) {
    asks_twice(net, true);
}

#[model_check(replay = "tests/replay/cut.json")]
#[should_panic(expected = "runs \"tests/replay/cut.json\" again, and it is violated again\npanic: client panicked at")]
fn a_fault_that_a_cut_shows_fails(net: &mut Network) {
    asks_twice(net, false);
}

#[model_check(replay = "tests/replay/cut.json", expect = panic)]
#[ignore = "run in a child: it fails"]
fn nobody_is_cut_off(net: &mut Network) {
    net.process("server", || async {});
    net.process("client", || async {});
}

#[test]
fn a_cut_is_shown_by_its_sides() {
    let trace = std::fs::read_to_string("tests/replay/cut.json").expect("it is in the repository");
    let found = netcheck::check::Counterexample::from_json(&trace).expect("it is a trace");
    let text = found.to_string();
    assert!(text.contains("cut server | client") && text.contains("heal server | client"), "{text}");
    assert_fails("nobody_is_cut_off", &["the execution does not fit the program any more: step 2 is not possible"]);
}
