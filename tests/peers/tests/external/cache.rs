//! The file of answers.

use super::{fresh_folder, peer};
use netcheck::External;
use netcheck::check::{Checker, Report, Tcp, Verdict};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::TcpStream;
use std::io;
use std::path::Path;

async fn client() -> io::Result<u8> {
    let mut stream = TcpStream::connect("counter:7000").await?;
    stream.write_all(b"next\n").await?;
    stream.read_u8().await
}

fn check(external: External, file: &Path) -> Result<Report, netcheck::check::Error> {
    let external = external.cache(file);
    Checker::new().tcp(Tcp::new().fail_read()).at_most(1).try_check(move |net| {
        net.external("counter:7000", external.clone());
        net.process("one", client);
        net.process("other", client);
    })
}

#[test]
fn a_second_check_asks_no_peer() {
    let folder = fresh_folder();
    let file = folder.path().join("answers/counter.json");
    let first = check(peer("counter"), &file).expect("the peer answers");
    let (_, counts) = &first.peers()[0];
    assert!(counts.learned > 10 && counts.runs > 0, "{counts}");
    let second = check(peer("counter"), &file).expect("all is known");
    let (name, counts) = &second.peers()[0];
    assert_eq!((name.as_str(), counts.learned, counts.runs), ("counter", 0, 0));
    assert_eq!(first.verdict(), Verdict::Verified);
    assert_eq!(first.to_string().lines().next(), second.to_string().lines().next());
    assert_eq!(first.outputs("one"), second.outputs("one"));
}

#[test]
fn answers_of_another_command_are_not_taken() {
    let folder = fresh_folder();
    let file = folder.path().join("counter.json");
    check(peer("counter"), &file).expect("the peer answers");
    let other = check(peer("echo"), &file).expect("the peer answers");
    assert!(other.outputs("one").contains(&"Ok(110)".to_owned()), "an `n` comes back: {other}");
    let again = check(peer("counter"), &file).expect("all is known");
    assert_eq!(again.peers()[0].1.learned, 0, "both are in the file");
}

#[test]
fn a_file_that_is_none_is_refused() {
    let folder = fresh_folder();
    let file = folder.path().join("counter.json");
    std::fs::write(&file, "{ \"version\": 99, \"peers\": [] }").expect("the folder is there");
    let refused = std::panic::catch_unwind(|| check(peer("counter"), &file)).expect_err("a wrong file");
    let text = refused.downcast_ref::<String>().expect("a message");
    assert!(text.contains("version 99") && text.contains("delete it"), "{text}");
}

/// Runs this test program again, for one test, with a mode.
fn run_again(test: &str, mode: &str, file: &Path) -> String {
    let program = std::env::current_exe().expect("this program");
    let output = std::process::Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env("NETCHECK_PEERS", mode)
        .env("ANSWERS", file)
        .output()
        .expect("it can be run again");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Nothing by itself: what [`run_again`] runs.
#[test]
fn once_more() {
    let Some(file) = std::env::var_os("ANSWERS") else { return };
    match check(peer("counter"), Path::new(&file)) {
        Ok(report) => println!("THE REPORT: {report}"),
        Err(error) => println!("THE ERROR: {error}"),
    }
}

#[test]
fn what_is_recorded_can_be_replayed_and_nothing_else() {
    let folder = fresh_folder();
    let file = folder.path().join("counter.json");
    let text = run_again("cache::once_more", "replay", &file);
    assert!(text.contains("THE ERROR") && text.contains("NETCHECK_PEERS=replay forbids to ask"), "{text}");
    let text = run_again("cache::once_more", "record", &file);
    assert!(text.contains("THE REPORT: verified") && text.contains("asked for in"), "{text}");
    let recorded = std::fs::read(&file).expect("it was written");
    let text = run_again("cache::once_more", "replay", &file);
    assert!(text.contains("THE REPORT: verified") && text.contains("none asked for"), "{text}");
    let text = run_again("cache::once_more", "record", &file);
    assert!(text.contains("asked for in"), "{text}");
    let again = std::fs::read(&file).expect("it was written");
    assert_eq!(String::from_utf8_lossy(&recorded), String::from_utf8_lossy(&again), "the same answers");
    let text = run_again("cache::once_more", "never", &file);
    assert!(text.contains("it can be `auto`, `record` or `replay`"), "{text}");
}
