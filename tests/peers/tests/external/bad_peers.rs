//! Peers that do not start, die, never stop, or contradict themselves: an error each, and nothing is left behind.

use super::{fresh_folder, peer};
use netcheck::External;
use netcheck::check::Checker;
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::TcpStream;
use std::io;
use std::time::Duration;

async fn client() -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect("server:7000").await?;
    stream.write_all(b"line\n").await?;
    let mut answer = vec![0; 64];
    let length = stream.read(&mut answer).await?;
    answer.truncate(length);
    Ok(answer)
}

fn error_with(external: External) -> String {
    let folder = fresh_folder();
    let external = external.cache(folder.path().join("server.json"));
    let checked = Checker::new().try_check(move |net| {
        net.external("server:7000", external.clone());
        net.process("client", client);
    });
    checked.expect_err("the peer is bad").to_string()
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let error = error_with(External::command("no-such-server").args(["{port}"]));
    assert!(error.contains("there is no program no-such-server"), "{error}");
    assert!(error.contains("NETCHECK_PEERS=replay"), "{error}");
}

#[test]
fn a_peer_that_does_not_start_is_shown_with_what_it_printed() {
    let error = error_with(peer("quits"));
    assert!(error.contains("before it could be talked to"), "{error}");
    assert!(error.contains("| quits begins") && error.contains("I don't want to"), "{error}");
}

#[test]
fn a_peer_that_dies_is_shown_with_the_input_and_what_it_printed() {
    let error = error_with(peer("dies"));
    assert!(error.contains("after b\"line\\n\" on connection 0"), "{error}");
    assert!(error.contains("exit status: 3") && error.contains("| out of memory, or so"), "{error}");
}

#[test]
fn a_peer_that_never_stops_sending_is_said_to() {
    let error = error_with(peer("chatters"));
    assert!(error.contains("goes on sending") && error.contains("settle"), "{error}");
}

#[test]
fn a_peer_that_listens_elsewhere_is_said_to() {
    let error = error_with(peer("elsewhere"));
    assert!(error.contains("has not opened 127.0.0.1:") && error.contains("{port}"), "{error}");
}

fn contradicted(external: External) -> Result<netcheck::check::Report, netcheck::check::Error> {
    let folder = fresh_folder();
    let external = external.cache(folder.path().join("server.json"));
    Checker::new().try_check(move |net| {
        net.external("server:7000", external.clone());
        net.process("one", client);
        net.process("other", client);
    })
}

#[test]
fn a_peer_that_contradicts_itself_is_an_error_that_shows_both_answers() {
    let error = contradicted(peer("clock")).expect_err("the time goes on").to_string();
    assert!(error.contains("answered the same history in two ways"), "{error}");
    assert!(error.contains("first:  b\"time=") && error.contains("again:  b\"time="), "{error}");
    assert!(error.contains(".mask(") && error.contains(".nondeterministic()"), "{error}");
}

#[test]
fn what_differs_each_time_can_be_masked() {
    let masked = peer("clock").mask(|bytes| bytes.iter().copied().filter(|byte| !byte.is_ascii_digit()).collect());
    let report = contradicted(masked).expect("equal but for the digits");
    assert_eq!(report.verdict(), netcheck::check::Verdict::Verified);
}

#[test]
fn a_peer_that_may_answer_either_way_is_explored_both_ways() {
    let folder = fresh_folder();
    let external = peer("dice").nondeterministic().cache(folder.path().join("server.json"));
    let mut outputs = Vec::new();
    // With a probability of 1/16, three times, all four answers are alike.
    for _ in 0..4 {
        let external = external.clone();
        let report = Checker::new().try_check(move |net| {
            net.external("server:7000", external.clone());
            net.process("client", || async { String::from_utf8(client().await.unwrap_or_default()) });
        });
        outputs = report.expect("a peer that may").outputs("client").to_vec();
        if outputs.len() == 2 {
            break;
        }
        std::fs::remove_file(folder.path().join("server.json")).expect("it was written");
    }
    assert_eq!(outputs, [r#"Ok("heads\n")"#, r#"Ok("tails\n")"#]);
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left_behind() {
    let folder = fresh_folder();
    let file = folder.path().join("server.json");
    let (at, external) = (folder.path().join("printed"), External::command("sh"));
    let script = format!("exec {} parent {{port}} > {}", env!("CARGO_BIN_EXE_peer"), at.display());
    let external = external.args(["-c", &script]).settle(Duration::from_millis(30)).cache(file);
    Checker::new().check(move |net| {
        net.external("server:7000", external.clone());
        net.process("client", client);
    });
    let printed = std::fs::read_to_string(at).expect("it was redirected");
    let child = printed.lines().find_map(|line| line.strip_prefix("child ")).expect("the child's number");
    // A process that has ended and that nobody has asked for yet is a zombie.
    let status = || std::fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
    let has_ended = || status().is_empty() || status().contains("State:\tZ");
    for _ in 0..200 {
        if has_ended() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the child {child} of the peer goes on: {}", status());
}
