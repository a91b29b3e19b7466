//! Raft, the program of `examples/raft`: no power failure and no lost message breaks what it claims, and each mistake
//! does.

#[path = "../../examples/raft/checked.rs"]
mod checked;

use checked::program::Version::{self, *};
use checked::{FIGURE_8, ONE_CANDIDATE, ONE_VALUE, REPLACED, Scenario, TWO_CANDIDATES};
use netcheck::Network;
use netcheck::check::{Checker, Report, Verdict, ViolationKind};

const FIRST_NODE: &str = r#"crash(power, process = "node-1")"#;
const SECOND_NODE: &str = r#"crash(power, process = "node-2")"#;

fn check(words: &str, scenario: Scenario, version: Version) -> Report {
    words.parse::<Checker>().expect("words of the attribute").check(|net| scenario.register(net, version))
}

#[track_caller]
fn is_found(words: &str, scenario: Scenario, version: Version, monitor: &str) {
    let report = check(words, scenario, version);
    let found = report.counterexample().unwrap_or_else(|| panic!("{version:?}: {report}"));
    assert_eq!(found.kind(), ViolationKind::Monitor, "{version:?}: {report}");
    assert!(found.message().contains(monitor), "{version:?}: {report}");
}

#[track_caller]
fn is_verified(words: &str, scenario: Scenario, version: Version, states: usize) {
    crate::counted::is_verified(states, || check(words, scenario, version));
}

#[test]
fn one_leader_is_elected_in_a_term() {
    is_verified("", TWO_CANDIDATES, Corrected, 2_482);
    is_verified("udp(loss)", TWO_CANDIDATES, Corrected, 5_407);
}

#[test]
fn one_leader_is_elected_in_a_term_whoever_loses_power() {
    is_verified(FIRST_NODE, TWO_CANDIDATES, Corrected, 26_814);
    is_verified(SECOND_NODE, TWO_CANDIDATES, Corrected, 20_261);
    is_verified(&format!("udp(loss), {SECOND_NODE}"), TWO_CANDIDATES, Corrected, 37_469);
    is_verified(FIRST_NODE, ONE_CANDIDATE, Corrected, 7_776);
}

#[test]
fn two_leaders_are_elected_if_a_voter_forgets_its_vote() {
    is_found(SECOND_NODE, TWO_CANDIDATES, VoteUnsynced, "`OneLeader` rejects Leads { term: 1");
    is_found(SECOND_NODE, TWO_CANDIDATES, RenameUnsynced, "`OneLeader` rejects Leads { term: 1");
    // The OS has all of it.
    let kill = r#"crash(kill, process = "node-2")"#;
    is_verified(kill, TWO_CANDIDATES, VoteUnsynced, 16_943);
    is_verified(kill, TWO_CANDIDATES, RenameUnsynced, 16_943);
}

#[test]
fn an_election_is_won_twice_in_a_term_if_the_candidate_forgets_the_term() {
    is_found(FIRST_NODE, ONE_CANDIDATE, TermUnsynced, "`OneLeader` rejects Leads { term: 1");
    is_verified("udp(loss)", ONE_CANDIDATE, TermUnsynced, 601);
}

#[test]
fn what_is_committed_stays_whatever_is_lost() {
    is_verified("", ONE_VALUE, Corrected, 18_025);
    is_verified("udp(loss)", ONE_VALUE, Corrected, 44_275);
    is_verified("", REPLACED, Corrected, 47_712);
    is_verified("", FIGURE_8, Corrected, 25_445);
}

#[test]
fn what_is_committed_stays_whoever_loses_power() {
    is_verified(SECOND_NODE, ONE_VALUE, Corrected, 138_745);
    is_verified(FIRST_NODE, REPLACED, Corrected, 340_948);
}

#[test]
fn raft_is_safe_whoever_is_cut_off() {
    let cases = [
        (r#"partition(isolate = "node-1")"#, ONE_CANDIDATE),
        (r#"partition(isolate = "node-1", for_ever)"#, TWO_CANDIDATES),
        (r#"partition(isolate = "node-3", one_way, for_ever)"#, FIGURE_8),
    ];
    let states = cases.map(|(words, scenario)| {
        let report = check(words, scenario, Corrected);
        assert_eq!(report.verdict(), Verdict::Verified, "{words}: {report}");
        report.states()
    });
    assert_eq!(states, [5_497, 23_014, 69_683]);
}

#[test]
fn a_replaced_entry_comes_back_if_the_log_is_not_synced() {
    is_verified("udp(loss)", REPLACED, ReplacementUnsynced, 106_287);
    // With the entry that was replaced, or with none: a check that takes long tells the one that it has found first.
    is_found(FIRST_NODE, REPLACED, ReplacementUnsynced, "`Committed` rejects Leads { term: 3, log: ");
}

/// Nobody has to crash for it.
#[test]
fn an_entry_of_an_earlier_term_is_committed_and_replaced() {
    is_found("", FIGURE_8, EarlierTermCommitted, "`Committed` rejects Leads { term: 5, log: [2, 0] }");
}

#[netcheck::model_check(crash(power, process = "node-2"), expect = monitor, snapshot)]
fn a_voter_forgets_its_vote(net: &mut Network) {
    TWO_CANDIDATES.register(net, VoteUnsynced);
}

#[netcheck::model_check(crash(power, process = "node-2"), expect = monitor, snapshot)]
fn a_voter_forgets_that_its_vote_was_renamed(net: &mut Network) {
    TWO_CANDIDATES.register(net, RenameUnsynced);
}

#[netcheck::model_check(crash(power, process = "node-1"), expect = monitor, snapshot)]
fn a_candidate_forgets_its_term(net: &mut Network) {
    ONE_CANDIDATE.register(net, TermUnsynced);
}

#[netcheck::model_check(expect = monitor, snapshot)]
fn a_majority_has_an_entry_of_an_earlier_term(net: &mut Network) {
    FIGURE_8.register(net, EarlierTermCommitted);
}
