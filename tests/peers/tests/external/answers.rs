//! A real peer, as programs under check see it.

use super::{fresh_folder, peer};
use netcheck::Network;
use netcheck::check::{Checker, Tcp, Verdict, ViolationKind};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::TcpStream;
use std::io;
use std::path::PathBuf;

async fn ask(lines: u32) -> io::Result<String> {
    let mut stream = TcpStream::connect("counter:7000").await?;
    let mut seen = String::new();
    for _ in 0..lines {
        stream.write_all(b"next\n").await?;
        let mut answer = [0; 2];
        stream.read_exact(&mut answer).await?;
        seen.push(answer[0].into());
    }
    Ok(seen)
}

#[test]
fn the_same_request_is_answered_by_the_history_of_all_connections() {
    let folder = fresh_folder();
    let file = folder.path().join("counter.json");
    let report = Checker::new().check(move |net| {
        net.external("counter:7000", peer("counter").cache(&file));
        net.process("one", || ask(2));
        net.process("other", || ask(1));
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("one"), [r#"Ok("12")"#, r#"Ok("13")"#, r#"Ok("23")"#]);
    assert_eq!(report.outputs("other"), [r#"Ok("1")"#, r#"Ok("2")"#, r#"Ok("3")"#]);
}

#[test]
fn a_peer_may_speak_first_and_end_the_connection() {
    let folder = fresh_folder();
    let file = folder.path().join("greeter.json");
    let report = Checker::new().check(move |net| {
        net.external("greeter:7000", peer("greeter").cache(&file));
        net.process("client", || async {
            let mut stream = TcpStream::connect("greeter:7000").await?;
            let mut greeting = [0; 6];
            stream.read_exact(&mut greeting).await?;
            stream.write_all(b"Ann\n").await?;
            let mut rest = String::new();
            stream.read_to_string(&mut rest).await?;
            io::Result::Ok((String::from_utf8_lossy(&greeting).into_owned(), rest))
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("client"), [r#"Ok(("hello\n", "goodbye Ann\n"))"#]);
}

#[test]
fn a_reset_of_the_peer_is_one() {
    let folder = fresh_folder();
    let file = folder.path().join("resets.json");
    let report = Checker::new().check(move |net| {
        net.external("resets:7000", peer("resets").cache(&file));
        net.process("client", || async {
            let mut stream = TcpStream::connect("resets:7000").await?;
            stream.write_all(b"x").await?;
            stream.read(&mut [0; 8]).await
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let outputs = report.outputs("client");
    assert!(outputs.len() == 1 && outputs[0].contains("ConnectionReset"), "{outputs:?}");
}

/// A client that asks again when its connection fails.
async fn retries() -> io::Result<u32> {
    let mut failed = 0;
    loop {
        match ask(1).await {
            Ok(seen) => return Ok(seen.parse().expect("a number")),
            Err(_) if failed < 1 => failed += 1,
            Err(error) => return Err(error),
        }
    }
}

/// One visit, whose answer may get lost, with the answers of the peer in a file.
fn visited_once(file: PathBuf) -> impl FnOnce(&mut Network) {
    move |net| {
        net.external("counter:7000", peer("counter").cache(&file));
        net.process("client", || async { assert_eq!(retries().await.unwrap_or(1), 1, "counted twice") });
    }
}

#[test]
fn a_retry_that_counts_twice_is_found_and_shown_and_can_be_run_again() {
    let folder = fresh_folder();
    let file = folder.path().join("counter.json");
    let checker = Checker::new().tcp(Tcp::new().fail_read()).at_most(1);
    let report = checker.check(visited_once(file.clone()));
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    let counterexample = report.counterexample().expect("a violation");
    assert_eq!(counterexample.kind(), ViolationKind::Panic);
    let text = counterexample.to_string();
    assert!(text.contains("counted twice"), "{text}");
    assert!(text.contains("counter"), "{text}");
    // From the file, and with a peer that is asked.
    for file in [file, folder.path().join("another.json")] {
        let again = checker.replay(visited_once(file.clone()), counterexample).expect("all steps are possible");
        assert!(again.is_some_and(|violation| violation.contains("counted twice")));
        assert!(file.exists());
    }
}
