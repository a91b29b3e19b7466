//! What a crash leaves of files: a kill all that reached the OS, a power failure what was synced, and some of the rest.

use netcheck as tokio;
use netcheck::check::{Checker, Crash, Files, Report, Verdict};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::fs::{self, File};
use tokio::io::AsyncWriteExt;
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

/// How a number is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Saves {
    /// In a new file that is synced and takes the place of the old one, after which its directory is synced.
    Safely,
    WithoutSync,
    WithoutSyncOfDirectory,
    /// The write is begun, and nobody waits for it.
    WithoutFlush,
}

async fn save(number: u8, saves: Saves) {
    let mut file = File::create("data/new").await.unwrap();
    file.write_all(&[number]).await.unwrap();
    if saves != Saves::WithoutFlush {
        file.flush().await.unwrap();
    }
    if saves != Saves::WithoutSync {
        file.sync_all().await.unwrap();
    }
    drop(file);
    fs::rename("data/new", "data/last").await.unwrap();
    if saves != Saves::WithoutSyncOfDirectory {
        File::open("data").await.unwrap().sync_all().await.unwrap();
    }
}

/// Gives numbers away, each once.
async fn server(saves: Saves) {
    let [mut last] = fs::read("data/last").await.unwrap()[..] else { panic!("a number has one byte") };
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let (_, from) = socket.recv_from(&mut [0]).await.unwrap();
        last += 1;
        match saves {
            Saves::WithoutFlush => {
                let mut file = File::create("data/last").await.unwrap();
                file.write_all(&[last]).await.unwrap();
            }
            saves => save(last, saves).await,
        }
        socket.send_to(&[last], from).await.unwrap();
    }
}

async fn client() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    let mut last = 0;
    for _ in 0..2 {
        let mut number = [0];
        socket.send(b"?").await.unwrap();
        if timeout(Duration::from_secs(1), socket.recv(&mut number)).await.is_ok() {
            assert!(number[0] > last, "{} was given away before", number[0]);
            last = number[0];
        }
    }
}

fn numbers(checker: &Checker, saves: Saves) -> Report {
    let [reduced, all] = [true, false].map(|reduction| {
        checker.clone().reduction(reduction).check(|net| {
            net.daemon("server", move || server(saves)).files([("data/last", [0])]);
            net.process("client", client).after("server");
        })
    });
    assert_eq!(reduced.verdict(), all.verdict(), "{saves:?}\n{reduced}\n{all}");
    reduced
}

#[test]
fn what_reached_the_os_survives_a_kill() {
    let checker = Checker::new().crash(Crash::kill().process("server"));
    for saves in [Saves::Safely, Saves::WithoutSync, Saves::WithoutSyncOfDirectory] {
        let report = numbers(&checker, saves);
        assert_eq!(report.verdict(), Verdict::Verified, "{saves:?}: {report}");
    }
    let report = numbers(&checker, Saves::WithoutFlush);
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
}

#[test]
fn what_is_not_synced_may_be_lost_with_the_power() {
    let checker = Checker::new().crash(Crash::power().process("server"));
    let report = numbers(&checker, Saves::Safely);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    for saves in [Saves::WithoutSync, Saves::WithoutSyncOfDirectory] {
        let report = numbers(&checker, saves);
        assert_eq!(report.verdict(), Verdict::Violated, "{saves:?}: {report}");
    }
}

/// The number of the first line of this file with these words.
fn line(words: &str) -> usize {
    let has_words = |line: &str| line.contains(words);
    include_str!("crash_files.rs").lines().position(has_words).expect("the words stand here") + 1
}

#[test]
fn the_line_is_named_after_which_a_sync_is_missing() {
    let power = Crash::power().process("server");
    for (saves, file, words) in [
        (Saves::WithoutSync, "data/new", "file.write_all(&[number])"),
        (Saves::WithoutSyncOfDirectory, "data", "fs::rename(\"data/new\""),
    ] {
        let report = numbers(&Checker::new().crash(power.clone()), saves);
        let text = report.counterexample().expect("a number is given away twice").to_string();
        assert!(text.contains("* what was not synced is lost: `data/last`\n"), "{text}");
        let missing = format!("* a sync of `{file}` after tests/semantics/crash_files.rs:{} (#", line(words));
        assert!(text.contains(&missing) && text.contains("\n"), "{text}");
    }
}

/// Finds of what it has written before that something is there, or that nothing is.
async fn write_both() {
    let [one, two, done] = [fs::read("one").await, fs::read("two").await, fs::read("done").await];
    assert!(done.is_err() || !one.unwrap().is_empty() || !two.unwrap().is_empty(), "both are lost");
    for _ in 0..2 {
        let mut file = fs::OpenOptions::new().append(true).open("one").await.unwrap();
        file.write_all(b"1").await.unwrap();
        file.flush().await.unwrap();
    }
    fs::write("two", "2").await.unwrap();
    let mark = File::create("done").await.unwrap();
    mark.sync_all().await.unwrap();
    File::open("/").await.unwrap().sync_all().await.unwrap();
    sleep(Duration::from_secs(1)).await;
}

/// The sync of a file is missing after its last write, and each of several files is named.
#[test]
fn syncs_of_several_files_may_be_missing() {
    let report = Checker::new().crash(Crash::power()).check(|net| {
        net.process("store", write_both).files([("one", ""), ("two", "")]);
    });
    let text = report.counterexample().expect("both files are empty").to_string();
    let file = "tests/semantics/crash_files.rs";
    let (one, two) = (line("file.write_all(b\"1\")"), line("fs::write(\"two\""));
    let of = |path: &str, line: usize| format!("of `{path}` after {file}:{line} (#");
    let missing = text.lines().find(|line| line.contains("* a sync of ")).expect("syncs are missing");
    assert!(missing.contains(&of("one", one)) && missing.contains(&format!("), or {}", of("two", two))), "{text}");
    let written: Vec<&str> = text.lines().filter(|line| line.contains("`/one` is written")).collect();
    assert!(text.contains("* what was not synced is lost: `one`, `two`\n") && written.len() == 2, "{text}");
}

/// Fills a log, puts it away, and fills another one, which is synced as all names are.
async fn rotate() {
    if let Ok(old) = fs::read_to_string("log.1").await {
        assert_eq!(old, "old");
        return;
    }
    for text in ["old", "new"] {
        let mut log = File::create("log").await.unwrap();
        log.write_all(text.as_bytes()).await.unwrap();
        log.flush().await.unwrap();
        if text == "new" {
            log.sync_all().await.unwrap();
        } else {
            fs::rename("log", "log.1").await.unwrap();
        }
        File::open("/").await.unwrap().sync_all().await.unwrap();
    }
    sleep(Duration::from_secs(1)).await;
}

/// A path that leads to another file later is one of a file of its own.
#[test]
fn the_missing_sync_is_that_of_the_file_which_had_the_path_then() {
    let report = Checker::new().crash(Crash::power()).check(|net| _ = net.process("store", rotate));
    let text = report.counterexample().expect("the old log is lost").to_string();
    let place = format!("tests/semantics/crash_files.rs:{}", line("log.write_all(text.as_bytes())"));
    assert!(text.contains("start again -> with `log.1` = \"\""), "{text}");
    assert!(text.contains(&format!("* a sync of `log` after {place} (#")), "{text}");
}

/// The contents of `log` with which a process has started: it appends two lines, the second one without a sync.
fn logs(checker: &Checker) -> BTreeSet<String> {
    let report = checker.check(|net| {
        net.process("store", || async {
            let before = fs::read_to_string("log").await.unwrap();
            for (number, is_synced) in [(1, true), (2, false)] {
                let mut log = fs::OpenOptions::new().append(true).open("log").await.unwrap();
                log.write_all(format!("line{number};").as_bytes()).await.unwrap();
                log.flush().await.unwrap();
                if is_synced {
                    log.sync_all().await.unwrap();
                }
            }
            sleep(Duration::from_secs(1)).await;
            before
        })
        .files([("log", "")]);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    report.outputs("store").iter().cloned().collect()
}

fn texts<const N: usize>(all: [&str; N]) -> BTreeSet<String> {
    all.into_iter().map(|text| format!("{text:?}")).collect()
}

#[test]
fn a_disk_loses_what_is_declared() {
    let power = || Checker::new().crash(Crash::power().process("store"));
    let killed = Checker::new().crash(Crash::kill().process("store"));
    assert_eq!(logs(&killed), texts(["", "line1;", "line1;line2;"]));
    assert_eq!(logs(&power().files(Files::lost())), texts(["", "line1;"]));
    assert_eq!(logs(&power().files(Files::prefix())), texts(["", "line1;", "line1;line2;"]));
    // The length of a write may survive without its bytes.
    let zeros = "\0\0\0\0\0\0";
    let line2 = format!("line1;{zeros}");
    let any = texts(["", zeros, "line1;", "line1;line2;", &line2]);
    assert_eq!(logs(&power()), any);
    let torn = logs(&power().files(Files::prefix().torn(4)));
    assert_eq!(torn, texts(["", "line", "line1;", "line1;li", "line1;line2;"]));
}

#[test]
fn an_end_has_the_files_of_a_process_that_stays_down() {
    let ends = Arc::new(Mutex::new(BTreeSet::new()));
    for checker in [Checker::new(), Checker::new().reduction(false)] {
        let seen = Arc::clone(&ends);
        let report = checker.crash(Crash::kill().process("store").stays_down()).check(|net| {
            net.process("store", || async {
                fs::write("log", "new").await.unwrap();
                sleep(Duration::from_secs(1)).await;
            })
            .files([("log", "old")]);
            net.daemon("idle", std::future::pending::<()>);
            net.finally(move |end| {
                assert!(!end.has_crashed("idle"), "{end}");
                let log = String::from_utf8(end.files("store")["log"].clone()).unwrap();
                seen.lock().unwrap().insert((end.has_crashed("store"), log));
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        let all = std::mem::take(&mut *ends.lock().unwrap());
        let expected = [(false, "new"), (true, "new"), (true, "old")].map(|(down, log)| (down, log.to_owned()));
        assert_eq!(all, BTreeSet::from(expected));
    }
}

/// The process starts with the files that `count` creates leave, and fails if these are so many.
fn creates(count: usize, fails_with: usize) -> Report {
    Checker::new().crash(Crash::power()).check(move |net| {
        net.process("store", move || async move {
            let mut names = fs::read_dir(".").await.unwrap();
            let mut found = 0;
            while let Some(entry) = names.next_entry().await.unwrap() {
                found += usize::from(entry.file_name() != "tmp");
            }
            assert_ne!(found, fails_with);
            for number in 0..count {
                fs::write(format!("{number}"), "").await.unwrap();
            }
            sleep(Duration::from_secs(1)).await;
        });
    })
}

#[test]
fn too_much_that_is_not_synced_is_a_limit_that_names_it() {
    let report = creates(9, 100);
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    let limit = report.limit().unwrap();
    assert!(limit.contains("\"store\"") && limit.contains("9 operations"), "{limit}");
    // With eight, all that may be left is looked at; with nine, all of it and none of it, which may be wrong as well.
    assert_eq!(creates(8, 100).verdict(), Verdict::Verified);
    assert_eq!(creates(9, 9).verdict(), Verdict::Violated);
}

/// Replaces a file that is open, and syncs no directory.
async fn replaces_an_open_file() -> File {
    let old = File::open("data/last").await.unwrap();
    fs::rename("data/new", "data/last").await.unwrap();
    old
}

const LINE_OF_RENAME: u32 = line!() - 4;

#[test]
fn the_line_of_a_missing_sync_is_known_where_a_file_is_open_that_is_replaced() {
    let report = Checker::new().crash(Crash::power()).check(|net| {
        net.process("store", || async {
            if fs::try_exists("done").await.unwrap() {
                return assert_eq!(fs::read("data/last").await.unwrap(), b"new");
            }
            let _old = replaces_an_open_file().await;
            File::create("done").await.unwrap();
            File::open("/").await.unwrap().sync_all().await.unwrap();
            sleep(Duration::from_secs(1)).await;
        })
        .files([("data/last", "old"), ("data/new", "new")]);
    });
    let text = report.counterexample().expect("the rename is lost").to_string();
    let sync = format!("a sync of `data` after tests/semantics/crash_files.rs:{LINE_OF_RENAME} (#");
    assert!(text.contains(&sync), "{text}");
}
