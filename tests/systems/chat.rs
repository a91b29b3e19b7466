//! The chat server and its clients (papers/tcp-transmission-failures.txt, section 5), the
//! program of `examples/chat`: which failures reveal which fault of the paper's Table 6.

#[path = "../../examples/chat/checked.rs"]
pub(crate) mod checked;

use crate::echo::failures::{Category, failing};
use checked::Chat;
use checked::program::Version::{self, Corrected, DoubleRemoval, HaltedSend};
use netcheck::check::{Report, Search, Verdict, ViolationKind};

fn check(version: Version, categories: &[Category]) -> Report {
    Chat::of_two(version).check(failing(categories))
}

fn figures(report: &Report) -> (Verdict, usize, u64) {
    (report.verdict(), report.states(), report.transitions())
}

/// `name`: of the snapshot.
#[track_caller]
fn is_found_by(version: Version, revealing: Category, kind: ViolationKind, message: &str, name: &str) {
    for category in Category::ALL {
        let report = check(version, &[category]);
        if category == revealing {
            let counterexample = report.counterexample().expect("a violation has one");
            assert_eq!(counterexample.kind(), kind, "{report}");
            assert!(counterexample.message().contains(message), "{report}");
            insta::assert_snapshot!(name, counterexample.without_lines());
        } else {
            assert_eq!(report.verdict(), Verdict::Verified, "{category:?}: {report}");
        }
    }
}

#[test]
fn without_failures_every_line_comes_back() {
    for version in [DoubleRemoval, HaltedSend, Corrected] {
        let report = check(version, &[]);
        assert_eq!(figures(&report), (Verdict::Verified, 2_020, 3_328), "{version:?}: {report}");
        assert_eq!(report.outputs("client-1"), ["Ok(())"]);
        assert_eq!(report.outputs("client-2"), ["Ok(())"]);
    }
}

/// Whatever can happen with some of the failures can happen with all of them.
#[test]
fn the_corrected_server_withstands_all_failures_together() {
    let report = check(Corrected, &Category::ALL);
    assert_eq!(figures(&report), (Verdict::Verified, 46_329, 78_642), "{report}");
    let errors = ["BrokenPipe", "ConnectionReset", "NotConnected", "TimedOut", "UnexpectedEof"];
    let errors = errors.map(|error| format!("Err({error})"));
    let expected: Vec<String> = errors.into_iter().chain(["Ok(())".to_owned()]).collect();
    assert_eq!(report.outputs("client-1"), expected);
    assert_eq!(report.outputs("client-2"), expected);
}

#[test]
fn the_corrected_server_withstands_all_failures_of_three_clients_in_turn() {
    let chat = Chat { clients: 3, at_once: 1, version: Corrected };
    let report = chat.check(failing(&Category::ALL));
    assert_eq!(figures(&report), (Verdict::Verified, 78_738, 125_430), "{report}");
}

#[test]
fn the_double_removal_is_found_by_failing_closes_alone() {
    let message = "no more workers end than have begun";
    let name = "a_worker_that_cannot_close_is_removed_twice";
    is_found_by(DoubleRemoval, Category::Close, ViolationKind::Panic, message, name);
}

#[test]
fn the_halted_send_is_found_by_failing_writes_alone() {
    let name = "the_halted_send_is_found_by_failing_writes_alone";
    is_found_by(HaltedSend, Category::Write, ViolationKind::Deadlock, "client-2", name);
}

/// The second client is served after the first has gone, so no line is sent to both.
#[test]
fn the_halted_send_needs_clients_that_are_served_at_the_same_time() {
    let chat = Chat { clients: 2, at_once: 1, version: HaltedSend };
    let report = chat.check(failing(&[Category::Write]));
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// The paper's kind of failure leaves the connection alive: Table 5, 1 of 2 clients served, finds the deadlock then.
#[test]
fn the_halted_send_is_found_by_transient_failures_also_where_clients_are_served_in_turn() {
    let chat = Chat { clients: 2, at_once: 1, version: HaltedSend };
    for categories in [&[Category::Write][..], &[Category::Close, Category::Write], &[Category::Open, Category::Write]]
    {
        let report = chat.check(failing(categories).transient());
        let counterexample = report.counterexample().expect("a violation has one");
        assert_eq!(counterexample.kind(), ViolationKind::Deadlock, "{report}");
        assert!(counterexample.to_string().contains("! failed: nothing else happened"), "{report}");
    }
    let report = chat.check(failing(&[Category::Read]).transient());
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// The second line to a client that has ended fails without the network's help.
#[test]
fn the_halted_send_needs_no_failure_where_three_clients_come() {
    let chat = Chat { clients: 3, at_once: 2, version: HaltedSend };
    let report = Chat::checker().search(Search::Dfs).check(|net| chat.register(net));
    let counterexample = report.counterexample().expect("a violation has one");
    assert_eq!(counterexample.kind(), ViolationKind::Deadlock, "{report}");
    insta::assert_snapshot!(counterexample.without_lines());
}

#[netcheck::model_check(tcp(close), tasks = tracked, expect = panic, snapshot)]
fn a_worker_that_cannot_close_is_removed_twice(net: &mut netcheck::Network) {
    Chat::of_two(DoubleRemoval).register(net);
}

#[netcheck::model_check(tcp(write, side = server), tasks = tracked, expect = deadlock, snapshot)]
fn worker_client_and_server_wait_for_each_other(net: &mut netcheck::Network) {
    Chat::of_two(HaltedSend).register(net);
}
