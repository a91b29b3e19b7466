use super::systems::systems;
use netcheck::check::{Report, Verdict};

fn check(name: &str) -> Report {
    let (_, checker, network) = systems().into_iter().find(|system| system.0 == name).expect("a system of this name");
    checker.check(network)
}

fn assert_verified(name: &str) -> Report {
    let report = check(name);
    assert_eq!(report.verdict(), Verdict::Verified, "{name}: {report}");
    report
}

#[test]
fn a_connection_is_never_shared() {
    assert_verified("two users of one connection");
    assert_verified("two users of two connections");
    assert_verified("three users of one connection");
}

#[test]
fn a_connection_that_has_failed_is_not_used_again() {
    assert_verified("two users of one connection, failures");
}

#[path = "../../side_by_side.rs"]
mod side_by_side;

#[test]
#[ignore = "a table of what both ways to tell local states cost: minutes, in release"]
fn side_by_side() {
    side_by_side::check("pool", systems());
}
