use super::systems::systems;
use netcheck::check::{Report, Verdict, ViolationKind};

fn check(name: &str) -> Report {
    let (_, checker, network) = systems().into_iter().find(|system| system.0 == name).expect("a system of this name");
    checker.check(network)
}

#[test]
fn an_answer_belongs_to_its_request() {
    let report = check("one client, no failure");
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("client-1"), ["Ok(())"]);
}

#[test]
fn a_failure_ends_the_connection_and_keeps_nobody_waiting() {
    let report = check("one client");
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let outputs = report.outputs("client-1");
    assert!(outputs.len() > 1 && outputs.iter().any(|output| output == "Ok(())"), "{outputs:?}");
}

#[test]
fn a_proxy_that_ends_with_the_first_failure_costs_others_their_answers() {
    let report = check("two clients, one after the other, one failure ends all");
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    let counterexample = report.counterexample().expect("a violation has one");
    assert_eq!(counterexample.kind(), ViolationKind::Panic);
    assert!(counterexample.message().contains("one failure costs both"), "{counterexample}");
}

#[path = "../../side_by_side.rs"]
mod side_by_side;

#[test]
#[ignore = "a table of what both ways to tell local states cost: minutes, in release"]
fn side_by_side() {
    side_by_side::check("proxy", systems());
}
