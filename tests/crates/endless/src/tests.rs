use super::systems::systems;
use netcheck::check::{Identity, Report, Verdict};

fn check(name: &str) -> Report {
    let (_, checker, network) = systems().into_iter().find(|system| system.0 == name).expect("a system of this name");
    checker.check(network)
}

fn assert_verified(name: &str) {
    let report = check(name);
    assert_eq!(report.verdict(), Verdict::Verified, "{name}: {report}");
}

#[test]
fn an_answer_belongs_to_its_datagram() {
    assert_verified("udp echo, two requests");
    assert_verified("udp echo, one client in one process");
}

#[test]
fn a_value_is_read_back() {
    assert_verified("udp key/value, one value");
}

#[test]
fn an_answer_belongs_to_its_line() {
    assert_verified("tcp lines, one client");
    assert_verified("tcp lines, two clients");
    assert_verified("tcp lines, one client in one process");
}

/// By history none of them ends.
#[test]
fn programs_that_never_end_close_by_memory() {
    let names = [
        "udp echo, endless",
        "udp echo, two endless clients",
        "udp key/value, endless",
        "tcp lines, endless",
        "tcp lines, two endless clients",
    ];
    for name in names {
        let (_, checker, network) = systems().into_iter().find(|system| system.0 == name).expect("a system");
        let report = checker.identity(Identity::Memory).max_states(20_000).check(network);
        assert_eq!(report.verdict(), Verdict::Verified, "{name}: {report}");
    }
}

#[path = "../../side_by_side.rs"]
mod side_by_side;

#[test]
#[ignore = "a table of what both ways to tell local states cost: minutes, in release"]
fn side_by_side() {
    side_by_side::check("endless", systems());
}
