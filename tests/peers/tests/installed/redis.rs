//! A client of Redis, the program of `examples/redis`, and a real Redis as its peer. Its answers are committed: nobody
//! needs a Redis for these tests but the last, which asks one.

#[path = "../../../../examples/redis/checked.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod checked;

use super::if_installed;
use checked::program::{Lines, Version};
use checked::{check_keep, check_ping, check_visit, failures};
use netcheck::External;
use netcheck::check::{Report, Verdict};
use std::path::{Path, PathBuf};

/// The answers of Redis 7.
fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("answers/redis.json")
}

fn redis() -> External {
    checked::redis(&committed())
}

fn answered_from_the_file(report: &Report) -> bool {
    report.peers().iter().all(|(_, counts)| counts.learned == 0 && counts.from_cache > 0)
}

#[test]
fn a_visit_is_counted_twice_if_only_its_answer_is_lost() {
    let report = check_visit(redis(), Version::Incremented, failures()).expect("all answers are there");
    assert_found(&report, Verdict::Violated, 207);
    let shown = report.to_string();
    assert!(shown.contains(r#"write ":2\r\n:1\r\n""#), "{shown}");
    assert!(answered_from_the_file(&report));
}

/// What is found, in about so many states: what ended futures leave behind in others, by which local states are told
/// apart, depends on how a compiler has laid them out.
#[track_caller]
fn assert_found(report: &Report, verdict: Verdict, states: usize) {
    assert_eq!(report.verdict(), verdict, "{report}");
    assert!(report.states().abs_diff(states) <= states / 5, "{states}: {report}");
}

#[test]
fn a_visitor_that_is_added_to_a_set_counts_once() {
    let report = check_visit(redis(), Version::Added, failures()).expect("all answers are there");
    assert_found(&report, Verdict::Verified, 243);
    assert!(answered_from_the_file(&report));
}

#[test]
fn a_value_that_was_set_is_got_or_an_error_is_seen() {
    let report = check_keep(redis(), failures()).expect("all answers are there");
    assert_found(&report, Verdict::Verified, 35);
}

/// `read_line` returns the beginning of a line at the end of a stream: of `+PONG`, this client takes `+PON` for an answer.
#[test]
fn an_answer_that_is_cut_off_is_taken_for_a_whole_one() {
    let report = check_ping(redis(), Lines::AsRead, failures().split()).expect("all answers are there");
    assert_found(&report, Verdict::Violated, 1_993);
    let report = check_ping(redis(), Lines::Whole, failures().split()).expect("all answers are there");
    assert_found(&report, Verdict::Verified, 2_749);
}

#[test]
fn the_redis_that_is_installed_answers_as_the_one_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder for its answers");
    let Some(installed) = if_installed(checked::redis(&folder.path().join("redis.json"))) else { return };
    let report = check_visit(installed.clone(), Version::Incremented, failures()).expect("it answers");
    assert_found(&report, Verdict::Violated, 166);
    let report = check_visit(installed, Version::Added, failures()).expect("it answers");
    assert_found(&report, Verdict::Verified, 202);
    assert!(!answered_from_the_file(&report));
}
