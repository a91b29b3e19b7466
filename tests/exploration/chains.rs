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
    assert!(long * 10 < short * 46, "{kind}, {words}: {short} polls, and {long} for four times as many states");
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
        // What is tried again costs twice as many polls as what is learned, and some thousands in any case.
        let polls = polls(words, 4_000, register);
        assert!(polls < 8 * 4_000 + 8_192, "{kind}: {polls} polls");
    }
}
