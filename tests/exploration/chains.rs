//! Chains: states each of which follows from the one before by one step. What they cost grows with their number, whichever
//! way local states are told apart: the run that has just made a step makes the next one.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Verdict};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::{Duration, sleep};

const TICK: Duration = Duration::from_millis(500);

type Register = fn(&mut Network);

/// The polls of a search of so many states, which are not all.
fn polls(words: &str, states: usize, register: Register) -> u64 {
    let checker: Checker = format!("{words}, max_states = {states}").parse().expect("words of a check");
    let report = checker.check(register);
    assert_eq!((report.verdict(), report.states()), (Verdict::Inconclusive, states + 1), "{report}");
    report.polls()
}

fn assert_linear(words: &str, kind: &str, register: Register) {
    let [short, long] = [1_000, 4_000].map(|states| polls(words, states, register));
    // A try of a merged history may cost as many polls as the chain has steps.
    assert!(long * 10 < short * 60, "{kind}, {words}: {short} polls, and {long} for four times as many states");
}

/// Sends a growing number for ever, on a connection.
async fn counts() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut ticks = 0;
    while stream.write_u32(ticks).await.is_ok() {
        sleep(TICK).await;
        ticks += 1;
    }
}

async fn reads() {
    let mut stream = TcpStream::connect("sender:80").await.unwrap();
    while stream.read_u32().await.is_ok() {}
}

/// Keeps all that it has counted.
async fn remembers() {
    let mut all = Vec::new();
    for number in 0_u64.. {
        sleep(TICK).await;
        all.push(number);
    }
}

/// Adds one to each number, and passes it on.
async fn passes_on(to: &'static str, begins: bool) {
    let socket = UdpSocket::bind("0.0.0.0:9").await.unwrap();
    if begins {
        socket.send_to(&0_u64.to_be_bytes(), (to, 9)).await.unwrap();
    }
    loop {
        let mut number = [0; 8];
        socket.recv_from(&mut number).await.unwrap();
        let number = u64::from_be_bytes(number) + 1;
        socket.send_to(&number.to_be_bytes(), (to, 9)).await.unwrap();
    }
}

/// Two processes, or three, take turns.
fn ring(net: &mut Network, names: &[&'static str]) {
    let (last, others) = names.split_last().unwrap();
    let (first, rest) = (names[0], names.iter().skip(1));
    for (name, &to) in others.iter().zip(rest) {
        net.daemon(*name, move || passes_on(to, false));
    }
    let last = net.daemon(*last, move || passes_on(first, true));
    others.iter().fold(last, |last, other| last.after(*other));
}

/// Ends at some of its steps, if it is told to.
async fn may_end() {
    for ticks in 1_u64.. {
        sleep(TICK).await;
        if ticks.is_power_of_two() && netcheck::choose(0..2).await == 1 {
            return;
        }
    }
}

/// Takes one of two ways at each of so many steps. They come together again.
async fn takes_either_way(every: u64) {
    for ticks in 1_u64.. {
        sleep(TICK).await;
        if ticks.is_multiple_of(every) {
            let ticks = netcheck::choose(0..2_u32).await;
            sleep(TICK * ticks).await;
        }
    }
}

#[netcheck::process]
async fn child(number: u64) -> u64 {
    sleep(TICK).await;
    number
}

/// Spawns tasks of their own, one after the other.
async fn spawns() {
    for number in 0_u64.. {
        tokio::spawn(child(number % 4)).await.unwrap();
    }
}

/// Two tasks, of which one gives the other work.
async fn tasks() {
    let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
    tokio::spawn(async move {
        for number in 0_u64.. {
            sleep(TICK).await;
            sender.send(number).await.unwrap();
        }
    });
    while receiver.recv().await.is_some() {}
}

#[test]
fn polls_grow_with_the_states_of_a_chain() {
    let kinds: [(&str, Register); 7] = [
        ("a connection", |net| {
            net.daemon("sender", counts);
            net.daemon("reader", reads).after("sender");
        }),
        ("two take turns", |net| ring(net, &["a", "b"])),
        ("three take turns", |net| ring(net, &["a", "b", "c"])),
        ("a growing memory", |net| _ = net.daemon("ticks", remembers)),
        ("it may end", |net| _ = net.daemon("ticks", may_end)),
        ("it spawns", |net| _ = net.daemon("ticks", spawns)),
        ("tasks", |net| _ = net.daemon("ticks", tasks)),
    ];
    for (kind, register) in kinds {
        for identity in ["history", "memory"] {
            assert_linear(&format!("reduction = false, identity = {identity}"), kind, register);
        }
    }
}

#[test]
fn polls_of_a_connection_grow_with_the_states_of_a_reduced_search() {
    for identity in ["history", "memory"] {
        assert_linear(&format!("identity = {identity}"), "a connection", |net| {
            net.daemon("sender", counts);
            net.daemon("reader", reads).after("sender");
        });
    }
}

/// By history the ways never come together, and the states are a tree.
#[test]
fn ways_that_part_and_come_together_again_cost_one_run_for_each_way() {
    let kinds: [(&str, Register); 2] = [
        ("at each step", |net| _ = net.daemon("ticks", || takes_either_way(1))),
        ("now and then", |net| _ = net.daemon("ticks", || takes_either_way(50))),
    ];
    for (kind, register) in kinds {
        let words = "identity = memory";
        assert_linear(words, kind, register);
        // Runs that are tried again cost twice as many polls as learning, and some thousands in any case.
        let polls = polls(words, 4_000, register);
        assert!(polls < 8 * 4_000 + 8_192, "{kind}: {polls} polls");
    }
}

async fn echoes() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    let Ok((mut stream, _)) = listener.accept().await else { return };
    while let Ok(number) = stream.read_u32().await
        && stream.write_u32(number).await.is_ok()
    {}
}

async fn asks(questions: u32) -> u32 {
    let Ok(mut stream) = TcpStream::connect("sender:80").await else { return 0 };
    for question in 0..questions {
        if stream.write_u32(question).await.is_err() {
            return question;
        }
        match stream.read_u32().await {
            Ok(answer) => assert_eq!(answer, question),
            Err(_) => return question,
        }
    }
    questions
}

/// Each call may fail, so each local state is left a second way: by a run that is set back to it, and not by one that begins
/// anew.
#[test]
fn a_local_state_that_is_left_again_costs_a_poll() {
    let check = |copies_bytes: usize| {
        let checker: Checker = "tcp(read, write), at_most = 1, identity = memory".parse().unwrap();
        checker.max_copies(copies_bytes).check(|net| {
            net.process("sender", echoes);
            net.process("reader", || asks(100)).after("sender");
        })
    };
    let [none, few, all] = [0, 64 << 10, 64 << 20].map(check);
    for report in [&none, &few, &all] {
        assert_eq!((report.verdict(), report.outputs("reader").len()), (Verdict::Verified, 101), "{report}");
        assert_eq!((report.states(), report.local_states()), (all.states(), all.local_states()));
    }
    assert_eq!((none.set_back(), none.copies_bytes()), (0, 0));
    assert!(few.set_back() > 0 && few.copies_bytes() <= 64 << 10, "{} bytes", few.copies_bytes());
    assert!(all.set_back() > 400, "{}", all.set_back());
    // A poll for each step, half as many for tries, and some in any case.
    assert!(all.polls() < all.operations() * 3 / 2 + 1_024, "{} polls, {} steps", all.polls(), all.operations());
    assert!(none.polls() > 10 * all.polls(), "{} polls", none.polls());
}
