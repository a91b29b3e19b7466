//! Real peers that are killed, and start again.

use super::{fresh_folder, peer};
use netcheck::External;
use netcheck::check::{Checker, Crash, Report, Verdict};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::{TcpStream, UdpSocket};
use netcheck::time::timeout;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A peer that has a folder.
fn with_folder(behaviour: &str) -> External {
    External::command(env!("CARGO_BIN_EXE_peer")).args([behaviour, "{port}", "{dir}"]).settle(Duration::from_millis(30))
}

async fn next() -> io::Result<u8> {
    let mut stream = TcpStream::connect("numbers:7000").await?;
    stream.write_all(b"next\n").await?;
    let mut answer = [0; 2];
    stream.read_exact(&mut answer).await?;
    Ok(answer[0] - b'0')
}

/// Asks so many times, each time on a new connection; 0 stands for no answer. No number comes twice.
async fn ask(times: usize) -> Vec<u8> {
    let mut numbers = Vec::new();
    for _ in 0..times {
        let number = next().await.unwrap_or(0);
        assert!(number == 0 || !numbers.contains(&number), "{number} comes again after {numbers:?}");
        numbers.push(number);
    }
    numbers
}

fn checked(checker: &Checker, numbers: &External, times: usize, file: &Path) -> Report {
    checker.check(|net| {
        net.external("numbers:7000", numbers.clone().cache(file));
        net.process("client", move || ask(times));
    })
}

fn killed() -> Crash {
    Crash::kill().process("numbers")
}

#[test]
fn a_peer_that_is_killed_finds_its_files() {
    let folder = fresh_folder();
    let file = folder.path().join("answers.json");
    let [reduced, all] = [true, false].map(|reduction| {
        let checker = Checker::new().crash(killed()).reduction(reduction);
        let report = checked(&checker, &with_folder("ledger"), 2, &file);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report
    });
    // The server is killed before the request reaches it, or before the answer leaves it.
    let expected = ["[0, 0]", "[0, 1]", "[0, 2]", "[1, 0]", "[1, 2]"];
    assert_eq!(
        (reduced.outputs("client"), all.outputs("client")),
        (&expected.map(str::to_owned)[..], &expected.map(str::to_owned)[..])
    );
    let [(_, asked)] = reduced.peers() else { panic!("there is one peer: {reduced}") };
    let [(_, known)] = all.peers() else { panic!("there is one peer: {all}") };
    assert!(asked.learned > 0 && asked.runs > 0, "{asked}");
    assert_eq!((known.learned, known.runs), (0, 0), "all answers are in the file, kills among them: {known}");
}

#[test]
fn what_a_peer_keeps_in_memory_is_gone_when_it_is_killed() {
    for behaviour in ["counter", "lazy"] {
        let folder = fresh_folder();
        let file = folder.path().join("answers.json");
        let numbers = if behaviour == "counter" { peer(behaviour) } else { with_folder(behaviour) };
        let without = checked(&Checker::new(), &numbers, 2, &file);
        assert_eq!(without.verdict(), Verdict::Verified, "{without}");
        let report = checked(&Checker::new().crash(killed()), &numbers, 2, &file);
        assert_eq!(report.verdict(), Verdict::Violated, "{behaviour}: {report}");
        let text = report.counterexample().unwrap().to_string();
        assert!(text.contains("1 comes again after [1]"), "{text}");
        assert!(text.contains("numbers  crash -> killed\n") && text.contains("numbers  start again"), "{text}");
        assert!(!text.contains('\0') && !text.contains("without files"), "nothing is told of its history: {text}");
    }
}

#[test]
fn a_peer_may_be_killed_several_times_or_stay_down() {
    let folder = fresh_folder();
    let file = folder.path().join("answers.json");
    let twice = checked(&Checker::new().crash(killed().times(2)), &with_folder("ledger"), 1, &file);
    assert_eq!(twice.verdict(), Verdict::Verified, "{twice}");
    assert_eq!(twice.outputs("client"), ["[0]", "[1]"]);
    let ends = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&ends);
    let down = Checker::new().crash(killed().stays_down()).check(|net| {
        net.external("numbers:7000", with_folder("ledger").cache(&file));
        net.process("client", || ask(1));
        net.finally(move |end| {
            assert!(end.files("numbers").is_empty(), "its files are its own");
            seen.lock().unwrap().insert((end.has_crashed("numbers"), end.value::<Vec<u8>>("client").cloned()));
        });
    });
    assert_eq!(down.verdict(), Verdict::Verified, "{down}");
    // The client starts when the peer is there, which may never be.
    let all =
        [(false, Some(vec![0])), (false, Some(vec![1])), (true, None), (true, Some(vec![0])), (true, Some(vec![1]))];
    assert_eq!(*ends.lock().unwrap(), BTreeSet::from(all));
}

#[test]
fn datagrams_count_anew_after_a_kill() {
    let folder = fresh_folder();
    let file = folder.path().join("answers.json");
    let report = Checker::new().crash(killed()).check(|net| {
        net.external("numbers:7000", peer("datagrams").udp().cache(&file));
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            let mut seen = Vec::new();
            for _ in 0..2 {
                socket.send_to(b"?", "numbers:7000").await.unwrap();
                let mut answer = [0; 8];
                let answered = timeout(Duration::from_secs(1), socket.recv(&mut answer)).await;
                seen.push(answered.map_or('-', |_| char::from(answer[0])));
            }
            seen.into_iter().collect::<String>()
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("client"), ["\"--\"", "\"-1\"", "\"1-\"", "\"11\"", "\"12\""]);
}

#[test]
fn a_peer_that_does_not_start_again_is_an_error() {
    let folder = fresh_folder();
    let error = Checker::new()
        .crash(killed())
        .try_check(|net| {
            net.external("numbers:7000", with_folder("once").cache(folder.path().join("answers.json")));
            net.process("client", || ask(1));
        })
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("\"numbers\"")
            && error.contains("after it was killed")
            && error.contains("nobody has been here"),
        "{error}"
    );
}

#[test]
fn only_what_a_check_has_started_is_killed() {
    let refused = |crash: Crash, numbers: External| {
        let checker = Checker::new().crash(crash);
        let checked = checker.try_check(|net| {
            net.external("numbers:7000", numbers);
            net.process("client", || ask(1));
        });
        checked.unwrap_err().to_string()
    };
    let error = refused(Crash::power().process("numbers"), with_folder("ledger"));
    assert!(error.contains("\"numbers\" is external") && error.contains("crash(kill)"), "{error}");
    let error = refused(killed(), External::at("127.0.0.1:7000"));
    assert!(error.contains("\"numbers\" is external") && error.contains("External::command"), "{error}");
}

/// Without a name, processes crash that are under check.
#[test]
fn a_peer_that_is_not_named_is_not_killed() {
    let folder = fresh_folder();
    let report = Checker::new().crash(Crash::kill()).check(|net| {
        net.external("numbers:7000", peer("counter").cache(folder.path().join("answers.json")));
        net.process("client", || async { next().await.unwrap() });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("client"), ["1", "2"]);
}
