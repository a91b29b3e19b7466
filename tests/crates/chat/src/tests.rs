use super::systems::systems;
use netcheck::check::{Checker, Report, Verdict, ViolationKind};

fn check(name: &str) -> Report {
    check_with(name, |checker| checker)
}

fn check_with(name: &str, with: impl Fn(Checker) -> Checker) -> Report {
    let (_, checker, network) = systems().into_iter().find(|system| system.0 == name).expect("a system of this name");
    with(checker).check(network)
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

/// The states in any order of tasks, and in tokio's, by history.
#[test]
fn in_tokios_order_of_tasks_there_are_fewer_states() {
    for (name, states) in
        [("one client, no failure", [13, 13]), ("one client", [34, 34]), ("two clients, no failure", [89620, 64034])]
    {
        assert_eq!(orders::states(name, |name, with| check_with(name, with)), states, "{name}");
    }
}

#[path = "../../orders.rs"]
mod orders;
#[path = "../../side_by_side.rs"]
mod side_by_side;

#[test]
#[ignore = "a table of what both ways to tell local states cost: minutes, in release"]
fn side_by_side() {
    side_by_side::check("chat", systems());
}
