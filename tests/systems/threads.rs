//! However many threads explore, they find the same: the same states in the same order, and so all else.

use crate::alphabet::checked::Sessions;
use crate::chat::checked::Chat;
use crate::chat::checked::program::Version;
use netcheck::Network;
use netcheck::check::{Checker, Keep, Report, Search, Tcp, Udp, Verdict};
use netcheck::net::UdpSocket;
use netcheck::time::timeout;
use std::time::Duration;

/// All that a report says.
fn said(report: &Report) -> String {
    let counterexample = report.counterexample().map(|counterexample| counterexample.to_json());
    let automata: Vec<String> = report.automata().iter().map(|automaton| automaton.dot()).collect();
    let figures = (report.polls(), report.local_states(), report.rounds(), report.memory_bytes(), report.pruned());
    format!("{report:#}\n{figures:?}\n{automata:?}\n{:?}\n{counterexample:?}", report.never_completed())
}

/// Checks with one thread, and with several: nothing that is said differs.
#[track_caller]
fn same(checker: &Checker, network: impl Fn(&mut Network)) -> Report {
    let one = checker.check(&network);
    for threads in [2, 3, 8] {
        let many = checker.clone().threads(threads).check(&network);
        assert_eq!(said(&many), said(&one), "{threads} threads");
    }
    one
}

fn sessions(connections: u16, requests: u8) -> impl Fn(&mut Network) {
    move |net| Sessions { connections, requests, asserting: false }.register(net)
}

fn lossy() -> Checker {
    Checker::new().udp(Udp::new().loss())
}

#[test]
fn in_the_full_space() {
    for search in [Search::Bfs, Search::Faults, Search::Reads, Search::Dfs, Search::Random { seed: 7 }] {
        let report = same(&lossy().reduction(false).search(search), sessions(2, 2));
        assert_eq!((report.states(), report.transitions()), (3_174, 11_284));
    }
}

#[test]
fn in_the_reduced_space_whose_footprints_grow_with_what_is_learned() {
    let report = same(&lossy().udp(Udp::new().loss().duplication()), sessions(2, 3));
    assert!(report.rounds() > 1 && report.pruned() > 0, "{report:#}");
}

#[test]
fn with_states_that_add_nothing_or_are_kept_by_their_fingerprints() {
    let report = same(&lossy().reduction(false).subsumption(true), |net| {
        net.daemon("server", hearing);
        net.process("client-1", telling).after("server");
        net.process("client-2", telling).after("server");
    });
    assert!(report.subsumed() > 0, "{report}");
    same(&lossy().reduction(false).store(Keep::Fingerprint), sessions(2, 2));
}

#[test]
fn with_like_processes_of_which_one_state_stands_for_all() {
    for reduction in [true, false] {
        let report = same(&lossy().reduction(reduction).symmetry(true), |net| {
            net.daemon("server", hearing);
            for client in ["client-1", "client-2", "client-3"] {
                net.process(client, telling).after("server");
            }
        });
        assert_eq!(report.like_processes(), [["client-1", "client-2", "client-3"]]);
    }
}

#[test]
fn at_a_limit() {
    let report = same(&lossy().reduction(false).max_states(1_234), sessions(3, 3));
    assert_eq!((report.verdict(), report.states()), (Verdict::Inconclusive, 1_235));
}

#[test]
fn with_streams_that_fail_and_tasks_that_are_tracked() {
    let checker = Chat::checker().tcp(Tcp::new().fail_open().fail_read()).at_most(1);
    let report = same(&checker, |net| Chat::of_two(Version::Corrected).register(net));
    assert!(report.states() > 1_000, "{report}");
}

/// Sends, whoever hears it.
async fn telling() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for number in 0..4 {
        socket.send_to(&[number], "server:4000").await.unwrap();
    }
}

#[netcheck::process]
async fn hearing() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        socket.recv(&mut [0]).await.unwrap();
    }
}

/// Who is not answered asks again, three times; a late answer to an earlier question is taken for that to a later one.
async fn asking() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    for question in 0..3 {
        socket.send(&[question]).await.unwrap();
        let mut answer = [0];
        if timeout(Duration::from_secs(1), socket.recv(&mut answer)).await.is_ok() {
            assert_eq!(answer[0], question, "that was asked before");
        }
    }
}

async fn answering() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut question = [0];
    loop {
        let (length, from) = socket.recv_from(&mut question).await.unwrap();
        socket.send_to(&question[..length], from).await.unwrap();
    }
}

#[test]
fn with_a_violation_and_its_counterexample() {
    for reduction in [true, false] {
        let checker = Checker::new().udp(Udp::new().duplication()).reduction(reduction);
        let report = same(&checker, |net| {
            net.daemon("server", answering);
            net.process("client-1", asking);
            net.process("client-2", asking);
        });
        assert_eq!(report.verdict(), Verdict::Violated);
    }
}

#[test]
#[should_panic(expected = "`threads` is how many explore, from 1 to 256")]
fn somebody_has_to_explore() {
    let _ = Checker::new().threads(0);
}

#[test]
#[should_panic(expected = "from 1 to 256: take at most as many as the machine has cores")]
fn more_threads_than_there_is_work_for_are_refused() {
    let _ = Checker::new().threads(257);
}
