//! Races of a bind against sends, on real loopback sockets and in a check: on Linux a datagram is delivered within the
//! send, so that one which is sent before the bind comes to nobody.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use netcheck::check::{Checker, Verdict};

use super::{checked, real};
use random::Random;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Receives {
    Pause(usize),
    Bind,
    /// the socket, with what arrived at it
    Drop,
    Take,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Sends {
    Pause(usize),
    Send(u8),
}

#[derive(Debug, Clone)]
struct Race {
    receiver: Vec<Receives>,
    senders: Vec<Vec<Sends>>,
}

/// Who begins.
#[derive(Debug, Clone, Copy)]
enum Start {
    Together,
    /// when the senders have ended
    ReceiverLast,
    /// when the receiver has bound its first socket, or so long after it was started that it should have
    SendersLast,
}

type Arrivals = BTreeSet<Vec<u8>>;

const SEEDS: u64 = 40;
const RUNS: usize = 60;

fn race(seed: u64) -> Race {
    let mut random = Random::new(seed ^ 0xb1d);
    let senders = 1 + usize::from(random.percent(35));
    let each = if senders == 1 { 3 } else { 2 };
    let mut value = 0;
    let mut sends = || {
        let mut script = Vec::new();
        for _ in 0..1 + random.index(each) {
            if random.percent(50) {
                script.push(Sends::Pause(random.index(4)));
            }
            value += 1;
            script.push(Sends::Send(value));
        }
        script
    };
    let senders: Vec<Vec<Sends>> = (0..senders).map(|_| sends()).collect();
    let mut receiver = vec![Receives::Pause(random.index(5)), Receives::Bind];
    if random.percent(40) {
        receiver.extend((0..random.index(2)).map(|_| Receives::Take));
        receiver.extend([Receives::Drop, Receives::Pause(random.index(3)), Receives::Bind]);
    }
    receiver.extend((0..value).map(|_| Receives::Take));
    Race { receiver, senders }
}

/// The arrivals that a check explores.
fn explored(race: &Race) -> Arrivals {
    let report = Checker::new().check(|net| {
        let script = race.receiver.clone();
        net.process("receiver", move || checked::race::receiver(script.clone(), "0.0.0.0:4000".to_owned(), || true));
        for (index, script) in race.senders.iter().cloned().enumerate() {
            let sender =
                move || checked::race::sender(script.clone(), "0.0.0.0:0".to_owned(), "receiver:4000".to_owned());
            net.process(format!("sender {index}"), sender);
        }
    });
    assert_eq!(report.verdict(), Verdict::Verified, "nothing in it is a violation: {report}");
    let numbers = |output: &String| {
        let numbers = output.trim_matches(['[', ']']).split(", ").filter(|number| !number.is_empty());
        numbers.map(|number| number.parse().expect("a number")).collect()
    };
    report.outputs("receiver").iter().map(numbers).collect()
}

/// The arrivals in one run on loopback sockets, on two threads.
fn observed(race: &Race, start: Start, runtime: &tokio::runtime::Runtime) -> Vec<u8> {
    // an address of its own for each run: all of 127.0.0.0/8 is the machine itself
    static RUN: AtomicUsize = AtomicUsize::new(0);
    let run = RUN.fetch_add(1, Ordering::Relaxed);
    let host = format!("127.{}.{}.{}", 1 + std::process::id() % 250, 1 + run / 250 % 250, 1 + run % 250);
    let address = format!("{host}:4000");
    let ended = Arc::new(AtomicUsize::new(0));
    let all = race.senders.len();
    let is_over = {
        let ended = Arc::clone(&ended);
        move || ended.load(Ordering::SeqCst) == all
    };
    let receive = real::race::receiver(race.receiver.clone(), address.clone(), is_over);
    let send_all = || {
        let senders = race.senders.iter().map(|script| {
            let (sends, ended) =
                (real::race::sender(script.clone(), format!("{host}:0"), address.clone()), Arc::clone(&ended));
            runtime.spawn(async move {
                sends.await;
                ended.fetch_add(1, Ordering::SeqCst);
            })
        });
        senders.collect::<Vec<_>>()
    };
    let received = match start {
        Start::Together => {
            let received = runtime.spawn(receive);
            send_all();
            received
        }
        Start::ReceiverLast => {
            for sender in send_all() {
                runtime.block_on(sender).expect("it does not panic");
            }
            runtime.spawn(receive)
        }
        Start::SendersLast => {
            let received = runtime.spawn(receive);
            runtime.block_on(async { tokio::time::sleep(std::time::Duration::from_millis(1)).await });
            send_all();
            received
        }
    };
    runtime.block_on(received).expect("it does not panic")
}

#[test]
fn what_loopback_sockets_do_while_one_is_bound_is_explored() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let (mut seen, mut of_all, mut lost) = (0, 0, 0);
    for seed in 0..SEEDS {
        let race = race(seed);
        let explored = explored(&race);
        let mut all = Arrivals::new();
        for run in 0..RUNS {
            let start = [Start::Together, Start::Together, Start::ReceiverLast, Start::SendersLast][run % 4];
            let arrived = observed(&race, start, &runtime);
            assert!(
                explored.contains(&arrived),
                "seed {seed}, {start:?}: {arrived:?} is not among {explored:?}, in {race:?}"
            );
            if let Start::ReceiverLast = start {
                assert!(arrived.iter().all(|&value| value == 0), "{arrived:?} was sent before the bind, in {race:?}");
            }
            lost += usize::from(arrived.is_empty());
            all.insert(arrived);
        }
        seen += all.len();
        of_all += explored.len();
    }
    println!(
        "{seen} different arrivals of {of_all} that are explored, none in {lost} of {} runs",
        SEEDS as usize * RUNS
    );
    assert!(2 * seen >= 3 * SEEDS as usize, "too few of the races are seen to go both ways");
}
