//! Clients and servers that are checked together (papers/jpf-jointstates.txt, section 5 and Figures 5 and 6), and
//! processes that are both: the program of `examples/joint_states`.

#[path = "../../examples/joint_states/checked.rs"]
pub(crate) mod checked;

use checked::program::{Halves, Opening, Pair, Threads};
use netcheck::Network;
use netcheck::check::{Checker, Report, Search, Verdict, ViolationKind};

/// In the order of the paper, and breadth-first: the order makes no difference to the result.
fn check(network: impl Fn(&mut Network)) -> Report {
    let report = checked::checker().check(&network);
    let breadth_first = Checker::new().check(&network);
    assert_eq!(report.verdict(), breadth_first.verdict(), "{report}\n{breadth_first}");
    let kinds = [&report, &breadth_first].map(|report| report.counterexample().map(|found| found.kind()));
    assert_eq!(kinds[0], kinds[1], "{report}\n{breadth_first}");
    report
}

fn deadlock(report: &Report) -> String {
    let counterexample = report.counterexample().expect("a deadlock was found");
    assert_eq!(counterexample.kind(), ViolationKind::Deadlock, "{report}");
    counterexample.to_string()
}

#[test]
fn the_dummy_pair_is_verified() {
    let report = check(|net| checked::pair(net, Pair::Dummy));
    assert_eq!((report.verdict(), report.states()), (Verdict::Verified, 11), "{report}");
    assert_eq!(report.outputs("client"), ["40"]);
}

/// The wait for ever would be found if the server's answers were taken to be any number.
#[test]
fn the_lucky_pair_is_verified() {
    let report = check(|net| checked::pair(net, Pair::Lucky));
    assert_eq!((report.verdict(), report.states()), (Verdict::Verified, 11), "{report}");
    assert_eq!(report.outputs("client"), ["40"]);
}

#[test]
fn the_buggy_pair_comes_to_a_deadlock() {
    let report = check(|net| checked::pair(net, Pair::Buggy));
    assert_eq!(report.states(), 15, "{report}");
    insta::assert_snapshot!(deadlock(&report));
}

#[test]
fn three_processes_that_are_client_and_server_at_once_are_verified() {
    let report = check(|net| checked::peers(net, 3, Halves::AtOnce));
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("peer-1"), ["[10, 10]"]);
    assert_eq!(report.outputs("peer-3"), ["[30, 30]"]);
}

/// Each waits for the answer of one that waits as well.
#[test]
fn three_processes_that_ask_before_they_answer_come_to_a_deadlock() {
    let report = check(|net| checked::peers(net, 3, Halves::OneByOne));
    insta::assert_snapshot!(deadlock(&report));
}

/// The client's two threads are told in which order to come by nothing: the one for port B may be first, and is not
/// greeted before port A's is, which waits for its turn.
#[test]
fn two_client_threads_at_two_ports_that_are_accepted_in_order_come_to_a_deadlock() {
    let report = check(|net| checked::two_ports(net, Opening::Together, Threads::OneByOne));
    insta::assert_snapshot!(deadlock(&report));
    // Two readings of the figures in which the threads need not take turns.
    let report = check(|net| checked::two_ports(net, Opening::Together, Threads::AtOnce));
    assert_eq!(report.verdict(), Verdict::Verified, "who comes early to port B waits in its backlog: {report}");
    let report = check(|net| checked::two_ports(net, Opening::Later, Threads::AtOnce));
    let counterexample = report.counterexample().expect("port B may not be open yet");
    assert_eq!(counterexample.kind(), ViolationKind::Panic, "the paper's ConnectException: {report}");
    assert!(counterexample.message().contains("ConnectionRefused"), "{report}");
}

/// Steps that wait for no message come before any message, in as many states as depth-first.
#[test]
fn the_order_of_joint_states_needs_no_more_states_than_depth_first_where_all_is_verified() {
    let states = |search| {
        let report = Checker::new().search(search).reduction(false).check(|net| checked::pair(net, Pair::Lucky));
        (report.verdict(), report.states(), report.transitions())
    };
    assert_eq!(states(Search::Joint), states(Search::Dfs));
}
