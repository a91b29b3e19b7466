//! Endless programs that have nothing to do with each other: their states add up.

use std::time::Instant;

use crate::endless;
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Report, Udp, Verdict, ViolationKind};
use tokio::net::UdpSocket;
use tokio::time::{Duration, sleep, timeout};

const TICK: Duration = Duration::from_millis(10);

/// The states of each pair, beside the one that is split. By memory they may be fewer: how many depends on what the compiler
/// leaves in the memory of a future. The time is printed, and no part of the test.
#[test]
fn many_pairs_that_never_end_add_up() {
    let pairs = |identity, count| {
        let checker = Checker::new().udp(Udp::new().loss()).identity(identity);
        endless::pairs(&checker, count, false)
    };
    let by_memory = pairs(Identity::Memory, 12).states() / 12;
    assert!(by_memory <= 24, "{by_memory} states of each pair by memory");
    for (identity, each) in [(Identity::History, 24), (Identity::Memory, by_memory)] {
        for count in [12, 24, 48, 96, 192] {
            let began = Instant::now();
            let report = pairs(identity, count);
            println!("{identity:?}, {count} pairs: {} states, {:?}", report.states(), began.elapsed());
            assert_eq!(report.verdict(), Verdict::Verified, "{report}");
            assert_eq!(report.states(), each * count + 1, "{identity:?}, {count} pairs");
        }
    }
}

/// Ticks, and closes after so many rounds; never, for none.
#[netcheck::process]
async fn heartbeat(rounds: Option<u32>) {
    let mut beats: u64 = 0;
    loop {
        sleep(TICK).await;
        beats += 1;
        if rounds.is_some_and(|rounds| beats == u64::from(rounds)) {
            beats = 0;
        }
    }
}

/// Some choices, a question and its answer; whoever chooses 3 at the end and is told to, panics.
async fn other(panics: bool) {
    let socket = UdpSocket::bind("127.0.0.1:4000").await.unwrap();
    for _ in 0..3 {
        let chosen = netcheck::choose(0..4_u8).await;
        socket.send_to(&[chosen], "127.0.0.1:4000").await.unwrap();
        let mut buffer = [0; 1];
        let _ = timeout(TICK, socket.recv(&mut buffer)).await;
        assert!(!panics || buffer[0] != 3, "three");
    }
}

fn beside(rounds: Option<Option<u32>>, has_other: bool, checker: &Checker, panics: bool) -> Report {
    checker.check(move |net: &mut Network| {
        if let Some(rounds) = rounds {
            net.daemon("heartbeat", move || heartbeat(rounds));
        }
        if has_other {
            net.process("other", move || other(panics));
        }
    })
}

#[test]
fn a_heartbeat_costs_its_own_states_whenever_it_closes() {
    for identity in [Identity::History, Identity::Memory] {
        let checker = Checker::new().identity(identity);
        let alone = beside(None, true, &checker, false);
        assert_eq!(alone.verdict(), Verdict::Verified, "{alone}");
        for rounds in [1, 50, 8_000] {
            let beats = beside(Some(Some(rounds)), false, &checker, false);
            let both = beside(Some(Some(rounds)), true, &checker, false);
            let [beats, both] = [&beats, &both].map(|report| {
                assert_eq!(report.verdict(), Verdict::Verified, "{report}");
                report.states()
            });
            println!("{identity:?}, {rounds} rounds: {beats} states, beside {} others {both}", alone.states());
            assert_eq!(both, beats + alone.states() + 1, "{identity:?}, {rounds} rounds");
        }
    }
}

/// It has ever more states. Those of the other process are all there, and a violation is found within a multiple of what it
/// takes alone.
#[test]
fn a_heartbeat_that_never_closes_hides_nothing() {
    for identity in [Identity::History, Identity::Memory] {
        let checker = Checker::new().identity(identity).max_states(3_000);
        let report = beside(Some(None), true, &checker, false);
        assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
        assert!(!report.outputs("other").is_empty(), "{report}");
        let alone = beside(None, true, &checker, true);
        let found = beside(Some(None), true, &checker, true);
        for report in [&alone, &found] {
            let found = report.counterexample().map(|found| found.kind());
            assert_eq!(found, Some(ViolationKind::Panic), "{report}");
        }
        println!("{identity:?}: {} states alone, {} beside", alone.states(), found.states());
        assert!(found.states() <= 2 * alone.states() + 1, "{} states, alone {}", found.states(), alone.states());
    }
}

/// Looks whether a message is there, and yields, for ever.
async fn spins_by_try_recv() {
    let (_sender, mut receiver) = tokio::sync::mpsc::channel::<u8>(1);
    loop {
        assert!(receiver.try_recv().is_err(), "nobody sends");
        tokio::task::yield_now().await;
    }
}

async fn spins_by_yield() {
    loop {
        tokio::task::yield_now().await;
    }
}

/// Says what it has chosen and whether its answer came, after a while.
async fn says() -> u8 {
    let socket = UdpSocket::bind("127.0.0.1:4000").await.unwrap();
    socket.send_to(&[7], "127.0.0.1:4000").await.unwrap();
    let came = timeout(2 * TICK, socket.recv(&mut [0; 1])).await.is_ok();
    sleep(TICK).await;
    10 * u8::from(came) + netcheck::choose(0..3).await
}

/// Outputs beside a loop that takes no time, of a daemon or of a task of one, are those without it; and an isolated task is
/// found to panic.
#[test]
fn outputs_beside_a_daemon_that_spins_are_complete() {
    #[netcheck::process]
    async fn panics() {
        let _socket = UdpSocket::bind("0.0.0.0:4002").await.unwrap();
        sleep(2 * TICK).await;
        panic!("found");
    }
    for reduction in [false, true] {
        for by_yield in [false, true] {
            for spawns in [false, true] {
                let network = |net: &mut Network| {
                    net.daemon("spins", move || async move {
                        if spawns {
                            let _task = tokio::spawn(panics());
                        }
                        if by_yield { spins_by_yield().await } else { spins_by_try_recv().await }
                    });
                    net.process("says", says);
                };
                let report = Checker::new().udp(Udp::new().loss()).reduction(reduction).check(network);
                let expected = if spawns { Verdict::Violated } else { Verdict::Verified };
                let which = format!("reduction {reduction}, by yield {by_yield}, spawns {spawns}");
                assert_eq!(report.verdict(), expected, "{which}: {report}");
                if !spawns {
                    assert_eq!(report.outputs("says"), ["0", "1", "10", "11", "12", "2"], "{which}: {report}");
                }
            }
        }
    }
}
