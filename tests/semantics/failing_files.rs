//! Calls on files that fail as declared.

use netcheck as tokio;
use netcheck::check::{Checker, Report, Verdict};
use netcheck::program::std::fs as at_once;
use std::collections::BTreeSet;
use std::future::Future;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;
use tokio::fs::{self, File};
use tokio::io::AsyncWriteExt;

/// A report, after it was compared with one without the reduction.
fn check<F: Future<Output: std::fmt::Debug> + 'static>(words: &str, program: fn() -> F) -> Report {
    let [reduced, all] = [true, false].map(|reduction| {
        words.parse::<Checker>().unwrap().reduction(reduction).check(|net| {
            net.process("store", program).files([("log", "old")]);
        })
    });
    assert_eq!(reduced.verdict(), all.verdict(), "{words}\n{reduced}\n{all}");
    assert_eq!(reduced.outputs("store"), all.outputs("store"), "{words}");
    reduced
}

/// The outputs of a program.
fn outputs<F: Future<Output: std::fmt::Debug> + 'static>(words: &str, program: fn() -> F) -> BTreeSet<String> {
    let report = check(words, program);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    report.outputs("store").iter().cloned().collect()
}

fn texts<const N: usize>(all: [&str; N]) -> BTreeSet<String> {
    all.into_iter().map(str::to_owned).collect()
}

fn kind<T>(result: io::Result<T>) -> Result<T, ErrorKind> {
    result.map_err(|error| error.kind())
}

async fn writes_at_once() -> (Result<(), ErrorKind>, Result<String, ErrorKind>) {
    let written = kind(at_once::write("log", "new"));
    (written, kind(at_once::read_to_string("log")))
}

#[test]
fn a_write_that_fails_writes_nothing() {
    let full = r#"(Err(StorageFull), Ok(""))"#;
    assert_eq!(outputs("fs(write)", writes_at_once), texts([r#"(Ok(()), Ok("new"))"#, full]));
    // A limit of no faults is no limit of the rest.
    assert_eq!(outputs("fs(write), at_most = 0", writes_at_once), texts([r#"(Ok(()), Ok("new"))"#]));
    assert_eq!(outputs("udp(loss)", writes_at_once), texts([r#"(Ok(()), Ok("new"))"#]));
}

async fn writes_behind() -> [Result<(), ErrorKind>; 3] {
    let mut file = File::create("log").await.unwrap();
    let written = kind(file.write_all(b"new").await);
    let [synced, flushed] = [kind(file.sync_all().await), kind(file.flush().await)];
    [written, synced, flushed]
}

#[test]
fn a_write_behind_says_that_it_has_failed_at_the_next_flush() {
    let expected = ["[Ok(()), Ok(()), Ok(())]", "[Ok(()), Ok(()), Err(StorageFull)]"];
    assert_eq!(outputs("fs(write)", writes_behind), texts(expected));
}

async fn reads() -> (Result<String, ErrorKind>, bool) {
    let read = kind(fs::read_to_string("log").await);
    (read, fs::try_exists("log").await.unwrap())
}

#[test]
fn a_read_fails_and_other_calls_do_not() {
    let failed = format!("(Err({:?}), true)", io::Error::from_raw_os_error(5).kind());
    assert_eq!(outputs("fs(read)", reads), texts([r#"(Ok("old"), true)"#, &failed]));
}

/// Writes a new log, syncs it until that succeeds, and acknowledges it.
async fn acknowledges(writes_again: bool) {
    if fs::try_exists("acknowledged").await.unwrap() {
        return assert_eq!(fs::read_to_string("log").await.unwrap(), "new");
    }
    let mut log = File::create("log").await.unwrap();
    log.write_all(b"new").await.unwrap();
    while log.sync_all().await.is_err() {
        if writes_again {
            log = File::create("log").await.unwrap();
            log.write_all(b"new").await.unwrap();
        }
    }
    File::create("acknowledged").await.unwrap();
    if File::open("/").await.unwrap().sync_all().await.is_ok() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

#[test]
fn what_a_failed_sync_was_about_is_lost_although_the_next_one_succeeds() {
    let words = "crash(power), fs(sync), at_most = 2";
    assert_eq!(check("crash(power)", || acknowledges(false)).verdict(), Verdict::Verified);
    assert_eq!(check("fs(sync), at_most = 1", || acknowledges(false)).verdict(), Verdict::Verified);
    assert_eq!(check(words, || acknowledges(true)).verdict(), Verdict::Verified);
    let report = check(words, || acknowledges(false));
    let text = report.counterexample().expect("the log is lost").to_string();
    assert!(text.contains("the sync of `/log` fails"), "{text}");
    assert!(text.contains("what was not synced is lost: `log`"), "{text}");
}

async fn writes_and_syncs() -> bool {
    let written = || {
        let mut file = at_once::File::create("log")?;
        file.write_all(b"new")?;
        file.sync_all()
    };
    written().is_ok()
}

#[test]
fn words_that_say_what_is_left_need_a_power_failure() {
    let error = "fs(sync, torn = 512)".parse::<Checker>().unwrap_err().to_string();
    assert!(error.contains("crash(power"), "{error}");
    assert_eq!(outputs("fs(write, sync), at_most = 1", writes_and_syncs), texts(["false", "true"]));
}
