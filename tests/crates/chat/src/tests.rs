use super::systems::systems;
use netcheck::check::{Report, Verdict, ViolationKind};

fn check(name: &str) -> Report {
    let (_, checker, network) = systems().into_iter().find(|system| system.0 == name).expect("a system of this name");
    checker.check(network)
}

#[test]
fn who_is_alone_is_not_kept_waiting() {
    let report = check("one client, no failure");
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("client-1"), ["Err(TimedOut)"]);
    let failing = check("one client");
    assert_eq!(failing.verdict(), Verdict::Verified, "{failing}");
    assert!(failing.outputs("client-1").len() > 1, "{failing}");
}

#[test]
fn each_of_two_hears_what_the_other_says() {
    let report = check("two clients, no failure");
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// Both are told that there is nobody else, and one of them is never told that somebody came.
#[test]
fn of_two_who_are_welcomed_first_one_does_not_know_of_the_other() {
    let report = check("two clients, welcomed first");
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    let counterexample = report.counterexample().expect("a violation has one");
    assert_eq!(counterexample.kind(), ViolationKind::Property, "{counterexample}");
    assert!(counterexample.message().contains("has not heard the other"), "{counterexample}");
}
