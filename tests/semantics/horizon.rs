//! `duration`: what happens later than the horizon is not explored, and what waits for it is cut off.

use std::time::Duration;

use netcheck::Network;
use netcheck::check::{Checker, Report, Search, Simulation, Tasks, Udp, Verdict, ViolationKind};
use netcheck::net::UdpSocket;
use netcheck::time::{Instant, interval, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

fn within(seconds: u32, network: impl Fn(&mut Network)) -> Report {
    let of = |checker: Checker| checker.duration(SECOND * seconds).check(&network);
    let report = of(Checker::new());
    let others = [
        Checker::new().reduction(false),
        Checker::new().search(Search::Dfs),
        Checker::new().tasks(Tasks::Tracked),
        Checker::new().tasks(Tasks::Fifo),
        Checker::new().symmetry(true),
        Checker::new().udp(Udp::new().delay(Duration::ZERO..=SECOND)),
    ];
    for other in others {
        assert_eq!(of(other).verdict(), report.verdict());
    }
    report
}

fn kind(report: &Report) -> Option<ViolationKind> {
    report.counterexample().map(|found| found.kind())
}

async fn panics_after(seconds: u32) {
    sleep(SECOND * seconds).await;
    panic!("it is over");
}

async fn heartbeat() {
    let mut ticks = interval(SECOND);
    loop {
        ticks.tick().await;
    }
}

/// Keeps the instant at which it has started.
async fn ages() {
    let started = Instant::now();
    loop {
        sleep(SECOND).await;
        assert!(started.elapsed() <= SECOND * 1_000);
    }
}

/// Waits for a datagram at port 4000, until one comes.
async fn waits() -> usize {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    socket.recv(&mut [0; 8]).await.unwrap()
}

/// Sends one when so much time is over.
async fn sends_after(seconds: u32) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    sleep(SECOND * seconds).await;
    socket.send_to(b"late", "waiting:4000").await.unwrap();
}

#[test]
fn what_happens_at_the_horizon_is_seen_and_nothing_later() {
    let network = |net: &mut Network| {
        net.process("late", || panics_after(5));
        net.daemon("heartbeat", heartbeat);
    };
    let report = within(4, network);
    assert_eq!(report.verdict(), Verdict::Verified);
    assert_eq!(report.duration(), Some(SECOND * 4));
    assert!(report.to_string().starts_with("verified within 4 s ("), "{report}");
    assert_eq!(kind(&within(5, network)), Some(ViolationKind::Panic));
}

#[test]
fn time_passes_for_isolated_tasks_as_for_their_parents() {
    async fn spawns() {
        sleep(SECOND * 2).await;
        netcheck::task::spawn(isolated()).await.unwrap();
    }
    #[netcheck::process]
    async fn isolated() {
        panics_after(3).await;
    }
    let network = |net: &mut Network| _ = net.process("parent", spawns);
    assert_eq!(within(4, network).verdict(), Verdict::Verified);
    assert_eq!(kind(&within(5, network)), Some(ViolationKind::Panic));
}

#[test]
fn what_waits_for_a_later_time_is_neither_a_deadlock_nor_at_its_end() {
    let network = |net: &mut Network| {
        net.process("waiting", waits);
        net.process("sender", || sends_after(3));
        net.finally(|end| {
            assert_eq!(end.output("waiting"), Some("4"));
        });
    };
    assert_eq!(within(2, network).verdict(), Verdict::Verified);
    let unheard = |net: &mut Network| {
        net.process("waiting", waits);
        net.process("sleeper", || sleep(SECOND * 3));
    };
    assert_eq!(within(2, unheard).verdict(), Verdict::Verified, "it is not known what the sleeper does then");
    assert_eq!(kind(&within(3, unheard)), Some(ViolationKind::Deadlock));
}

/// A datagram that arrives later than the horizon tells nothing of what its receiver would do; if nobody takes it, nothing
/// comes of it, and the check has come to its end.
#[test]
fn a_datagram_to_nobody_cuts_nothing_off() {
    async fn sends_to(port: u16) {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"late", ("waiting", port)).await.unwrap();
    }
    let report = |port: u16, reduction: bool, delay: Udp| {
        Checker::new().duration(SECOND).reduction(reduction).udp(delay).check(|net: &mut Network| {
            net.daemon("waiting", waits);
            net.process("sender", move || sends_to(port));
            net.finally(|end| assert_eq!(end.output("sender"), None));
        })
    };
    for delay in [Udp::new().delay(2 * SECOND..=3 * SECOND), Udp::new().delay(2 * SECOND..)] {
        for reduction in [true, false] {
            assert_eq!(report(4000, reduction, delay.clone()).verdict(), Verdict::Verified);
            assert_eq!(kind(&report(4001, reduction, delay.clone())), Some(ViolationKind::Property));
        }
    }
}

#[test]
fn a_deadlock_is_found_beside_a_loop_that_was_seen_to_close() {
    let network = |net: &mut Network| {
        net.process("waiting", waits);
        net.daemon("heartbeat", heartbeat);
    };
    let report = Checker::new().duration(SECOND * 5).check(network);
    assert_eq!(kind(&report), Some(ViolationKind::Deadlock));
}

#[test]
fn nobody_is_said_to_wait_for_ever_beside_what_is_not_known_to_the_end() {
    let network = |net: &mut Network| {
        net.daemon("server", ages);
        net.process("waiting", waits);
    };
    assert_eq!(within(3, network).verdict(), Verdict::Verified);
}

#[test]
fn states_that_age_for_ever_end_at_the_horizon() {
    let states = |seconds| {
        let report = within(seconds, |net| _ = net.daemon("server", ages));
        assert_eq!(report.verdict(), Verdict::Verified);
        report.states()
    };
    assert_eq!(states(20) - states(10), states(30) - states(20));
}

#[test]
fn executions_that_are_drawn_end_at_the_horizon() {
    let network = |net: &mut Network| {
        net.process("late", || panics_after(5));
        net.process("client", || timeout(SECOND * 9, waits()));
    };
    let simulate = |seconds: u32| {
        let checker = Checker::new().simulation(Simulation::new(7).runs(20));
        checker.duration(SECOND * seconds).check(network)
    };
    assert_eq!(simulate(4).counterexample().map(|found| found.kind()), None);
    assert_eq!(kind(&simulate(5)), Some(ViolationKind::Panic));
}

/// It would go on beyond the horizon if it had been given what it waits for, and it is not known how.
#[test]
fn who_waits_for_ever_beside_one_that_goes_round_in_no_time_is_stuck_whatever_it_would_do_later() {
    async fn waits_for_itself() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        socket.send_to(b"!", "client:4000").await.unwrap();
        socket.recv(&mut [0; 1]).await.unwrap();
        netcheck::task::spawn(async {
            loop {
                sleep(SECOND * 3).await;
            }
        });
        heartbeat().await
    }
    let checked = |checker: Checker| {
        let checker = checker.udp(Udp::new().loss()).duration(SECOND * 4);
        checker.check(|net| {
            net.process("client", waits_for_itself);
            net.daemon("spins", || async {
                loop {
                    netcheck::task::yield_now().await;
                }
            });
        })
    };
    for checker in [Checker::new(), Checker::new().reduction(false), Checker::new().search(Search::Dfs)] {
        let report = checked(checker);
        assert_eq!(kind(&report), Some(ViolationKind::Deadlock), "{report}");
    }
}
