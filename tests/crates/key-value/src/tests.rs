use super::systems::systems;
use netcheck::check::{Checker, Report, Verdict, ViolationKind};

fn check(name: &str) -> Report {
    check_with(name, |checker| checker)
}

fn check_with(name: &str, with: impl Fn(Checker) -> Checker) -> Report {
    let (_, checker, network) = systems().into_iter().find(|system| system.0 == name).expect("a system of this name");
    with(checker).check(network)
}

fn assert_verified(name: &str) -> Report {
    let report = check(name);
    assert_eq!(report.verdict(), Verdict::Verified, "{name}: {report}");
    report
}

#[test]
fn what_is_stored_is_read_back_until_it_is_deleted() {
    let report = assert_verified("one client, no failure");
    assert_eq!(report.outputs("client"), ["Ok(())"]);
    let failing = assert_verified("one client");
    assert!(failing.outputs("client").len() > 1, "{failing}");
}

#[test]
fn a_value_expires_and_its_successor_does_not() {
    assert_verified("expiry, no failure");
    assert_verified("expiry");
}

#[test]
fn the_server_ends_when_it_is_told_to() {
    let report = assert_verified("shutdown, no failure");
    assert_eq!(report.outputs("server"), ["Ok(())"]);
    assert_verified("shutdown");
}

#[test]
fn a_seat_is_given_back_when_a_connection_fails() {
    assert_verified("two connections in turn");
    assert_verified("two clients, one seat");
}

/// The client that comes next is neither accepted nor refused.
#[test]
fn a_seat_that_is_lost_keeps_the_next_client_waiting() {
    let report = check("two connections in turn, a seat is lost");
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    let counterexample = report.counterexample().expect("a violation has one");
    assert_eq!(counterexample.kind(), ViolationKind::Deadlock, "{counterexample}");
}

#[test]
fn two_clients_see_one_order_of_what_they_store() {
    let report = assert_verified("two clients, no failure");
    for client in ["client-1", "client-2"] {
        assert_eq!(report.outputs(client), [r#"Ok("1")"#, r#"Ok("2")"#]);
    }
}

#[test]
fn a_message_is_delivered_once() {
    let report = assert_verified("own messages, no failure");
    assert_eq!(report.outputs("client"), ["Ok(2)"]);
    assert_verified("own messages");
    assert_verified("publisher and subscriber, no failure");
}

/// The states in any order of tasks, and in tokio's, by history.
#[test]
fn in_tokios_order_of_tasks_there_are_fewer_states() {
    for (name, states) in
        [("expiry, no failure", [186, 186]), ("shutdown", [56, 56]), ("two clients, no failure", [52734, 38680])]
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
    side_by_side::check("key-value", systems());
}
