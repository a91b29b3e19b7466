//! Random numbers and clocks: the same in every run of a check, and real outside of one.

#![allow(clippy::disallowed_methods, reason = "the clock and the hasher of std are the subject")]

use super::checked::random::{ask_with_jitter, draws, draws_from_one, reads_clocks, serve};
use super::real;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Report, Tasks, Udp, Verdict};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

/// A check with each identity, one thread and two, and with and without reduction.
fn checkers(checker: &Checker) -> Vec<Checker> {
    let mut all = Vec::new();
    for identity in [Identity::History, Identity::Memory] {
        for threads in [1, 2] {
            all.push(checker.clone().identity(identity).threads(threads));
        }
        all.push(checker.clone().identity(identity).reduction(false));
    }
    all
}

/// The only output of a program, which is the same with each of the [`checkers`].
#[track_caller]
fn output<F>(checker: &Checker, program: fn() -> F) -> String
where
    F: Future<Output: Debug + 'static> + 'static,
{
    let outputs = |checker: &Checker| {
        let report = checker.check(|net| {
            // Each run of the history in which it chooses 1 comes after one in which it chooses 0.
            net.process("one", move || async move {
                netcheck::choose(0..2).await;
                let ended = program().await;
                netcheck::choose(0..2).await;
                ended
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("one").to_vec()
    };
    let all: BTreeSet<Vec<String>> = checkers(checker).iter().map(outputs).collect();
    assert_eq!(all.len(), 1, "{all:?}");
    let [output] = &all.into_iter().next().expect("it is there")[..] else { panic!("one output") };
    output.clone()
}

#[test]
fn each_run_draws_the_same() {
    let drawn = output(&Checker::new(), draws);
    let all: BTreeSet<&str> = drawn.split('"').filter(|text| text.len() > 3).collect();
    assert_eq!(all.len(), 2 * 8, "each number is another one: {drawn}");
    assert_ne!(output(&Checker::new().seed(7), draws), drawn);
    output(&Checker::new(), draws_from_one);
}

#[tokio::test]
async fn outside_of_a_check_randomness_is_real() {
    assert_ne!(real::random::draws().await, real::random::draws().await);
    let (date, slept, also_slept) = real::random::reads_clocks().await;
    assert!(date.as_secs() > 1_700_000_000, "{date:?}");
    assert!(slept.as_millis() >= 999 && also_slept.as_millis() >= 999, "{slept:?}, {also_slept:?}");
}

/// Each of two threads has its generator, and a check on a thread leaves that of the thread alone.
#[test]
fn a_check_leaves_the_generators_of_its_thread_alone() {
    let report = Checker::new().check(|net| {
        net.process("one", draws_from_one);
        net.finally(|_| {
            // Between two polls of the program.
            assert_ne!((rand10::random::<u64>(), fastrand::u64(..)), (rand10::random::<u64>(), fastrand::u64(..)));
            Ok::<(), String>(())
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn clocks_are_those_of_the_check() {
    assert_eq!(output(&Checker::new(), reads_clocks), "(946684800s, 1s, 1s)");
}

fn jitter(net: &mut Network) {
    net.daemon("server", || async { serve(netcheck::net::UdpSocket::bind("0.0.0.0:4000").await.unwrap()).await });
    net.process("client", || ask_with_jitter("server:4000")).after("server");
}

#[test]
fn a_client_with_jitter_and_random_ids_is_verified() {
    let checker = Checker::new().udp(Udp::new().loss().duplication());
    let figures = |report: &Report| (report.states(), report.transitions(), report.outputs("client").to_vec());
    let mut seen = BTreeSet::new();
    for checker in checkers(&checker) {
        let [one, again] = [(); 2].map(|()| checker.check(jitter));
        assert_eq!(one.verdict(), Verdict::Verified, "{one}");
        assert_eq!(figures(&one), figures(&again));
        seen.insert(one.outputs("client").to_vec());
        let other = checker.seed(7).check(jitter);
        assert_eq!(other.verdict(), Verdict::Verified, "{other}");
        assert_ne!(other.outputs("client"), one.outputs("client"));
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
}

/// A draw in one of two branches tells the local states after them apart, and nothing else does.
async fn draws_in_one_branch() -> u64 {
    if netcheck::choose(0..2).await == 1 {
        let _ = rand9::random::<u64>();
    }
    netcheck::choose(0..2).await;
    rand9::random()
}

#[test]
fn a_draw_in_one_branch_changes_what_comes_after_it() {
    for checker in checkers(&Checker::new()) {
        let report = checker.check(|net| {
            net.process("one", draws_in_one_branch);
            net.process("two", draws_in_one_branch);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        let outputs: BTreeSet<&String> = ["one", "two"].into_iter().flat_map(|name| report.outputs(name)).collect();
        assert_eq!(outputs.len(), 4, "{outputs:?}");
    }
}

/// Draws in each round of a loop that never ends: the numbers go on, so it does not close.
#[netcheck::process]
async fn draws_for_ever() {
    loop {
        netcheck::time::sleep(Duration::from_secs(1)).await;
        let _ = rand10::random::<u64>();
    }
}

#[test]
fn a_loop_that_draws_does_not_close() {
    for checker in checkers(&Checker::new().max_states(500)) {
        let report = checker.check(|net| {
            net.process("one", draws_for_ever);
        });
        assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    }
}

/// The numbers that it draws after a loop head depend on nothing but the count: with a checkpoint, as without.
#[netcheck::process]
async fn draws_until(bits: u32) -> Vec<u32> {
    let mut drawn = Vec::new();
    while drawn.len() < 3 {
        drawn.push(rand10::random::<u32>() >> (32 - bits));
        drawn.push(fastrand::u32(..) >> (32 - bits));
        if netcheck::choose(0..2).await == 0 {
            drawn.clear();
        }
        if rand9::random::<bool>() {
            break;
        }
    }
    drawn
}

#[test]
fn captured_loops_draw_as_others_do() {
    let check = |checker: &Checker| {
        let report = checker.check(|net| {
            net.process("one", || draws_until(4));
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("one").to_vec()
    };
    let captured: BTreeSet<_> = checkers(&Checker::new()).iter().map(check).collect();
    let not = check(&Checker::new().capture(false));
    assert_eq!(captured, BTreeSet::from([not]));
}

/// Processes of one function draw different numbers, so they are not alike; the check notices.
#[test]
fn like_processes_are_told_apart_by_what_they_draw() {
    async fn client() -> u32 {
        netcheck::choose(0..2).await;
        let wait = rand10::random::<u32>() % 1_000;
        netcheck::time::sleep(Duration::from_millis(wait.into())).await;
        wait
    }
    let check = |checker: Checker| {
        let report = checker.check(|net| {
            for name in ["a", "b", "c"] {
                net.process(name, client);
            }
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        ["a", "b", "c"].map(|name| report.outputs(name).to_vec())
    };
    let outputs = check(Checker::new());
    assert!(outputs[0] != outputs[1] && outputs[1] != outputs[2], "{outputs:?}");
    for identity in [Identity::History, Identity::Memory] {
        assert_eq!(check(Checker::new().identity(identity).symmetry(true)), outputs);
    }
}

/// The draws of a tracked task are its own: the orders of the others make no difference.
#[test]
fn tracked_tasks_draw_from_sequences_of_their_own() {
    async fn tasks() -> Vec<u64> {
        let tasks = (0..2).map(|_| {
            netcheck::spawn(async {
                let first: u64 = rand10::random();
                netcheck::task::yield_now().await;
                first ^ uuid::Uuid::new_v4().as_u64_pair().0
            })
        });
        let mut drawn = Vec::new();
        for task in tasks.collect::<Vec<_>>() {
            drawn.push(task.await.expect("it ends"));
        }
        drawn
    }
    for reduction in [true, false] {
        let report = Checker::new().tasks(Tasks::Tracked).reduction(reduction).check(|net| {
            net.process("one", tasks);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("one").len(), 1, "{report}");
    }
    // Tasks that are not tracked share one sequence.
    let report = Checker::new().check(|net| {
        net.process("one", tasks);
    });
    assert!(report.outputs("one").len() > 1, "{report}");
}

/// Isolated tasks draw from sequences of their own, by their names, in whatever order they are first polled.
#[test]
fn isolated_tasks_draw_by_their_names() {
    #[netcheck::process]
    async fn task() -> u64 {
        rand10::random()
    }
    let outputs: BTreeSet<Vec<String>> = checkers(&Checker::new())
        .iter()
        .map(|checker| {
            let report = checker.check(|net| {
                net.process("one", || async {
                    let [first, second] = [(); 2].map(|()| netcheck::spawn(task()));
                    (second.await.expect("it ends"), first.await.expect("it ends"))
                });
            });
            assert_eq!(report.verdict(), Verdict::Verified, "{report}");
            report.outputs("one").to_vec()
        })
        .collect();
    assert!(outputs.len() == 1 && outputs.iter().all(|outputs| outputs.len() == 1), "{outputs:?}");
}

#[netcheck::program]
mod protocol {
    use std::time::{Duration, SystemTime};

    pub async fn draws_and_reads() -> (bool, Duration) {
        let (begun, wait) = (SystemTime::now(), rand9::random_range(1..10));
        tokio::time::sleep(Duration::from_secs(wait)).await;
        let slept = begun.elapsed().expect("time goes on");
        (slept == Duration::from_secs(wait), SystemTime::now().duration_since(begun).expect("time goes on") - slept)
    }
}

#[test]
fn a_program_may_draw_and_read_the_date() {
    assert_eq!(output(&Checker::new(), protocol::draws_and_reads), "(true, 0ns)");
}

/// The counterexample names what was drawn, and a replay draws it again.
async fn fails_with_a_number() {
    netcheck::choose(0..3).await;
    let number: u16 = rand8::random();
    assert_ne!(netcheck::choose(0..2).await, 1, "drawn: {number} and {}", fastrand::u16(..));
}

#[test]
fn a_counterexample_is_replayed_with_the_same_numbers() {
    for checker in checkers(&Checker::new()) {
        let net = |net: &mut Network| {
            net.process("one", fails_with_a_number);
        };
        let report = checker.check(net);
        let counterexample = report.counterexample().expect("it fails");
        let replayed = checker.replay(net, counterexample).expect("it fails again");
        assert!(counterexample.message().contains("drawn: "), "{counterexample}");
        assert_eq!(replayed, Some(format!("{}: {}", counterexample.kind(), counterexample.message())));
        let message = |seed| checker.clone().seed(seed).check(net).counterexample().expect("it fails").to_string();
        assert_eq!(message(0), counterexample.to_string());
        assert_ne!(message(1), message(0));
    }
}
