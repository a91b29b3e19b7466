//! Dense time: processes that never meet are explored one group after the other.
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Report, Tasks, Udp, Verdict, ViolationKind};
use netcheck::monitor::{Monitor, Observer, Rule, Seen};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::{Instant, interval, sleep, timeout};

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

async fn answers() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let (length, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
        socket.send_to(&[7; 8][..length], from).await.unwrap();
    }
}

/// Asks until an answer comes.
async fn asks(server: String) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect(server).await.unwrap();
    for _ in 0..3 {
        socket.send(&[1]).await.unwrap();
        if timeout(ms(4), socket.recv(&mut [0; 8])).await.is_ok() {
            return;
        }
    }
}

fn pair(net: &mut Network, number: usize) {
    let server = format!("server{number}");
    net.daemon(&server, answers);
    net.process(format!("client{number}"), move || asks(format!("{server}:4000")));
}

fn checker() -> Checker {
    Checker::new().udp(Udp::new().delay(ms(1)..=ms(5)))
}

fn pairs(count: usize, reduction: bool) -> Report {
    checker().reduction(reduction).max_states(200_000).check(|net| (0..count).for_each(|number| pair(net, number)))
}

/// By the number of pairs: alone they have 86 states, and each group is gone when the next one begins.
#[test]
fn pairs_that_never_meet_do_not_multiply() {
    let states = [1, 2, 4, 8].map(|count| {
        let report = pairs(count, true);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.states()
    });
    assert_eq!(states, [86, 173, 345, 689]);
    assert!(pairs(2, false).states() > 2_000);
    assert!(pairs(2, true).to_string().contains("processes that never meet, each by itself"));
}

/// With the reduction and without.
fn each(checker: &Checker, network: impl Fn(&mut Network)) -> [Report; 2] {
    let [reduced, full] = [true, false].map(|reduction| checker.clone().reduction(reduction).check(&network));
    assert_eq!(reduced.verdict(), full.verdict(), "{reduced}\n{full}");
    [reduced, full]
}

/// Panics if both answers are late, which takes until after 8 ms.
async fn hurries(server: String) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect(server).await.unwrap();
    for _ in 0..2 {
        socket.send(&[1]).await.unwrap();
        if timeout(ms(4), socket.recv(&mut [0; 8])).await.is_ok() {
            return;
        }
    }
    panic!("no answer in time");
}

/// Before the violation at 8 ms, the others have things to do.
#[test]
fn a_violation_beside_others_is_an_execution_of_all_with_its_instants() {
    let network = |net: &mut Network| {
        pair(net, 0);
        net.daemon("server", answers);
        net.process("client", || hurries("server:4000".to_owned()));
        net.process("sleeper", || async {
            for _ in 0..3 {
                sleep(ms(3)).await;
            }
        });
    };
    for search in [netcheck::check::Search::Bfs, netcheck::check::Search::Dfs] {
        let report = checker().search(search).check(network);
        assert_eq!(report.verdict(), Verdict::Violated, "{report}");
        let found = report.counterexample().expect("it is violated");
        assert_eq!(found.kind(), ViolationKind::Panic);
        let at_ns: Vec<u64> = found.steps().iter().map(|step| step.timing.expect("time is dense").at_ns).collect();
        assert!(at_ns.is_sorted(), "{found}");
        assert_eq!(at_ns.last(), Some(&8_000_000), "{found}");
        let again = checker().replay(network, found).expect("it fits the programs");
        assert!(again.is_some_and(|again| again.contains("no answer in time")));
    }
}

/// The least execution of the full space is out of reach here: it is the one of the reduced search that is shown.
#[test]
fn a_violation_among_many_pairs_can_be_replayed() {
    let network = |net: &mut Network| {
        (0..4).for_each(|number| pair(net, number));
        net.daemon("server", answers);
        net.process("client", || hurries("server:4000".to_owned()));
    };
    let report = checker().max_states(3_000).check(network);
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    let again = checker().replay(network, report.counterexample().expect("it is violated"));
    assert!(again.expect("it fits the programs").is_some_and(|again| again.contains("no answer in time")));
}

#[test]
fn a_deadlock_is_found_beside_others_whatever_these_do() {
    let network = |net: &mut Network| {
        pair(net, 0);
        net.process("waits", || async {
            let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
            socket.recv(&mut [0; 8]).await.unwrap();
        });
        pair(net, 1);
    };
    let [reduced, full] = each(&checker().max_states(400_000), network);
    for report in [reduced, full] {
        assert_eq!(report.counterexample().expect("it is violated").kind(), ViolationKind::Deadlock, "{report}");
    }
}

async fn is_answered(server: String) -> bool {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(&[1], server).await.unwrap();
    timeout(ms(4), socket.recv(&mut [0; 8])).await.is_ok()
}

/// An end that `finally` sees of two groups at once is an end of both.
#[test]
fn ends_of_groups_are_combined() {
    let network = |number_of_bad: usize| {
        move |net: &mut Network| {
            for number in 0..2 {
                let server = format!("server{number}");
                net.daemon(&server, answers);
                net.process(format!("client{number}"), move || is_answered(format!("{server}:4000")));
            }
            net.finally(move |end| {
                let late = (0..2).filter(|number| end.output(&format!("client{number}")) == Some("false")).count();
                late != number_of_bad
            });
        }
    };
    for number in 0..3 {
        let [reduced, _] = each(&checker(), network(number));
        assert_eq!(reduced.verdict(), Verdict::Violated, "{number}: {reduced}");
    }
    let [reduced, full] = each(&checker(), network(3));
    assert_eq!(reduced.verdict(), Verdict::Verified);
    assert_eq!(reduced.outputs("client0"), ["false", "true"]);
    assert_eq!(reduced.outputs("client1"), full.outputs("client1"));
}

/// Goes round for ever, and time passes.
async fn beats() {
    let mut beat = interval(ms(7));
    loop {
        beat.tick().await;
    }
}

#[test]
fn a_daemon_that_goes_round_for_ever_puts_nobody_off() {
    let network = |net: &mut Network| {
        net.daemon("first", beats);
        pair(net, 0);
        net.daemon("last", beats);
        pair(net, 1);
    };
    let [reduced, full] = each(&checker().max_states(400_000), network);
    assert_eq!(reduced.verdict(), Verdict::Verified, "{reduced}");
    assert!(reduced.states() * 10 < full.states(), "{reduced}\n{full}");
    let bad = |net: &mut Network| {
        net.daemon("first", beats);
        net.daemon("server", answers);
        net.process("client", || hurries("server:4000".to_owned()));
    };
    let [reduced, _] = each(&checker(), bad);
    assert_eq!(reduced.verdict(), Verdict::Violated);
}

/// The time-outs of others are none of its concern.
#[test]
fn a_daemon_that_goes_round_at_one_instant_stops_no_timers_of_others() {
    let network = |net: &mut Network| {
        net.daemon("server", answers);
        net.process("client", || hurries("server:4000".to_owned()));
        net.daemon("spins", || async {
            loop {
                tokio::task::yield_now().await;
            }
        });
    };
    for report in each(&checker(), network) {
        assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    }
}

/// A program reads the clock: its instants are relative to one start.
#[test]
fn where_a_program_reads_the_clock_nothing_is_reduced_and_the_report_says_so() {
    let network = |net: &mut Network| {
        pair(net, 0);
        net.process("reads", || async {
            let before = Instant::now();
            sleep(ms(3)).await;
            assert!(before.elapsed() >= ms(3));
        });
    };
    let [reduced, full] = each(&checker(), network);
    assert_eq!(reduced.states(), full.states());
    assert!(reduced.to_string().contains("without reduction, because a program reads the clock"), "{reduced}");
}

/// Sees the ends of both clients, and rejects that of client 0 after that of client 1.
fn in_order() -> Observer {
    let monitor = Monitor::<String>::builder("in order")
        .state("none")
        .state("one")
        .accepting("none")
        .accepting("one")
        .rule("none", "one", Rule::on("1", |name| name == "client1"))
        .rule("none", "none", Rule::on("0", |name| name == "client0"))
        .build()
        .unwrap();
    Observer::new(monitor, |seen| match seen {
        Seen::Ended { process, .. } if process.starts_with("client") => Some(process.to_string()),
        _ => None,
    })
}

#[test]
fn a_monitor_that_sees_two_groups_makes_them_one() {
    let [reduced, full] = each(&checker(), |net| {
        net.monitor(in_order());
        pair(net, 0);
        pair(net, 1);
    });
    for report in [reduced, full] {
        assert_eq!(report.counterexample().expect("it is violated").kind(), ViolationKind::Monitor, "{report}");
    }
}

/// A monitor sees the time that passes for all.
#[test]
fn where_a_monitor_has_clocks_nothing_is_reduced_and_the_report_says_so() {
    let [reduced, full] = each(&checker(), |net| {
        let monitor = Monitor::<String>::builder("in time")
            .clock("since")
            .state("running")
            .accepting("running")
            .rule("running", "running", Rule::on("0", |name| name == "client0").at_most("since", ms(20)).reset("since"))
            .build()
            .unwrap();
        net.monitor(Observer::new(monitor, |seen| match seen {
            Seen::Ended { process, .. } if *process == "client0" => Some(process.to_string()),
            _ => None,
        }));
        pair(net, 0);
        net.process("sleeper", || sleep(ms(3)));
    });
    assert_eq!(reduced.states(), full.states());
    assert!(reduced.to_string().contains("without reduction, because a monitor has clocks"), "{reduced}");
}

/// Symmetry and orders of tasks are asked for, and are not argued in dense time.
#[test]
fn what_is_not_argued_is_off_and_the_report_says_so() {
    let network = |net: &mut Network| {
        net.daemon("server", answers);
        for name in ["one", "other"] {
            net.process(name, || async {
                let sleeper = netcheck::spawn(sleep(ms(2)));
                is_answered("server:4000".to_owned()).await;
                sleeper.await.unwrap();
            });
        }
    };
    let usual = checker().check(network);
    for asked in [checker().symmetry(true), checker().tasks(Tasks::Tracked), checker().tasks(Tasks::Fifo)] {
        let report = asked.check(network);
        assert_eq!((report.verdict(), report.states()), (usual.verdict(), usual.states()), "{report}");
        assert!(report.like_processes().is_empty());
        assert!(report.to_string().contains("without symmetry and orders of tasks, which are not argued there"));
    }
}

/// Threads and captured loops change nothing but the time that it takes, and local states.
#[test]
fn threads_and_captured_loops_agree() {
    #[netcheck::process]
    async fn answers_in_a_loop() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let (length, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
            socket.send_to(&[7; 8][..length], from).await.unwrap();
        }
    }
    let network = |net: &mut Network| {
        net.daemon("server", answers_in_a_loop);
        net.process("client", || asks("server:4000".to_owned()));
        pair(net, 1);
    };
    let one = checker().check(network);
    assert_eq!(one.verdict(), Verdict::Verified, "{one}");
    let many = checker().threads(2).check(network);
    assert_eq!((many.verdict(), many.states()), (one.verdict(), one.states()));
    for identity in [Identity::History, Identity::Memory] {
        for capture in [false, true] {
            let report = checker().identity(identity).capture(capture).check(network);
            assert_eq!(report.verdict(), Verdict::Verified, "{report}");
            assert_eq!(report.outputs("client"), one.outputs("client"));
        }
    }
}

/// At most one datagram is lost in an execution, of whichever pair.
#[test]
fn a_budget_is_one_for_all() {
    let network = |net: &mut Network| {
        for number in 0..2 {
            let server = format!("server{number}");
            net.daemon(&server, answers);
            net.process(format!("client{number}"), move || is_answered(format!("{server}:4000")));
        }
        net.finally(|end| (0..2).any(|number| end.output(&format!("client{number}")) == Some("true")));
    };
    let fast = |at_most| Checker::new().udp(Udp::new().loss().delay(ms(1)..=ms(1))).at_most(at_most);
    let [reduced, _] = each(&fast(1), network);
    assert_eq!(reduced.verdict(), Verdict::Verified, "{reduced}");
    let [reduced, _] = each(&fast(2), network);
    assert_eq!(reduced.verdict(), Verdict::Violated, "{reduced}");
}
