//! Random programs that call shared registers: with the reduction and without, and however local states are told apart, a check
//! ends with the same verdict and the same outputs.

use netcheck::Network;
use netcheck::check::{Checker, Crash, Identity, Report, Search, Udp, Verdict};
use netcheck::history::{Register, RegisterAnswer, RegisterOperation, invoke_on};
use netcheck::net::UdpSocket;
use netcheck::task::yield_now;
use netcheck::time::{sleep, timeout};
use random::Random;
use std::time::Duration;

type Operation = RegisterOperation<u8>;
type Answer = RegisterAnswer<u8>;

/// Without reduction, each local state of each history for itself, larger systems take too long.
const STATES_MAX: usize = 20_000;

const PATIENCE: Duration = Duration::from_millis(5);

const SERVERS: [&str; 2] = ["first:4000", "second:4000"];

/// An act of a client.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// A value is read at a server.
    Read(usize),
    /// A value is written at a server.
    Write(usize, u8),
    /// A read is told to have an answer, whatever there is.
    Claim(usize, u8),
    /// A write is begun, and its call is dropped.
    Abandon(usize, u8),
    /// Two tasks write and read at the same time.
    Both(usize, u8),
    Sleep(u64),
}

/// A system.
#[derive(Clone, Debug)]
struct System {
    scripts: Vec<Vec<Act>>,
    /// Whether the first server tells the second one of what is written, and whether it does so before it answers.
    forwards: Option<bool>,
    /// Whether the registers of the two servers are two objects.
    are_two: bool,
    is_linearizable: bool,
    is_consistent: bool,
    is_lossy: bool,
    crashes: Option<&'static str>,
}

const CLIENTS: [&str; 3] = ["a", "b", "c"];

fn act(numbers: &mut Random) -> Act {
    let server = numbers.index(2);
    let value = 1 + numbers.below(2) as u8;
    match numbers.below(12) {
        0..=3 => Act::Read(server),
        4..=6 => Act::Write(server, value),
        7 => Act::Claim(server, numbers.below(3) as u8),
        8 => Act::Abandon(server, value),
        9 => Act::Both(server, value),
        _ => Act::Sleep(1 + numbers.below(7)),
    }
}

fn system(seed: u64) -> System {
    let numbers = &mut Random::new(seed);
    let clients = 1 + numbers.weighted(&[(2, 0), (6, 1), (2, 2)]);
    let scripts = (0..clients).map(|_| {
        let acts = 1 + numbers.index(3);
        (0..acts).map(|_| act(numbers)).collect()
    });
    let scripts: Vec<Vec<Act>> = scripts.collect();
    let property = numbers.below(3);
    System {
        forwards: numbers.one_of(&[None, Some(false), Some(true)]),
        are_two: numbers.percent(30),
        is_linearizable: property != 1,
        is_consistent: property != 0,
        is_lossy: numbers.percent(20),
        crashes: numbers.percent(30).then(|| numbers.one_of(&["a", "first", "second"])),
        scripts,
    }
}

/// Sends a request from a socket of its own; the answer, unless none comes.
async fn ask(server: &str, request: [u8; 2]) -> Option<u8> {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(&request, server).await.unwrap();
    let mut answer = [0; 1];
    timeout(PATIENCE, socket.recv(&mut answer)).await.ok()?.unwrap();
    Some(answer[0])
}

/// A register; what is written is told to another one, before or after the answer.
async fn serve(forwards: Option<bool>) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut value = 0;
    loop {
        let mut request = [0; 2];
        let (_, from) = socket.recv_from(&mut request).await.unwrap();
        if request[0] == b'w' {
            value = request[1];
        }
        if request[0] == b'w' && forwards == Some(true) {
            ask(SERVERS[1], request).await;
        }
        socket.send_to(&[value], from).await.unwrap();
        if request[0] == b'w' && forwards == Some(false) {
            ask(SERVERS[1], request).await;
        }
    }
}

async fn read(key: usize, server: usize) -> Option<u8> {
    let call = invoke_on(key, Operation::Read);
    let value = ask(SERVERS[server], [b'r', 0]).await;
    if let Some(value) = value {
        call.returned(Answer::Value(value));
    }
    value
}

async fn write(key: usize, server: usize, value: u8) -> Option<u8> {
    let call = invoke_on(key, Operation::Write(value));
    let answer = ask(SERVERS[server], [b'w', value]).await;
    if answer.is_some() {
        call.returned(Answer::Written);
    }
    answer
}

async fn client(script: Vec<Act>, are_two: bool) -> Vec<Option<u8>> {
    let key = |server: usize| if are_two { server } else { 0 };
    let mut told = Vec::new();
    for act in script {
        match act {
            Act::Read(server) => told.push(read(key(server), server).await),
            Act::Write(server, value) => told.push(write(key(server), server, value).await),
            Act::Claim(server, value) => {
                let call = invoke_on(key(server), Operation::Read);
                yield_now().await;
                call.returned(Answer::Value(value));
            }
            Act::Abandon(server, value) => {
                let call = invoke_on(key(server), Operation::Write(value));
                yield_now().await;
                drop(call);
            }
            Act::Both(server, value) => {
                let (first, second) = netcheck::join!(write(key(server), server, value), read(key(server), server));
                told.extend([first, second]);
            }
            Act::Sleep(ms) => sleep(Duration::from_millis(ms)).await,
        }
    }
    told
}

fn check(checker: &Checker, system: &System) -> Report {
    let mut checker = checker.clone().max_states(STATES_MAX);
    if system.is_lossy {
        checker = checker.udp(Udp::new().loss()).at_most(1);
    }
    if let Some(process) = system.crashes {
        checker = checker.crash(Crash::kill().process(process).times(1));
    }
    checker.check(|net: &mut Network| {
        if system.is_linearizable {
            net.linearizable(Register::new(0_u8));
        }
        if system.is_consistent {
            net.sequentially_consistent(Register::new(0_u8));
        }
        let (forwards, are_two) = (system.forwards, system.are_two);
        net.daemon("second", || serve(None));
        net.daemon("first", move || serve(forwards)).after("second");
        for (name, script) in CLIENTS.into_iter().zip(&system.scripts) {
            let script = script.clone();
            net.process(name, move || client(script.clone(), are_two)).after("first");
        }
    })
}

/// The findings on which two checks of one system agree.
fn seen(report: &Report, system: &System) -> (Verdict, Option<String>, Vec<Vec<String>>) {
    let kind = report.counterexample().map(|found| found.kind().to_string());
    let is_whole = report.verdict() == Verdict::Verified;
    let outputs = CLIENTS.iter().take(if is_whole { system.scripts.len() } else { 0 });
    (report.verdict(), kind, outputs.map(|client| report.outputs(client).to_vec()).collect())
}

/// Compares systems; how many were verified, violated, and too large to be compared.
fn compare(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let base = Checker::new().reduction(false).identity(Identity::History);
    let others = [
        Checker::new(),
        Checker::new().identity(Identity::History),
        Checker::new().reduction(false).identity(Identity::Memory),
        Checker::new().search(Search::Dfs),
    ];
    let mut counts = [0; 3];
    for seed in seeds {
        let system = system(seed);
        let expected = check(&base, &system);
        if expected.verdict() == Verdict::Inconclusive {
            counts[2] += 1;
            continue;
        }
        counts[usize::from(expected.verdict() == Verdict::Violated)] += 1;
        for other in &others {
            let report = check(other, &system);
            assert_eq!(
                seen(&report, &system),
                seen(&expected, &system),
                "seed {seed}: {system:?}\n{report}\nwithout reduction and by histories:\n{expected}"
            );
        }
    }
    counts
}

#[test]
fn random_programs_with_calls_agree_with_and_without_reduction() {
    let [verified, violated, too_large] = compare(0..40);
    assert!(verified >= 10 && violated >= 10 && too_large <= 10, "{verified}, {violated}, {too_large}");
}

#[test]
#[ignore = "a thousand systems: minutes, in release, for a nightly run"]
fn nightly_random_programs_with_calls_agree_with_and_without_reduction() {
    let [verified, violated, too_large] = compare(1_000..2_000);
    assert!(verified >= 200 && violated >= 200 && too_large <= 500, "{verified}, {violated}, {too_large}");
}
