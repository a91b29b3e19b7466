//! The alphabet client and server (papers/udp-net-iocache.txt, section 4.1), the program of
//! `examples/alphabet`: its verdicts, and how many states there are to visit.

#[path = "../../examples/alphabet/checked.rs"]
pub(crate) mod checked;
#[path = "../../examples/alphabet/checked_tcp.rs"]
mod checked_tcp;

use crate::counted;
use checked::Sessions;
use netcheck::check::{Checker, Direction, Identity, Report, Tcp, Udp, Verdict, ViolationKind};

fn check(connections: u16, requests: u8, loss: bool, asserting: bool) -> Report {
    let udp = if loss { Udp::new().loss() } else { Udp::new() };
    Checker::new().udp(udp).check(|net| Sessions { connections, requests, asserting }.register(net))
}

fn figures(report: &Report) -> (Verdict, usize, u64) {
    (report.verdict(), report.states(), report.transitions())
}

#[test]
fn without_perturbation_every_response_is_right() {
    for requests in 1..=8 {
        let report = check(3, requests, false, true);
        assert_eq!(report.verdict(), Verdict::Verified, "{requests} requests: {report}");
    }
}

#[test]
fn a_single_request_has_no_other_whose_response_could_be_taken_for_its_own() {
    let report = check(3, 1, true, true);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn with_loss_the_assertion_fails_from_two_requests_on() {
    for requests in 2..=8 {
        let report = check(3, requests, true, true);
        assert_eq!(report.verdict(), Verdict::Violated, "{requests} requests: {report}");
        let counterexample = report.counterexample().expect("a violation has one");
        assert_eq!(counterexample.kind(), ViolationKind::Panic);
        assert!(counterexample.message().contains("answers another request"), "{counterexample}");
        insta::assert_snapshot!("the_second_response_is_taken_for_the_first", counterexample.without_lines());
    }
}

#[netcheck::model_check(udp(loss), expect = panic, snapshot)]
fn the_second_response_is_taken_for_the_first(net: &mut netcheck::Network) {
    Sessions { connections: 1, requests: 2, asserting: true }.register(net);
}

/// 21, 33 and 59 states for each connection at 1, 2 and 3 requests; of several, each is a part of the state that is split.
#[test]
fn the_states_grow_linearly_with_the_connections() {
    for (requests, states, transitions) in [(1, 21, 23), (2, 33, 40), (3, 59, 83)] {
        for connections in [1, 2, 3, 6, 12] {
            let report = check(connections, requests, true, false);
            let (split, parts) = if connections > 1 { (1, connections) } else { (0, 0) };
            let states = usize::from(connections) * states + split;
            let transitions = u64::from(connections) * transitions + u64::from(parts);
            let expected = (Verdict::Verified, states, transitions);
            assert_eq!(figures(&report), expected, "{connections} connections, {requests} requests: {report}");
        }
    }
}

/// 1,394 states for each connection, and the one that is split.
#[test]
fn three_connections_of_eight_requests_are_explored_to_the_end() {
    let report = check(3, 8, true, false);
    assert_eq!(figures(&report), (Verdict::Verified, 3 * 1_394 + 1, 3 * 3_963 + 3), "{report}");
}

/// States without and with those left out that others cover.
fn covered(udp: &Udp, connections: u16, requests: u8) -> [usize; 2] {
    [false, true].map(|subsumption| {
        let checker = Checker::new().udp(udp.clone()).subsumption(subsumption);
        let report = checker.check(|net| Sessions { connections, requests, asserting: false }.register(net));
        assert_eq!(report.verdict(), Verdict::Verified, "{requests} requests: {report}");
        report.states()
    })
}

/// Twice as many for each request more, where all that can be left of the responses is told apart. With those left
/// out that others cover, a cubic polynomial says how many: its third differences are 2.
#[test]
fn with_loss_the_states_that_no_other_covers_grow_polynomially_with_the_requests() {
    let udp = Udp::new().loss();
    let (told_apart, [first, second]) = ([59, 108, 201, 379, 723, 1_394, 2_713], [[21, 21], [33, 31]]);
    let more =
        (0_usize..).zip(told_apart).map(|(n, all)| [all, 49 + 26 * n + 5 * n * n.saturating_sub(1) + choose_3(n) * 2]);
    for (requests, of_one) in (1..).zip([first, second].into_iter().chain(more)) {
        for connections in [1, 3] {
            let expected = of_one.map(|states| states * usize::from(connections) + usize::from(connections > 1));
            assert_eq!(
                covered(&udp, connections, requests),
                expected,
                "{connections} connections, {requests} requests"
            );
        }
    }
}

/// How many sets of 3 there are of n.
fn choose_3(n: usize) -> usize {
    n * n.saturating_sub(1) * n.saturating_sub(2) / 6
}

/// Few, because which packets have overtaken which is told apart.
#[test]
fn where_packets_overtake_covered_states_are_left_out() {
    let pinned = [[21, 21], [39, 39], [110, 103], [352, 276], [1_187, 739], [4_127, 2_067]];
    assert_eq!([1, 2, 3, 4, 5, 6].map(|requests| covered(&Udp::new().loss().reorder(2), 1, requests)), pinned);
}

/// The paper's Table 3 over TCP. States and transitions for each connection at 1, 2 and 3 requests:
/// more than over UDP, as producer and consumer share their stream, and so are one unit. There is nothing to split
/// in a byte.
/// The right end of the paper's Figure 9. Without the assertion nobody looks at a letter: there are no more states than where the
/// server answers each digit with the same one, which are 4,039 for the first of these. Where letters are told apart, it has
/// 231,037, and the third 328,826.
#[test]
fn letters_that_nobody_looks_at_are_as_one() {
    let has_states = |states, copies: &[usize], window, requests| {
        let udp =
            Udp::new().copies(copies.iter().copied()).window(window).direction(Direction::Send).process("client-1");
        let sessions = Sessions { connections: 1, requests, asserting: false };
        counted::is_verified(states, || Checker::new().udp(udp.clone()).check(|net| sessions.register(net)));
    };
    has_states(3_955, &[1, 0, 2], 2, 6);
    has_states(10_099, &[1, 0, 2], 2, 7);
    has_states(2_579, &[1], 9, 8);
    has_states(5_733, &[1], 9, 9);
}

#[test]
fn over_tcp_every_response_is_right() {
    for tcp in [Tcp::new(), Tcp::new().split()] {
        let of_requests = [1, 2, 3].map(|requests| {
            let sessions = Sessions { connections: 3, requests, asserting: true };
            let checker = Checker::new().identity(Identity::History).tcp(tcp.clone());
            let report = checker.check(|net| checked_tcp::register(sessions, net));
            assert_eq!(report.verdict(), Verdict::Verified, "{requests} requests: {report}");
            // All but the state that is split, and the steps to its parts.
            [(report.states() - 1) / 3, (report.transitions() as usize - 3) / 3]
        });
        assert_eq!(of_requests, [[74, 100], [300, 475], [1_198, 2_068]]);
    }
}

#[test]
fn over_tcp_a_failure_is_seen_by_who_expects_none() {
    let sessions = Sessions { connections: 1, requests: 2, asserting: true };
    let tcp = Tcp::new().fail_read().process("client-1");
    let report = Checker::new().tcp(tcp).at_most(1).check(|net| checked_tcp::register(sessions, net));
    let counterexample = report.counterexample().expect("a read fails");
    assert!(counterexample.message().contains("a response can be received"), "{report}");
}

/// One crash may come at any step, and what follows after it is new: the table of the guide (docs/src/faults.md).
#[test]
fn one_crash_costs_what_the_guide_says() {
    let words = [
        "",
        r#"crash(process = "server-1")"#,
        r#"crash(power, process = "server-1")"#,
        r#"crash(process = "client-1")"#,
    ];
    let guide = include_str!("../../docs/src/faults.md");
    for (loss, requests, depth, pinned) in [
        (false, 1, 14, [15, 88, 91, 76]),
        (false, 2, 18, [19, 123, 166, 168]),
        (false, 4, 26, [27, 319, 561, 578]),
        (false, 8, 42, [43, 1_437, 3_182, 2_924]),
        (true, 1, 13, [21, 103, 106, 96]),
        (true, 2, 17, [33, 172, 214, 228]),
        (true, 4, 25, [108, 757, 1_174, 1_634]),
        (true, 8, 41, [1_394, 15_175, 26_424, 70_120]),
    ] {
        let reports = words.map(|words| {
            let udp = if loss { Udp::new().loss() } else { Udp::new() };
            let checker = words.parse::<Checker>().expect("words of the attribute").udp(udp);
            checker.check(|net| Sessions { connections: 1, requests, asserting: false }.register(net))
        });
        assert!(reports.iter().all(|report| report.verdict() == Verdict::Verified), "{requests} requests");
        let states = reports.each_ref().map(Report::states);
        assert_eq!((states, reports[0].depth()), (pinned, depth), "{requests} requests, loss: {loss}");
        let [without, server, power, client] = states;
        let cell = |states: usize| format!("{states} (×{:.1})", states as f64 / without as f64);
        let network = if loss { "`udp(loss)`" } else { "reliable" };
        let [server, power, client] = [server, power, client].map(cell);
        let row = format!("| {network} | {requests} | {depth} | {without} | {server} | {power} | {client} |\n");
        assert!(guide.contains(&row), "{row}");
    }
}

/// Sessions that never meet add up also where one of their servers is killed, or loses its power.
#[test]
fn a_crash_of_one_server_costs_nothing_for_the_other_sessions() {
    for (words, by_requests) in [
        (r#"crash(process = "server-1")"#, [(1, 88), (2, 123), (4, 319)]),
        (r#"crash(power, process = "server-1")"#, [(1, 91), (2, 166), (4, 561)]),
    ] {
        let crashing = words.parse::<Checker>().expect("words of the attribute");
        for (requests, alone) in by_requests {
            let check = |checker: Checker, connections| {
                checker.check(|net| Sessions { connections, requests, asserting: false }.register(net)).states()
            };
            let [one, three] = [1, 3].map(|connections| check(crashing.clone(), connections));
            let others = 2 * check(Checker::new(), 1);
            assert_eq!((one, three), (alone, alone + others + 1), "{words}, {requests} requests");
        }
    }
}
