//! Files by `std::fs` as it is, in modules that nobody prepared: its calls come to the check by the C library.

use netcheck as tokio;
use netcheck::check::{Checker, Crash, Identity, Report, Tasks, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::sleep;

#[test]
fn declared_files_are_the_processs_own_and_others_the_machines() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let log = fs::read_to_string("data/log").unwrap();
            fs::write("data/more", "x").unwrap();
            assert!(
                Path::new("/data/more").is_file() && Path::new("data").is_dir() && !Path::new("data/none").exists()
            );
            assert!(fs::read_to_string("Cargo.toml").unwrap().contains("[package]"), "the machine's");
            assert!(Path::new("src/lib.rs").exists() && fs::read_dir("src").unwrap().count() > 0);
            log
        })
        .files([("data/log", "begun")]);
        net.finally(|end| {
            let files = [("data/log", &b"begun"[..]), ("data/more", b"x")];
            let files = files.map(|(path, bytes)| (path.to_owned(), bytes.to_vec()));
            assert_eq!(end.files("it"), BTreeMap::from(files));
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("it"), [r#""begun""#]);
    assert!(!Path::new("/data/more").exists() && !Path::new("data/more").exists());
}

/// The message of a check whose program does something that it can't.
#[track_caller]
fn refused<F: Future<Output = ()> + 'static>(program: fn() -> F) -> String {
    let report = Checker::new().try_check(|net| {
        net.process("it", program).files([("data/log", "begun")]);
    });
    report.unwrap_err().to_string()
}

#[test]
fn a_change_to_a_path_that_is_not_declared_is_told_with_its_line() {
    let error = refused(|| async {
        let _ = fs::write("other/log", "x");
    });
    assert!(
        error.contains(
            "it writes to `other/log`, a path of the machine and not of the check at tests/semantics/std_files.rs:"
        ),
        "{error}"
    );
    assert!(error.contains(r#"`.files([("other/log", "")])`"#), "{error}");
    for (program, does) in [
        (
            (|| {
                Box::pin(async { fs::remove_file("Cargo.toml").unwrap() })
                    as std::pin::Pin<Box<dyn Future<Output = ()>>>
            }) as fn() -> _,
            "it removes `Cargo.toml`",
        ),
        (|| Box::pin(async { fs::create_dir_all("a/b").unwrap() }), "it makes `a/b`"),
        (|| Box::pin(async { fs::rename("data/log", "log").unwrap() }), "it gives another name to `log`"),
        (|| Box::pin(async { _ = OpenOptions::new().append(true).open("Cargo.toml") }), "it writes to `Cargo.toml`"),
        (|| Box::pin(async { _ = fs::copy("Cargo.toml", "copy") }), "it writes to `copy`"),
    ] {
        let error = refused(program);
        assert!(error.contains(does), "{error}");
    }
    assert!(Path::new("Cargo.toml").exists() && !Path::new("a").exists() && !Path::new("copy").exists());
}

#[test]
fn a_change_that_the_machine_refuses_is_none() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let removed = fs::remove_file("/run/netcheck-none.sock").unwrap_err().kind();
            let opened = OpenOptions::new().write(true).open("none").unwrap_err().kind();
            (removed, opened, fs::create_dir_all("src").is_ok(), fs::create_dir("src").unwrap_err().kind())
        });
    });
    assert_eq!(report.outputs("it"), ["(NotFound, NotFound, true, AlreadyExists)"], "{report}");
}

#[test]
fn what_is_not_modelled_is_told_with_its_line() {
    let error = refused(|| async {
        let options = OpenOptions::new().write(true).custom_flags(0o10000).clone();
        let _ = options.open("data/log");
    });
    assert!(error.contains("it opens a file with flags of the system"), "{error}");
    let error = refused(|| async {
        let _ = File::open("data/log").unwrap().lock();
    });
    assert!(error.contains("it locks a file of the check"), "{error}");
}

/// Its place is the system's: local states that differ in it alone would be one.
#[test]
fn a_file_of_the_machine_is_not_kept_open() {
    let error = refused(|| async {
        let file = File::open("Cargo.toml").unwrap();
        sleep(Duration::from_secs(1)).await;
        drop(file);
    });
    assert!(error.contains("it waits while it has `Cargo.toml` open, a file of the machine"), "{error}");
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let mut file = File::open("Cargo.toml").unwrap();
            let mut beginning = [0; 9];
            file.read_exact(&mut beginning).unwrap();
            drop(file);
            sleep(Duration::from_secs(1)).await;
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn devices_are_written_to() {
    let report = Checker::new().check(|net| {
        net.process("it", || async { fs::write("/dev/null", "x").is_ok() });
    });
    assert_eq!(report.outputs("it"), ["true"]);
}

#[test]
fn isolated_tasks_are_told_that_files_belong_to_their_process() {
    #[netcheck::process]
    async fn reads() -> bool {
        fs::read("data/log").is_ok()
    }
    let report = Checker::new().try_check(|net| {
        net.process("it", || async { netcheck::spawn(reads()).await.unwrap() }).files([("data/log", "")]);
    });
    let error = report.unwrap_err().to_string();
    assert!(error.contains("an isolated task uses files, which are its process's"), "{error}");
}

#[test]
fn std_and_tokio_see_the_same_files() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            tokio::fs::write("made", "ab").await.unwrap();
            let mut file = OpenOptions::new().read(true).append(true).open("made").unwrap();
            file.write_all(b"cd").unwrap();
            drop(file);
            fs::rename("made", "data/made").unwrap();
            String::from_utf8(tokio::fs::read("data/made").await.unwrap()).unwrap()
        })
        .files([("data/log", ""), ("made", "")]);
    });
    assert_eq!(report.outputs("it"), [r#""abcd""#], "{report}");
}

/// Files that are open stay so where a run is left and taken up again, by a copy of it or by its outcomes.
#[test]
fn a_file_stays_open_where_a_local_state_is_left_in_two_ways() {
    let outputs = |checker: Checker| {
        let report = checker.check(|net| {
            net.process("it", || async {
                let mut file = OpenOptions::new().read(true).write(true).open("data/log").unwrap();
                let mut byte = [0];
                file.read_exact(&mut byte).unwrap();
                let mut names = fs::read_dir("data").unwrap();
                let first = names.next().unwrap().unwrap().file_name();
                let chosen = netcheck::choose(0..3).await;
                file.write_all(&[b'0' + chosen as u8]).unwrap();
                let clone = file.try_clone().unwrap();
                drop(file);
                sleep(Duration::from_secs(1)).await;
                let mut rest = String::new();
                (&clone).read_to_string(&mut rest).unwrap();
                (&clone).rewind().unwrap();
                let all = std::io::read_to_string(&clone).unwrap();
                (first, names.count(), rest, all)
            })
            .files([("data/log", "abc"), ("data/more", "")]);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("it").to_vec()
    };
    let expected = outputs(Checker::new());
    let all = |number: u32| format!(r#"("log", 1, "c", "a{number}c")"#);
    assert_eq!(expected, [all(0), all(1), all(2)]);
    for checker in [
        Checker::new().reduction(false),
        Checker::new().identity(Identity::History),
        Checker::new().max_copies(0),
        Checker::new().tasks(Tasks::Fifo),
        Checker::new().tasks(Tasks::Tracked),
    ] {
        assert_eq!(outputs(checker), expected);
    }
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
                    let mut file = OpenOptions::new().append(true).create(true).open("log").unwrap();
                    file.write_all(text.as_bytes()).unwrap();
                    if file.metadata().unwrap().len() > 4 {
                        file.set_len(0).unwrap();
                    }
                    file.sync_all().unwrap();
                    drop(file);
                    sleep(Duration::from_secs(1)).await;
                }
            })
            .files([("log", "")]);
        })
    };
    // As with the front, in `files`.
    let same = check(|_| "xy".to_owned());
    assert_eq!((same.verdict(), same.states()), (Verdict::Verified, 4), "{same}");
    let other = check(|round| round.to_string());
    assert_eq!((other.verdict(), other.states()), (Verdict::Verified, 16), "{other}");
}

/// The values that a store is found with after a power failure, by std as it is or as `netcheck::program` has it.
fn found(saves: fn(), loads: fn() -> Option<String>) -> (Report, BTreeSet<String>) {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let told = Arc::clone(&seen);
    let report = Checker::new().crash(Crash::power()).check(move |net| {
        let told = Arc::clone(&told);
        net.process("store", move || {
            let told = Arc::clone(&told);
            async move {
                told.lock().unwrap().insert(loads().unwrap_or_else(|| "-".to_owned()));
                saves();
                sleep(Duration::from_secs(1)).await;
            }
        })
        .files([("data/value", "old")]);
    });
    let seen = seen.lock().unwrap().clone();
    (report, seen)
}

#[test]
fn a_power_failure_leaves_what_it_leaves_of_the_fronts_files() {
    macro_rules! store {
        ($fs:path) => {{
            use $fs as fs;
            fn loads() -> Option<String> {
                fs::read_to_string("data/value").ok()
            }
            fn replaces(syncs: bool) {
                let mut file = fs::File::create("data/new").unwrap();
                file.write_all(b"new").unwrap();
                if syncs {
                    file.sync_all().unwrap();
                }
                fs::rename("data/new", "data/value").unwrap();
            }
            [found(|| replaces(false), loads), found(|| replaces(true), loads)]
        }};
    }
    let (system, front) = (store!(::std::fs), store!(::netcheck::program::std::fs));
    let told = |number: usize| system[number].1.iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(told(0), ["", "\0\0\0", "new", "old"]);
    assert_eq!(told(1), ["new", "old"]);
    for ((system, seen), (front, known)) in system.iter().zip(&front) {
        assert_eq!(seen, known);
        assert_eq!((system.verdict(), system.states()), (front.verdict(), front.states()));
    }
}

fn writes_and_syncs() -> std::io::Result<String> {
    let mut log = OpenOptions::new().write(true).truncate(true).open("data/log")?;
    log.write_all(b"new")?;
    log.sync_all()?;
    fs::read_to_string("data/log")
}

#[test]
fn calls_fail_where_that_is_declared() {
    let outputs = |words: &str| {
        let report = words.parse::<Checker>().unwrap().check(|net| {
            net.process("it", || async { writes_and_syncs().map_err(|error| error.raw_os_error()) })
                .files([("data/log", "begun")]);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("it").iter().cloned().collect::<BTreeSet<_>>()
    };
    let all = |others: &[&str]| others.iter().chain(&[r#"Ok("new")"#]).map(|&text| text.to_owned()).collect();
    assert_eq!(outputs("udp(loss)"), all(&[]));
    assert_eq!(outputs("fs(write)"), all(&["Err(Some(28))"]));
    assert_eq!(outputs("fs(read)"), all(&["Err(Some(5))"]));
    assert_eq!(outputs("fs(sync)"), all(&["Err(Some(5))"]));
}
