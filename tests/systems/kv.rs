//! A key/value store with a log and snapshots, the program of `examples/kv`: which power failure loses what it has
//! acknowledged, if which sync is left out.

#[path = "../../examples/kv/checked.rs"]
mod checked;

use checked::program::Version::{self, *};
use checked::register;
use netcheck::Network;
use netcheck::check::{Checker, Report, ViolationKind};

const KILL: &str = r#"crash(kill, process = "server")"#;
const POWER: &str = r#"crash(power, process = "server")"#;
const TORN: &str = r#"crash(power, process = "server"), fs(torn = 4)"#;
const TORN_TWICE: &str = r#"crash(power, process = "server", times = 2), fs(torn = 4)"#;

fn check(words: &str, version: Version) -> Report {
    words.parse::<Checker>().expect("words of the attribute").check(|net| register(net, version))
}

#[track_caller]
fn is_found(words: &str, version: Version, message: &str) {
    let report = check(words, version);
    let found = report.counterexample().unwrap_or_else(|| panic!("{version:?}: {report}"));
    assert_eq!(found.kind(), ViolationKind::Panic, "{version:?}: {report}");
    assert!(found.message().contains(message), "{version:?}: {report}");
}

#[track_caller]
fn is_verified(words: &str, version: Version, states: usize) {
    crate::counted::is_verified(states, || check(words, version));
}

#[track_caller]
fn is_verified_within(words: &str, version: Version, states: usize) {
    crate::counted::is_verified_within(states, &check(words, version));
}

#[test]
fn what_is_acknowledged_survives_a_power_failure_at_any_moment() {
    is_verified("", Corrected, 215);
    is_verified(KILL, Corrected, 3_947);
    is_verified_within(POWER, Corrected, 14_000);
    is_verified_within(TORN, Corrected, 26_000);
    is_verified_within(&format!("{POWER}, fs(prefix)"), Corrected, 12_000);
    is_verified_within(&format!("{POWER}, fs(lost)"), Corrected, 11_000);
}

#[test]
fn what_is_acknowledged_survives_two_power_failures_with_torn_records() {
    is_verified_within(TORN_TWICE, Corrected, 280_000);
}

/// A kill leaves all that reached the OS: only what it does not have yet is lost.
#[test]
fn a_kill_shows_that_a_record_is_not_flushed_and_no_other_mistake() {
    is_found(KILL, Unflushed, "what was acknowledged is kept");
    is_verified(KILL, Unsynced, 3_898);
    is_verified(KILL, LogNameUnsynced, 3_231);
    is_verified(KILL, TornRecordTaken, 3_947);
    is_verified(KILL, TornRecordKept, 3_947);
    is_verified(KILL, SnapshotNameUnsynced, 3_891);
}

#[test]
fn a_power_failure_shows_each_sync_that_is_left_out() {
    for version in [Unflushed, Unsynced, LogNameUnsynced] {
        is_found(POWER, version, "what was acknowledged is kept");
    }
    is_found(POWER, SnapshotNameUnsynced, r#"it was green, or is blue, and not "red""#);
}

/// A disk that keeps or loses whole writes hides it.
#[test]
fn a_torn_record_is_taken_for_a_whole_one() {
    is_verified_within(POWER, TornRecordTaken, 15_000);
    is_found(TORN, TornRecordTaken, r#"it was red, or is green, and not "g""#);
}

/// The first failure tears a record, and the second one reveals that nothing behind it is read.
#[test]
fn a_torn_record_that_stays_hides_those_behind_it() {
    is_verified_within(TORN, TornRecordKept, 37_000);
    // What it reads is older than it should be at once, or after another failure: a check that takes long tells one of both.
    is_found(TORN_TWICE, TornRecordKept, "client panicked");
}

#[netcheck::model_check(crash(power, process = "server"), expect = panic, snapshot)]
fn a_record_that_is_not_synced_is_lost(net: &mut Network) {
    register(net, Unsynced);
}

#[netcheck::model_check(crash(power, process = "server"), expect = panic, snapshot)]
fn a_log_whose_name_is_not_synced_is_lost(net: &mut Network) {
    register(net, LogNameUnsynced);
}

#[netcheck::model_check(crash(power, process = "server"), expect = panic, snapshot)]
fn a_snapshot_whose_name_is_not_synced_is_lost_and_the_log_is_empty(net: &mut Network) {
    register(net, SnapshotNameUnsynced);
}

#[netcheck::model_check(crash(kill, process = "server"), expect = panic, snapshot)]
fn a_record_that_is_not_flushed_is_lost_with_the_process(net: &mut Network) {
    register(net, Unflushed);
}

#[netcheck::model_check(crash(power, process = "server"), fs(torn = 4), expect = panic, snapshot)]
fn half_a_value_is_read(net: &mut Network) {
    register(net, TornRecordTaken);
}
