//! States that no receiver can tell apart: merging them changes no verdict and no output, whatever programs look at.
//!
//! `NETCHECK_ALIKE_SEEDS=5000..9000` checks these systems instead.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Deadlocks, Report, Search, Udp, Verdict};
use netcheck::choose;
use netcheck::monitor::{Monitor, Observer, Rule, Seen};
use random::Random;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(1);

/// An instruction of a receiver, which has the last byte that it was given, and one that it keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Receive,
    /// Ends the program if nothing comes.
    ReceiveSoon,
    /// Panics at this byte.
    Refuse(u8),
    /// Panics if this byte was kept.
    RefuseKept(u8),
    /// Answers the byte that comes, or any, with this one.
    Answer(Option<u8>, u8),
    /// Passes on the byte that came.
    Echo,
    Keep,
    Forget,
    Sleep,
}

/// The value that a receiver ends with.
#[derive(Clone, Copy, Debug)]
enum Shown {
    Nothing,
    Last,
    Kept,
    Count,
}

#[derive(Clone, Debug)]
struct Receiver {
    steps: Vec<Step>,
    /// Whether it begins again at its end, for ever.
    repeats: bool,
    shown: Shown,
}

#[derive(Clone, Debug)]
struct Sender {
    bytes: Vec<u8>,
    /// How many answers it waits for, and how many it looks at: it panics at a 7 among these.
    answers: usize,
    looks_at: usize,
}

#[derive(Clone, Debug)]
struct System {
    receiver: Receiver,
    senders: Vec<Sender>,
    copies: Vec<usize>,
    window: usize,
    shows_ends: bool,
}

async fn receive(Receiver { steps, repeats, shown }: Receiver) -> Option<u64> {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let (mut last, mut kept, mut count) = ([0], 0, 0);
    let mut from = None;
    loop {
        for step in &steps {
            let given = match step {
                Step::Receive => Some(socket.recv_from(&mut last).await),
                Step::ReceiveSoon => match timeout(PATIENCE, socket.recv_from(&mut last)).await {
                    Ok(given) => Some(given),
                    Err(_) => return None,
                },
                _ => None,
            };
            if let Some(given) = given {
                from = Some(given.unwrap().1);
                count = if repeats { 0 } else { count + 1 };
            }
            match (*step, from) {
                (Step::Refuse(byte), _) => assert_ne!(last[0], byte, "refused"),
                (Step::RefuseKept(byte), _) => assert_ne!(kept, byte, "kept"),
                (Step::Answer(to, with), Some(from)) if to.is_none_or(|to| to == last[0]) => {
                    socket.send_to(&[with], from).await.unwrap();
                }
                (Step::Echo, Some(from)) => _ = socket.send_to(&last, from).await.unwrap(),
                (Step::Keep, _) => kept = last[0],
                (Step::Forget, _) => (last, kept) = ([0], 0),
                (Step::Sleep, _) => sleep(PATIENCE).await,
                _ => {}
            }
        }
        if !repeats {
            return match shown {
                Shown::Nothing => None,
                Shown::Last => Some(u64::from(last[0])),
                Shown::Kept => Some(u64::from(kept)),
                Shown::Count => Some(count),
            };
        }
    }
}

async fn send(Sender { bytes, answers, looks_at }: Sender) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("receiver:4000").await.unwrap();
    for byte in bytes {
        socket.send(&[byte]).await.unwrap();
    }
    let mut answer = [0];
    for number in 0..answers {
        if timeout(PATIENCE, socket.recv(&mut answer)).await.is_err() {
            return;
        }
        assert!(number >= looks_at || answer[0] != 7, "answered by 7");
    }
}

fn system(seed: u64) -> System {
    let mut random = Random::new(seed);
    let byte = |random: &mut Random| random.within(1, 3) as u8;
    let repeats = random.percent(40);
    let mut steps = Vec::new();
    for _ in 0..random.within(1, 4) {
        steps.push(if random.percent(70) { Step::ReceiveSoon } else { Step::Receive });
        if repeats {
            steps.pop();
            steps.push(Step::Receive);
        }
        for _ in 0..random.within(0, 2) {
            let steps_after = [
                Step::Refuse(byte(&mut random)),
                Step::RefuseKept(byte(&mut random)),
                Step::Answer(Some(byte(&mut random)), if random.percent(50) { 7 } else { 8 }),
                Step::Answer(None, if random.percent(20) { 7 } else { 8 }),
                Step::Echo,
                Step::Keep,
                Step::Keep,
                Step::Forget,
                Step::Sleep,
            ];
            steps.push(random.one_of(&steps_after));
        }
    }
    let shown = random.one_of(&[Shown::Nothing, Shown::Nothing, Shown::Last, Shown::Kept, Shown::Count]);
    let sender = |random: &mut Random| {
        let answers = random.within(0, 2);
        let bytes = (0..random.within(1, 3)).map(|_| byte(random)).collect();
        Sender { bytes, answers, looks_at: random.within(0, answers) }
    };
    let senders = (0..random.within(1, 2)).map(|_| sender(&mut random)).collect();
    let copies: &[&[usize]] = &[&[1], &[1, 0], &[1, 2], &[1, 0, 2]];
    System {
        receiver: Receiver { steps, repeats, shown },
        senders,
        copies: random.one_of(copies).to_vec(),
        window: random.within(1, 3),
        shows_ends: random.percent(70),
    }
}

/// The output of each process.
type Ends = BTreeSet<Vec<Option<String>>>;

fn register(system: &System, net: &mut Network, ends: &Arc<Mutex<Ends>>) {
    let receiver = system.receiver.clone();
    let program = move || receive(receiver.clone());
    if system.receiver.repeats {
        net.daemon("receiver", program);
    } else {
        net.process("receiver", program);
    }
    let names: Vec<String> = (0..system.senders.len()).map(|number| format!("sender-{number}")).collect();
    for (name, sender) in names.iter().zip(&system.senders) {
        let sender = sender.clone();
        net.process(name, move || send(sender.clone())).after("receiver");
    }
    if system.shows_ends {
        let ends = Arc::clone(ends);
        net.finally(move |end| {
            let all = names.iter().map(String::as_str).chain(["receiver"]);
            ends.lock().unwrap().insert(all.map(|name| end.output(name).map(str::to_owned)).collect());
        });
    }
}

fn check(system: &System, checker: &Checker) -> (Report, Ends) {
    let udp = Udp::new().copies(system.copies.iter().copied()).window(system.window);
    let ends = Arc::default();
    let report = checker.clone().udp(udp).max_states(200_000).check(|net| register(system, net, &ends));
    let ends = ends.lock().unwrap().clone();
    (report, ends)
}

/// How much was merged in how many systems.
#[derive(Debug, Default)]
struct Figures {
    systems: usize,
    merged: usize,
    violated: usize,
    merged_and_violated: usize,
    /// Of those that are verified, breadth-first.
    states: usize,
    states_apart: usize,
}

/// The number of steps of the counterexample, which is a least one.
fn steps(report: &Report) -> Option<usize> {
    report.counterexample().map(|found| found.steps().len())
}

/// Compares all with the full space, in which nothing is left out.
fn agree(seeds: Range<u64>) -> Figures {
    let mut figures = Figures::default();
    for seed in seeds {
        let system = system(seed);
        let (full, ends) = check(&system, &Checker::new().reduction(false));
        if full.limit().is_some() {
            continue;
        }
        let is_violated = full.verdict() == Verdict::Violated;
        let mut merged = 0;
        for (search, threads) in [(Search::Bfs, 1), (Search::Dfs, 2)] {
            // The audit would find what is missed, too.
            let checker = Checker::new().search(search).threads(threads).audit(seed.is_multiple_of(2));
            let (apart, _) = check(&system, &checker.clone().merge_after(usize::MAX));
            let (alike, ends_of_alike) = check(&system, &checker.merge_after(0));
            let message = format!("seed {seed}, {search:?}: {system:#?}\n{full}\n{alike}");
            assert_eq!(alike.verdict(), full.verdict(), "{message}");
            match is_violated {
                true => assert_eq!(steps(&alike), steps(&apart), "{message}\n{apart}"),
                false => assert_eq!(ends_of_alike, ends, "{message}"),
            }
            assert_eq!(apart.subsumed(), 0, "{message}");
            merged += alike.subsumed();
            if search == Search::Bfs && !is_violated {
                figures.states += alike.states();
                figures.states_apart += apart.states();
            }
        }
        figures.systems += 1;
        figures.violated += usize::from(is_violated);
        figures.merged += usize::from(merged > 0);
        figures.merged_and_violated += usize::from(merged > 0 && is_violated);
    }
    figures
}

fn seeds(usual: Range<u64>) -> Range<u64> {
    random::seeds_asked_for("ALIKE").unwrap_or(usual)
}

#[test]
fn random_receivers_that_look_at_some_of_what_they_are_given_agree() {
    let figures = agree(seeds(0..400));
    let Figures { systems, merged, violated, merged_and_violated, states, states_apart } = figures;
    assert!(systems > 350 && violated > 100 && systems - violated > 100, "{figures:?}");
    assert!(merged > 75 && merged_and_violated > 20 && 3 * states < 2 * states_apart, "{figures:?}");
}

/// Sends one of two bytes to a port.
async fn sends_one_of_two(to: &'static str) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let byte = choose(1..=2_u8).await;
    socket.send_to(&[byte], to).await.unwrap();
}

/// Checks what programs do with merging and without, and with it says whether something was merged.
fn both(checker: &Checker, register: impl Fn(&mut Network)) -> [Report; 2] {
    let checker = checker.clone().audit(false);
    [checker.clone().merge_after(usize::MAX).check(&register), checker.merge_after(0).check(&register)]
}

/// The local states after both bytes wait for the same, and only one was reached by way of the claim.
#[test]
fn local_states_are_alike_only_if_the_steps_to_them_do_the_same() {
    async fn claims() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let mut byte = [0];
        socket.recv_from(&mut byte).await.unwrap();
        netcheck::sometimes!(byte == [2], "two");
        netcheck::sometimes!(byte == [1], "one");
    }
    let reports = both(&Checker::new(), |net| {
        net.process("receiver", claims);
        net.process("sender", || sends_one_of_two("receiver:4000")).after("receiver");
    });
    for report in reports {
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert!(report.claims().iter().all(|(_, holds)| *holds), "{report}");
    }
}

/// Two processes talk for ever. One of them has chosen a number that it forgets in its first round: from one local state it
/// comes to the other, and never back, though nobody can tell them apart.
#[test]
fn a_local_state_that_is_left_for_one_like_it_is_a_cycle() {
    async fn asks() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        // Either of them may come first, so that nobody has fewer steps to explore.
        socket.send_to(&[0], "late:4000").await.unwrap();
        socket.send_to(&[1], "late:4000").await.unwrap();
        loop {
            for byte in 1..=2 {
                socket.send_to(&[byte], "answers:4000").await.unwrap();
                socket.recv(&mut [0]).await.unwrap();
            }
        }
    }
    /// Its local state at the loop is that number.
    #[netcheck::process]
    async fn answers() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (_, from) = socket.recv_from(&mut [0]).await.unwrap();
        let mut number = choose(0..2_u8).await;
        loop {
            socket.send_to(&[0], from).await.unwrap();
            socket.recv_from(&mut [0]).await.unwrap();
            socket.send_to(&[0], from).await.unwrap();
            socket.recv_from(&mut [0]).await.unwrap();
            number |= 1;
        }
    }
    async fn comes_late() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        socket.recv(&mut [0]).await.unwrap();
        netcheck::sometimes!(true, "late");
    }
    // Nothing is explored by itself.
    let checker = Checker::new().udp(Udp::new().window(2)).deadlocks(Deadlocks::Paper);
    for search in [Search::Bfs, Search::Dfs] {
        let reports = both(&checker.clone().search(search), |net| {
            net.daemon("answers", answers);
            net.daemon("asks", asks).after("answers");
            net.daemon("late", comes_late);
        });
        for report in reports {
            assert_eq!(report.verdict(), Verdict::Verified, "{report}");
            assert_eq!(report.claims(), [("late".to_owned(), true)]);
        }
    }
}

/// A monitor looks at what no program looks at.
#[test]
fn what_a_monitor_may_see_is_not_merged() {
    async fn ignores() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            socket.recv(&mut [0]).await.unwrap();
        }
    }
    /// The payload of a datagram that arrives.
    fn arrived(seen: &Seen<'_>) -> Option<u8> {
        match seen {
            Seen::Arrived { payload, .. } => Some(payload[0]),
            _ => None,
        }
    }
    async fn sends_several() {
        for _ in 0..4 {
            sends_one_of_two("receiver:4000").await;
        }
    }
    // One of them is sent late in any search.
    for bad in [1, 2] {
        let reports = both(&Checker::new(), |net| {
            net.daemon("receiver", ignores);
            net.process("sender", sends_several).after("receiver");
            let states = ["0", "1", "2", "3", "fine"];
            let monitor = Monitor::builder("arrivals");
            let monitor = states.into_iter().fold(monitor, |monitor, state| monitor.state(state).accepting(state));
            let monitor = states[..4].windows(2).fold(monitor, |monitor, pair| {
                monitor.rule(pair[0], pair[1], Rule::on("bad", move |&byte| byte == bad))
            });
            let monitor = states[..4].iter().fold(monitor, |monitor, state| {
                monitor.rule(state, "fine", Rule::on("good", move |&byte| byte != bad))
            });
            let monitor = monitor.rule("fine", "fine", Rule::otherwise());
            net.monitor(Observer::new(monitor.build().unwrap(), arrived));
        });
        for report in reports {
            assert_eq!(report.verdict(), Verdict::Violated, "{report}");
        }
    }
}

/// A program that is given what no execution gives it may take it badly: nothing is told of that.
#[test]
fn what_is_learned_only_to_compare_is_no_finding() {
    async fn counts() -> u8 {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let mut byte = [0];
        for expected in 1..=3 {
            socket.recv_from(&mut byte).await.unwrap();
            assert_eq!(byte, [expected], "in order");
        }
        0
    }
    let reports = both(&Checker::new(), |net| {
        net.process("receiver", counts);
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for byte in 1..=3 {
                socket.send_to(&[byte], "receiver:4000").await.unwrap();
                choose(0..2_u8).await;
            }
        })
        .after("receiver");
    });
    for report in reports {
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    }
}
