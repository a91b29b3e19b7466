//! The notes under `target/netcheck/` of tests that have failed, which `cargo netcheck` reads.
//!
//! How tests fail is seen in a child: the same program, with one test to run.

use netcheck as tokio;
use netcheck::{Network, model_check};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tokio::net::UdpSocket;
use tokio::time::{Duration, Instant, timeout};

/// Set, the client expects no answer.
const MENDED: &str = "MENDED";

async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
    socket.send_to(b"answer", from).await.unwrap();
}

/// Asks once, with the steps of tests/replay/lost.json.
async fn client() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let begin = Instant::now();
    socket.send_to(b"ask", "server:4000").await.unwrap();
    let answer = timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await;
    assert!(begin.elapsed() <= Duration::from_secs(1));
    assert!(answer.is_ok() || std::env::var_os(MENDED).is_some(), "no answer\nat all");
}

fn register(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", client).after("server");
}

// Fails, unless it is mended.
#[model_check(udp(loss))]
#[model_check(udp(loss), tasks = fifo, deadlocks = paper, seed = 7, name = with_settings)]
#[model_check(udp(loss), expect = deadlock, name = something_else_expected)]
#[model_check(udp(loss), max_states = 3, name = limited)]
#[model_check(replay = "tests/replay/missing.json", name = missing)]
#[model_check(replay = "tests/replay/lost.json", name = kept)]
#[model_check(udp(duplication), replay = "tests/replay/lost.json", name = unfit)]
#[ignore = "run in a child: it fails"]
fn asks(net: &mut Network) {
    register(net);
}

// Passes, unless it is mended.
#[model_check(udp(loss))]
#[should_panic]
#[ignore = "run in a child: it may fail"]
fn should_panic(net: &mut Network) {
    register(net);
}

#[netcheck::test]
#[ignore = "run in a child: it fails"]
async fn alone() {
    let to = UdpSocket::bind("127.0.0.1:4000").await.unwrap();
    let from = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    from.send_to(b"hello", "127.0.0.1:4000").await.unwrap();
    timeout(Duration::from_secs(1), to.recv(&mut [0; 8])).await.expect("a greeting").unwrap();
}

// Fails before anything is checked.
#[model_check]
#[ignore = "run in a child: it panics"]
fn does_not_register(net: &mut Network) {
    register(net);
    panic!("nothing to register");
}

/// The note of a test.
fn note_of(test: &str) -> PathBuf {
    let program = std::env::current_exe().expect("this program");
    let target = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()).expect("in a target folder");
    target.join("netcheck").join(format!("reports-failed-{}.failed", test.replace("::", "-")))
}

/// Runs one of these tests in a child; whether it passes, and its note.
fn child(test: &str, environment: &[(&str, &str)]) -> (bool, Option<Value>) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args([&format!("failed::{test}"), "--exact", "--include-ignored", "--test-threads=1"]);
    for name in ["NETCHECK_REPLAY", "NETCHECK_FAULTS", MENDED] {
        command.env_remove(name);
    }
    let output = command.envs(environment.iter().copied()).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("running 1 test"), "{text}");
    let note = std::fs::read_to_string(note_of(test)).ok();
    (output.status.success(), note.map(|note| serde_json::from_str(&note).expect("JSON")))
}

#[track_caller]
fn failed(test: &str, environment: &[(&str, &str)]) -> Value {
    let (passes, note) = child(test, environment);
    assert!(!passes);
    note.expect("a note")
}

#[test]
fn a_test_that_panics_outside_of_its_programs_is_noted() {
    let note = failed("does_not_register", &[]);
    assert_eq!(note["test"], "failed::does_not_register");
    assert_eq!(note["violation"], "the test itself panicked, as its output says");
    assert!(note["trace"].is_null(), "{note}");
}

#[test]
fn a_note_says_how_to_run_the_test_again_until_it_passes() {
    let note = failed("asks::udp_loss", &[]);
    assert_eq!(note["version"], 1);
    assert_eq!(note["crate_name"], "reports");
    assert_eq!(note["test"], "failed::asks::udp_loss");
    assert_eq!(note["function"], "asks");
    assert_eq!(note["origin"], "check");
    assert_eq!(note["folder"], env!("CARGO_MANIFEST_DIR"));
    assert_eq!(note["file"], "tests/reports/failed.rs");
    let line = note["line"].as_u64().expect("a line") as usize;
    assert!(include_str!("failed.rs").lines().nth(line - 1).is_some_and(|line| line.starts_with("fn asks(")));
    let program = std::env::current_exe().expect("this program");
    assert_eq!(note["program"].as_str().map(Path::new), Some(&*program));
    let violation = note["violation"].as_str().expect("a text");
    assert!(violation.starts_with("panic: client panicked at tests/reports/failed.rs:"), "{violation}");
    assert!(violation.ends_with(": no answer"), "its first line: {violation}");
    assert_eq!(note["settings"], "");
    assert_eq!(note["trace"], "reports-failed-asks-udp_loss.json");
    assert_eq!(note["page"], "reports-failed-asks-udp_loss.html");

    // A replay checks nothing: the note stays.
    let trace = note_of("asks::udp_loss").with_extension("json");
    let replay = ("NETCHECK_REPLAY", trace.to_str().expect("a path of letters"));
    assert_eq!(child("asks::udp_loss", &[replay]), (false, Some(note.clone())));
    assert_eq!(child("asks::udp_loss", &[replay, (MENDED, "")]), (true, Some(note)));
    assert_eq!(child("asks::udp_loss", &[(MENDED, "")]), (true, None));
    assert_eq!(child("asks::udp_loss", &[(MENDED, "")]), (true, None));
}

#[test]
fn a_note_has_what_a_kept_trace_has_to_say() {
    let note = failed("asks::with_settings", &[]);
    assert_eq!(note["settings"], "tasks = fifo, deadlocks = paper, seed = 7");
}

#[test]
fn a_note_says_what_was_expected() {
    let note = failed("asks::something_else_expected", &[]);
    assert!(note["violation"].as_str().is_some_and(|text| text.ends_with("no answer; expected: a deadlock")), "{note}");
    assert!(!note["trace"].is_null());
    let note = failed("asks::something_else_expected", &[(MENDED, "")]);
    assert_eq!(note["violation"], "verified; expected: a deadlock");
    assert!(note["trace"].is_null() && note["page"].is_null());
}

#[test]
fn a_check_without_an_answer_has_a_note_without_files() {
    let note = failed("asks::limited", &[]);
    assert!(note["violation"].as_str().is_some_and(|text| text.starts_with("inconclusive: ")), "{note}");
    assert!(note["trace"].is_null() && note["page"].is_null());
}

#[test]
fn a_kept_trace_that_is_violated_is_the_one_to_replay() {
    let note = failed("asks::kept", &[]);
    assert_eq!(note["origin"], "trace");
    assert_eq!(note["trace"], concat!(env!("CARGO_MANIFEST_DIR"), "/tests/replay/lost.json"));
    assert!(note["page"].is_null());
    let note = failed("asks::unfit", &[]);
    let violation = note["violation"].as_str().expect("a text");
    assert!(violation.contains("the execution does not fit the program any more"), "{violation}");
    assert!(note["trace"].is_string(), "a replay shows the steps until there");
    let note = failed("asks::missing", &[]);
    assert!(note["trace"].is_null());
    let violation = note["violation"].as_str().expect("a text");
    assert!(violation.starts_with("can't be run: replay = \"tests/replay/missing.json\": "), "{violation}");
}

#[test]
fn a_test_that_should_panic_is_noted_if_it_does_not() {
    assert_eq!(child("should_panic", &[]), (true, None));
    let note = failed("should_panic", &[(MENDED, "")]);
    assert_eq!(note["violation"], "nothing is violated, and the test should panic");
    assert_eq!(child("should_panic", &[]), (true, None));
}

#[test]
fn an_async_test_is_noted_with_the_faults_of_the_environment() {
    let note = failed("alone", &[("NETCHECK_FAULTS", "udp(loss)")]);
    assert_eq!((&note["origin"], &note["faults"]), (&"async_test".into(), &"udp(loss)".into()));
    assert_eq!(child("alone", &[]), (true, None));
}
