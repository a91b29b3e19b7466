use super::systems::systems;
use netcheck::check::{Report, Verdict};

fn check(name: &str) -> Report {
    let (_, checker, network) = systems().into_iter().find(|system| system.0 == name).expect("a system of this name");
    checker.check(network)
}

#[test]
fn what_a_node_tells_the_other_knows() {
    let report = check("two nodes, one round, no loss");
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn a_version_that_is_lost_is_not_known_and_none_is_forgotten() {
    let report = check("two nodes, one round");
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("node-1"), ["Ok(1)", "Ok(2)"]);
    assert_eq!(report.outputs("node-2"), ["Ok(2)"]);
}

#[path = "../../side_by_side.rs"]
mod side_by_side;

#[test]
#[ignore = "a table of what both ways to tell local states cost: minutes, in release"]
fn side_by_side() {
    side_by_side::check("gossip", systems());
}
