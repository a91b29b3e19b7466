//! The files of processes: each has its own, what is not flushed may not be there, and trees tell local states apart.

use netcheck::check::{Checker, Crash, Identity, Report, Tasks, Udp, Verdict, ViolationKind};
use netcheck::fs::{self, File};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::UdpSocket;
use netcheck::program::std::fs as std_fs;
use netcheck::time::sleep;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// In every configuration, the same verdict and the same outputs of the process "it".
#[track_caller]
fn everywhere(check: impl Fn(Checker) -> Report) -> Report {
    let first = check(Checker::new());
    for checker in [
        Checker::new().reduction(false),
        Checker::new().identity(Identity::History),
        Checker::new().tasks(Tasks::Fifo),
        Checker::new().tasks(Tasks::Tracked),
    ] {
        let other = check(checker);
        assert_eq!(other.verdict(), first.verdict(), "{first}\n{other}");
    }
    first
}

#[test]
fn a_process_begins_with_the_declared_files_and_no_other_sees_them() {
    let report = Checker::new().check(|net| {
        let read = || async { (std_fs::read_to_string("data/log").ok(), std_fs::read("/etc/passwd").is_err()) };
        net.process("one", read).files([("data/log", "begun")]);
        net.process("other", read);
        net.finally(|end| {
            assert_eq!(end.files("one"), BTreeMap::from([("data/log".to_owned(), b"begun".to_vec())]));
            assert_eq!(end.files("other"), BTreeMap::new());
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("one"), [r#"(Some("begun"), true)"#]);
    assert_eq!(report.outputs("other"), ["(None, true)"]);
}

#[test]
#[should_panic = "\"a/..\" can't be the path of one more file"]
fn a_path_that_names_no_file_is_refused() {
    Checker::new().check(|net| {
        net.process("it", || async {}).files([("a/..", "")]);
    });
}

#[test]
fn the_end_has_the_files_of_processes_and_of_daemons() {
    let serve = || async {
        let socket = UdpSocket::bind("0.0.0.0:1").await.unwrap();
        let mut byte = [0];
        loop {
            let (_, from) = socket.recv_from(&mut byte).await.unwrap();
            std_fs::write("vote", byte).unwrap();
            socket.send_to(b"voted", from).await.unwrap();
        }
    };
    let ask = || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"7", "server:1").await.unwrap();
        socket.recv(&mut [0; 8]).await.unwrap();
        fs::write("done", "").await.unwrap();
    };
    let check = |checker: Checker, expected: &'static str| {
        checker.udp(Udp::new()).check(move |net| {
            net.daemon("server", serve);
            net.process("it", ask).after("server");
            net.finally(move |end| {
                let has_voted = end.files("server").get("vote").is_some_and(|vote| vote == expected.as_bytes());
                has_voted && end.files("it").contains_key("done")
            });
        })
    };
    assert_eq!(everywhere(|checker| check(checker, "7")).verdict(), Verdict::Verified);
    let report = everywhere(|checker| check(checker, "8"));
    assert_eq!(report.counterexample().unwrap().kind(), ViolationKind::Property);
    let shown = report.counterexample().unwrap().to_string();
    assert!(shown.contains("`/vote` is written at 0: \"7\""), "{shown}");
}

/// Two tasks: one answers after it has written its vote, and the other one reads the file when it was told so.
fn vote(checker: Checker, flushes: bool) -> Report {
    checker.check(move |net| {
        net.process("it", move || async move {
            let mut file = File::create("vote").await.unwrap();
            file.write_all(b"yes").await.unwrap();
            if flushes {
                file.flush().await.unwrap();
            }
            drop(file);
            let mut read = String::new();
            File::open("vote").await.unwrap().read_to_string(&mut read).await.unwrap();
            assert_eq!(read, "yes");
        });
        net.finally(|end| end.files("it") == BTreeMap::from([("vote".to_owned(), b"yes".to_vec())]));
    })
}

#[test]
fn what_is_not_flushed_is_missing_in_some_execution() {
    assert_eq!(everywhere(|checker| vote(checker, true)).verdict(), Verdict::Verified);
    // Tokio's runtime waits for the write when it ends: only who reads before sees nothing.
    let report = Checker::new().check(move |net| {
        net.process("it", || async {
            let mut file = File::create("vote").await.unwrap();
            file.write_all(b"yes").await.unwrap();
        });
        net.finally(|end| end.files("it")["vote"] == b"yes");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let report = vote(Checker::new(), false);
    assert_eq!(report.counterexample().unwrap().kind(), ViolationKind::Panic, "{report}");
    assert_eq!(vote(Checker::new().reduction(false), false).verdict(), Verdict::Violated);
}

#[test]
fn a_call_that_nobody_waits_for_goes_on_or_never_begins() {
    let report = everywhere(|checker| {
        checker.check(|net| {
            net.process("it", || async {
                let written = netcheck::time::timeout(Duration::ZERO, fs::write("a", "x")).await.is_ok();
                sleep(Duration::from_secs(1)).await;
                (written, std_fs::exists("a").unwrap())
            });
        })
    });
    assert!(report.outputs("it").contains(&"(false, true)".to_owned()), "{:?}", report.outputs("it"));
}

#[test]
fn a_loop_that_writes_the_same_again_comes_to_an_end() {
    let check = |program: fn(u32) -> String| {
        Checker::new().max_states(300).check(move |net| {
            net.daemon("it", move || async move {
                let mut round = 0;
                loop {
                    let text = program(round);
                    round = (round + 1) % 3;
                    let mut file = std_fs::OpenOptions::new().append(true).create(true).open("log").unwrap();
                    file.write_all(text.as_bytes()).unwrap();
                    if file.metadata().unwrap().len() > 4 {
                        file.set_len(0).unwrap();
                    }
                    file.sync_all().unwrap();
                    drop(file);
                    sleep(Duration::from_secs(1)).await;
                }
            });
        })
    };
    let same = check(|_| "xy".to_owned());
    assert_eq!((same.verdict(), same.states()), (Verdict::Verified, 4), "{same}");
    let other = check(|round| round.to_string());
    assert_eq!((other.verdict(), other.states()), (Verdict::Verified, 16), "{other}");
}

#[test]
fn trees_tell_local_states_apart_and_equal_ones_do_not() {
    let outputs = |programs: [&'static [&'static str]; 2]| {
        let report = Checker::new().check(move |net| {
            net.process("it", move || async move {
                for name in programs[netcheck::choose(0..2).await] {
                    std_fs::write(name, "x").unwrap();
                }
                sleep(Duration::from_secs(1)).await;
                std_fs::read_dir("/").unwrap().count()
            });
        });
        (report.states(), report.outputs("it").len())
    };
    // The start, the choice, the sleep of both alternatives, and the end.
    assert_eq!(outputs([&["a", "b"], &["b", "a"]]), (4, 1));
    assert_eq!(outputs([&["a", "b"], &["b", "c"]]), (6, 1));
}

#[test]
fn isolated_tasks_are_told_that_files_belong_to_their_process() {
    #[netcheck::process]
    async fn reads() -> bool {
        std_fs::read("a").is_ok()
    }
    let report = Checker::new().try_check(|net| {
        net.process("it", || async { netcheck::spawn(reads()).await.unwrap() });
    });
    let error = report.unwrap_err().to_string();
    assert!(error.contains("an isolated task uses files, which are its process's"), "{error}");
}

#[test]
fn errors_are_those_of_the_system() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let missing = std_fs::read("none").unwrap_err();
            let symlink = fs::symlink("a", "b").await.unwrap_err();
            let large = std_fs::File::create("a").unwrap().set_len(1 << 40).unwrap_err();
            (
                missing.to_string(),
                symlink.kind() == ErrorKind::PermissionDenied,
                large.kind() == ErrorKind::FileTooLarge,
            )
        });
    });
    assert_eq!(report.outputs("it"), [r#"("No such file or directory (os error 2)", true, true)"#]);
}

/// How a server keeps a vote before it says so.
#[derive(Clone, Copy, PartialEq)]
enum Keeping {
    AtOnce,
    Flushed,
    Behind,
    Nothing,
}

async fn keep(keeping: Keeping, vote: &[u8]) {
    if keeping == Keeping::AtOnce {
        std_fs::write("vote", vote).unwrap();
    }
    if matches!(keeping, Keeping::Flushed | Keeping::Behind) {
        let mut file = File::create("vote").await.unwrap();
        file.write_all(vote).await.unwrap();
        if keeping == Keeping::Flushed {
            file.flush().await.unwrap();
        }
    }
}

async fn server(keeping: Keeping) {
    let socket = UdpSocket::bind("0.0.0.0:1").await.unwrap();
    let mut vote = [0];
    loop {
        let (_, from) = socket.recv_from(&mut vote).await.unwrap();
        match vote[0] {
            b'?' => {
                let kept = std_fs::read("vote").unwrap_or_default();
                socket.send_to(if kept.is_empty() { b"-" } else { &kept }, from).await.unwrap();
            }
            _ => {
                keep(keeping, &vote).await;
                socket.send_to(b"!", from).await.unwrap();
            }
        }
    }
}

/// Asks until there is an answer.
async fn ask(socket: &UdpSocket, question: &[u8]) -> u8 {
    let mut answer = [0];
    loop {
        let _ = socket.send_to(question, "server:1").await;
        if netcheck::time::timeout(Duration::from_secs(1), socket.recv(&mut answer)).await.is_ok() {
            return answer[0];
        }
    }
}

#[test]
fn a_vote_that_was_told_survives_a_kill_if_it_has_reached_the_file() {
    let check = |keeping, checker: Checker| {
        checker.crash(Crash::kill().process("server")).check(move |net| {
            net.daemon("server", move || server(keeping));
            net.process("it", || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                assert_eq!(ask(&socket, b"7").await, b'!');
                assert_eq!(ask(&socket, b"?").await, b'7', "the vote was told");
            })
            .after("server");
        })
    };
    for keeping in [Keeping::AtOnce, Keeping::Flushed] {
        for checker in [Checker::new(), Checker::new().reduction(false)] {
            let report = check(keeping, checker);
            assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        }
    }
    for keeping in [Keeping::Behind, Keeping::Nothing] {
        for checker in [Checker::new(), Checker::new().reduction(false)] {
            let report = check(keeping, checker);
            assert_eq!(report.counterexample().unwrap().kind(), ViolationKind::Panic, "{report}");
        }
    }
}

#[test]
fn a_process_that_stays_down_leaves_its_files() {
    let all = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&all);
    let report = Checker::new().crash(Crash::kill().process("it").stays_down()).check(move |net| {
        let seen = Arc::clone(&seen);
        net.process("it", || async {
            std_fs::write("a", "1").unwrap();
            netcheck::task::yield_now().await;
            std_fs::write("a", "2").unwrap();
            netcheck::task::yield_now().await;
            std_fs::write("a", "3").unwrap();
        })
        .files([("a", "0")]);
        net.process("other", || async { netcheck::choose(0..2).await });
        net.finally(move |end| {
            let last = end.files("it")["a"][0];
            assert!(if end.has_crashed("it") { matches!(last, b'1' | b'2') } else { last == b'3' }, "{last}");
            seen.lock().unwrap().insert(last);
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(all.lock().unwrap().iter().copied().collect::<Vec<_>>(), b"123");
}

#[test]
fn a_process_that_starts_again_goes_on_with_its_files() {
    let report = Checker::new().crash(Crash::kill().process("it").times(2)).check(|net| {
        net.process("it", || async {
            let started = std_fs::read("count").unwrap()[0];
            std_fs::write("count", [started + 1]).unwrap();
            sleep(Duration::from_secs(1)).await;
            started
        })
        .files([("count", [0])]);
        net.finally(|end| end.files("it")["count"][0] == *end.value::<u8>("it").unwrap() + 1);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("it"), ["0", "1", "2"]);
}
