//! Orders and executions for protocols that send again: what comes first, and that nothing is missed.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Report, Search, Simulation, Udp, Verdict};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

const NETWORKS: Search = Search::NetworkStates { retransmissions: None };

/// A program that throws dice, or sends what its receiver can't bear.
fn dice_or_packet(net: &mut Network) {
    net.daemon("server", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        socket.recv_from(&mut [0; 4]).await.unwrap();
        panic!("a packet");
    });
    let client = || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        if netcheck::choose(0..5).await == 4 {
            socket.send_to(b"x", "server:4000").await.unwrap();
        }
        let mut thrown = Vec::new();
        for _ in 0..4 {
            thrown.push(netcheck::choose(1..=6).await);
        }
        thrown
    };
    net.process("client", client).after("server");
}

fn unreduced(search: Search) -> Checker {
    Checker::new().identity(Identity::History).reduction(false).search(search)
}

#[test]
fn states_whose_network_is_known_come_later() {
    let states = |search| {
        let report = unreduced(search).check(dice_or_packet);
        assert_eq!(report.verdict(), Verdict::Violated, "{report}");
        report.states()
    };
    let (by_networks, by_depth) = (states(NETWORKS), states(Search::Dfs));
    assert!(by_networks * 20 < by_depth, "{by_networks} states instead of {by_depth}");
}

/// A client sends one question again and again; its server falls over one step after it has got it so often.
fn questions(net: &mut Network, asked: &'static [&'static str], fatal: usize) {
    net.daemon("server", move || async move {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (mut buffer, mut got) = ([0; 4], 0);
        loop {
            let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
            got += usize::from(&buffer[..length] == b"?");
            socket.send_to(&buffer[..length], from).await.unwrap();
            assert!(got < fatal, "once too often");
        }
    });
    let client = move || async move {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        let mut answers = 0;
        for question in asked {
            socket.send_to(question.as_bytes(), "server:4000").await.unwrap();
            answers += usize::from(timeout(Duration::from_secs(1), socket.recv(&mut [0; 4])).await.is_ok());
        }
        answers
    };
    net.process("client", client).after("server");
}

#[test]
fn what_arrives_again_and_again_comes_later() {
    let states = |arrivals, fatal| {
        let checker = unreduced(Search::Retransmissions { arrivals }).udp(Udp::new().loss());
        let report = checker.check(|net| questions(net, &["?", "a", "?", "b", "?"], fatal));
        assert_eq!(report.verdict(), Verdict::Violated, "{report}");
        report.states()
    };
    // A fault that a second arrival shows is put off until no execution without one is left.
    let (late, early) = (states(1, 2), states(2, 2));
    assert!(early * 3 < late, "{early} states instead of {late}");
    // One that needs three is put off by both, and not if three are no repetition.
    let (late, early) = (states(2, 3), states(3, 3));
    assert!(early * 3 < late, "{early} states instead of {late}");
}

#[test]
fn with_dense_time_too_all_is_seen_in_the_end() {
    let figures = |search| {
        let checker = unreduced(search).udp(Udp::new().delay(..=Duration::from_millis(1_500)));
        let report = checker.check(|net| questions(net, &["?", "?"], 9));
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("client").to_vec()
    };
    let expected = figures(Search::Bfs);
    for search in
        [NETWORKS, Search::NetworkStates { retransmissions: Some(1) }, Search::Retransmissions { arrivals: 1 }]
    {
        assert_eq!(figures(search), expected, "{search:?}");
    }
}

// Executions, one after the other.

fn simulated(checker: Checker, simulation: Simulation, network: impl FnOnce(&mut Network)) -> Report {
    checker.identity(Identity::History).simulation(simulation).check(network)
}

#[test]
fn depth_first_each_execution_is_run_once() {
    let two = |net: &mut Network| {
        net.process("it", || async { (netcheck::choose(0..3).await, netcheck::choose(0..4).await) });
    };
    let report = simulated(Checker::new(), Simulation::new(0).depth_first(), two);
    assert_eq!(report.verdict(), Verdict::Inconclusive, "a simulation proves nothing");
    assert_eq!(report.simulated().map(|simulated| simulated.executions()), Some(12));
    assert_eq!(report.outputs("it").len(), 12);
    assert_eq!(report.limit(), Some("no violation in 12 executions, and there are no others"));
    let report = simulated(Checker::new(), Simulation::new(0).depth_first().runs(5), two);
    assert_eq!(report.limit(), Some("no violation in 5 executions"));
}

#[test]
fn depth_first_the_first_violation_in_order_is_found() {
    let report = simulated(Checker::new(), Simulation::new(0).depth_first(), |net| {
        net.process("it", || async {
            let chosen = (netcheck::choose(0..3).await, netcheck::choose(0..4).await);
            assert_ne!(chosen, (1, 2), "not these");
        });
    });
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    assert_eq!(report.simulated().map(|simulated| simulated.executions()), Some(7));
}

// Delays that are drawn.

/// Whether an answer came within 100 milliseconds.
fn ping(net: &mut Network) {
    net.daemon("server", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let (_, from) = socket.recv_from(&mut [0; 4]).await.unwrap();
            socket.send_to(b"!", from).await.unwrap();
        }
    });
    let client = || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"?", "server:4000").await.unwrap();
        timeout(Duration::from_millis(100), socket.recv(&mut [0; 4])).await.is_ok()
    };
    net.process("client", client).after("server");
}

#[track_caller]
fn answers(udp: Udp, draw: impl Fn(u64) -> Option<Duration> + Send + Sync + 'static, expected: &[&str]) {
    let report = simulated(Checker::new().udp(udp).drawn_delays(draw), Simulation::new(3).runs(200), ping);
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    assert_eq!(report.outputs("client"), expected);
}

#[test]
fn packets_take_the_time_that_is_drawn() {
    let ms = Duration::from_millis;
    let any = || Udp::new().delay(..);
    answers(any(), move |_| Some(ms(49)), &["true"]);
    answers(any(), move |_| Some(ms(51)), &["false"]);
    answers(any(), |_| None, &["false"]);
    // Each copy has a number of its own.
    answers(any(), move |random| Some(ms(random % 100)), &["false", "true"]);
    // At one instant with the time-out, either comes first.
    answers(any(), move |_| Some(ms(50)), &["false", "true"]);
    // No delay is drawn that is not possible.
    answers(Udp::new().delay(ms(10)..=ms(20)), move |_| Some(ms(1_000)), &["true"]);
    answers(Udp::new().delay(ms(60)..), move |_| Some(ms(1)), &["false"]);
    answers(Udp::new().delays([ms(10)]), move |_| Some(ms(90)), &["true"]);
}

#[test]
fn a_violation_by_drawn_delays_is_one_of_all_delays() {
    let checker = Checker::new()
        .udp(Udp::new().delay(..))
        .drawn_delays(|random| Some(Duration::from_micros(40_000 + random % 12_000)));
    let report = simulated(checker, Simulation::new(1), |net| {
        net.daemon("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            loop {
                let (_, from) = socket.recv_from(&mut [0; 4]).await.unwrap();
                socket.send_to(b"!", from).await.unwrap();
            }
        });
        let client = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for _ in 0..3 {
                socket.send_to(b"?", "server:4000").await.unwrap();
                let answer = timeout(Duration::from_millis(100), socket.recv(&mut [0; 4])).await;
                assert!(answer.is_ok(), "too late");
            }
        };
        net.process("client", client).after("server");
    });
    let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert!(found.message().contains("too late"), "{found}");
    assert!(report.simulated().is_some_and(|simulated| simulated.executions() > 1), "{report}");
}

#[test]
fn drawn_delays_need_delays_and_no_clock() {
    let drawn = |udp| Checker::new().udp(udp).simulation(Simulation::new(0)).drawn_delays(|_| None);
    let error = drawn(Udp::new().loss()).try_check(ping).expect_err("nothing takes time");
    assert!(error.to_string().contains("no datagram takes any time"), "{error}");
    let reads = |net: &mut Network| {
        ping(net);
        net.process("clock", || async { _ = tokio::time::Instant::now() });
    };
    let error = drawn(Udp::new().delay(..)).try_check(reads).expect_err("the clock is read");
    assert!(error.to_string().contains("a program reads the clock"), "{error}");
}
