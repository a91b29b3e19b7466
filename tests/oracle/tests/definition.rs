//! The naive explorer against what is simpler still.

use std::collections::BTreeSet;

use oracle::generate::{self, Size, Words};
use oracle::language::program::{ELAPSED, Instruction, Network, Process, System, Value};
use oracle::naive::{self, Limits};

/// The oracle's own oracle: Definition 5 by brute force.
#[test]
fn the_naive_explorer_delivers_what_definition_5_says() {
    for packets in 1..=3 {
        for copies in [vec![1], vec![0, 1], vec![1, 2], vec![2], vec![0, 2], vec![0], vec![0, 1, 2]] {
            for window in 1..=packets {
                for at_most in [None, Some(1), Some(2)] {
                    let network = Network { copies: copies.clone(), window, at_most, ..Network::reliable() };
                    let expected = definition_5(packets, &network);
                    assert_eq!(naive_deliveries(packets, &network), expected, "{packets} packets, {network:?}");
                    match (packets, copies.as_slice(), at_most) {
                        (2, [0, 1, 2], None) => assert_eq!(expected.len(), [9, 19][window - 1]),
                        (3, [1], None) => assert_eq!(expected.len(), [1, 4, 6][window - 1]),
                        (3, [0, 1], None) => assert_eq!(expected.len(), [8, 14, 16][window - 1]),
                        (3, [0, 1, 2], None) => assert_eq!(expected.len(), [27, 135, 271][window - 1]),
                        _ => {}
                    }
                }
            }
        }
    }
}

/// With `delay`, a receiver gives up at any time what has not arrived: it sees every beginning of a delivery.
#[test]
fn the_naive_explorer_delivers_the_beginnings_of_what_definition_5_says_with_delay() {
    for copies in [vec![1], vec![0, 1], vec![1, 2], vec![0, 2]] {
        for (packets, window) in [(1, 1), (2, 1), (2, 2)] {
            for at_most in [None, Some(1)] {
                let network = Network { copies: copies.clone(), window, at_most, delay: true, ..Network::reliable() };
                let deliveries = definition_5(packets, &network);
                let beginnings = deliveries
                    .iter()
                    .flat_map(|delivery| (0..=delivery.len()).map(|length| delivery[..length].to_vec()))
                    .collect::<BTreeSet<Vec<u8>>>();
                assert_eq!(naive_deliveries(packets, &network), beginnings, "{packets} packets, {network:?}");
            }
        }
    }
}

/// Every delivery of packets 1, 2, … that a receiver sees which waits until nothing comes any more.
fn naive_deliveries(packets: usize, network: &Network) -> BTreeSet<Vec<u8>> {
    let bind = Instruction::Bind { socket: 0, port: 4000 };
    let longest = packets * network.copies.iter().copied().max().unwrap_or(0).max(1);
    let send = |packet| Instruction::Send { socket: 0, to: 1, port: 4000, value: Value::Constant(packet) };
    // by then the receiver is bound
    let mut sender = vec![bind.clone(), Instruction::Sleep { ms: 10 }];
    sender.extend((1..=packets as u8).map(send));
    let mut receiver = vec![bind];
    receiver.extend((0..=longest).map(|into| Instruction::RecvTimeout { socket: 0, ms: 100, into }));
    let process = |task, registers| Process { registers, sockets: 1, tasks: vec![task], ..Process::default() };
    let system =
        System { processes: vec![process(sender, 0), process(receiver, longest + 1)], network: network.clone() };
    let limits = Limits::of(1_000_000);
    let (findings, _) = naive::explore(&system, limits).expect("a small system");
    assert!(findings.panics.is_empty() && !findings.deadlock);
    let deliveries = findings.outputs[1].iter().map(|output| {
        let registers = output.trim_matches(['[', ']']).split(", ");
        let registers: Vec<u8> = registers.map(|register| register.parse().expect("a register")).collect();
        let end = registers.iter().position(|&register| register == ELAPSED).expect("more receives than packets");
        let is_late = registers[end..].iter().any(|&register| register != ELAPSED);
        assert!(!is_late || network.delay, "late packets in {registers:?}");
        registers.into_iter().filter(|&register| register != ELAPSED).collect()
    });
    deliveries.collect()
}

/// The sequences over packets 1, 2, … that meet Definitions 2 to 5 and need no more faults than declared.
fn definition_5(packets: usize, network: &Network) -> BTreeSet<Vec<u8>> {
    let mut copies: BTreeSet<usize> = network.copies.iter().copied().collect();
    if network.at_most.is_some() {
        copies.insert(1);
    }
    let longest = packets * copies.last().expect("M is not empty");
    let mut sequences: Vec<Vec<u8>> = vec![Vec::new()];
    let mut deliveries = BTreeSet::new();
    for _ in 0..=longest {
        deliveries.extend(
            sequences
                .iter()
                .filter(|sequence| {
                    (1..=packets as u8)
                        .all(|packet| copies.contains(&sequence.iter().filter(|&&q| q == packet).count()))
                        && (0..sequence.len()).all(|i| {
                            let late: BTreeSet<u8> =
                                sequence[i + 1..].iter().copied().filter(|&q| q < sequence[i]).collect();
                            late.len() < network.window
                        })
                        && network.at_most.is_none_or(|at_most| faults(packets, sequence) <= at_most)
                })
                .cloned(),
        );
        sequences = sequences
            .iter()
            .flat_map(|sequence| (1..=packets as u8).map(|packet| [sequence.as_slice(), &[packet]].concat()))
            .collect();
    }
    deliveries
}

/// One for each packet that is lost or overtaken, one for each extra copy.
fn faults(packets: usize, delivery: &[u8]) -> usize {
    let faults_of = |packet: u8| {
        let arrivals = delivery.iter().filter(|&&q| q == packet).count();
        let first = delivery.iter().position(|&q| q == packet);
        let is_overtaken = first.is_some_and(|first| delivery[..first].iter().any(|&q| q > packet));
        usize::from(arrivals == 0 || is_overtaken) + arrivals.saturating_sub(1)
    };
    (1..=packets as u8).map(faults_of).sum()
}

#[test]
fn remembering_states_changes_no_finding_of_the_naive_explorer() {
    let (mut compared, mut delayed) = ([0; 4], 0);
    for seed in 0..280 {
        let kind = seed as usize % compared.len();
        let words = [Words::Plain, Words::All, Words::Single, Words::Loops][kind];
        let system = generate::system(seed, Size::Small, words);
        // An execution of a loop that ends is long, and so is one with arrivals.
        let executions_max = if words == Words::Loops || system.network.delay { 500 } else { 2_000 };
        let remembering = Limits::of(executions_max);
        let Some((cut, executions)) = naive::explore(&system, remembering) else { continue };
        let limits = Limits { remember: false, ..Limits::of(executions_max) };
        if cut.endless {
            continue;
        }
        let Some((mut every, all)) = naive::explore(&system, limits) else { continue };
        // Whether somebody waits for ever is seen by what follows each state, which is remembered here only.
        every.helpless = cut.helpless;
        assert_eq!(cut, every, "seed {seed}\n{system}");
        assert!(executions <= all, "seed {seed}\n{system}");
        compared[kind] += 1;
        delayed += usize::from(system.network.delay);
    }
    assert!(compared.iter().all(|&compared| compared >= 10) && delayed >= 20, "{compared:?}, {delayed} with delay");
}

/// A client that asks for ever, and what the loops around it lead to.
#[test]
fn the_naive_explorer_comes_to_the_end_of_endless_systems() {
    let bind = Instruction::Bind { socket: 0, port: 4000 };
    let send = |to, value| Instruction::Send { socket: 0, to, port: 4000, value };
    let recv = Instruction::Recv { socket: 0, into: 0 };
    let asked = Instruction::RecvTimeout { socket: 0, ms: 10, into: 0 };
    let process = |daemon, script: Vec<Instruction>| Process {
        daemon,
        registers: 1,
        sockets: 1,
        tasks: vec![script],
        ..Process::default()
    };
    let forever = |body: &[Instruction]| Instruction::Forever { body: body.to_vec() };
    let server = process(true, vec![bind.clone(), forever(&[recv.clone(), send(0, Value::Register(0))])]);
    let asks = [send(1, Value::Constant(7)), asked.clone()];
    let explored = |client: Process, copies: &[usize]| {
        let network = Network { copies: copies.to_vec(), ..Network::reliable() };
        let system = System { processes: vec![client, server.clone()], network };
        let limits = Limits::of(1_000);
        naive::explore(&system, limits).map(|(findings, _)| findings)
    };
    let outputs = |findings: &naive::Findings| findings.outputs[0].iter().cloned().collect::<Vec<_>>();

    let endless = explored(process(false, vec![bind.clone(), forever(&asks)]), &[1]).expect("a small system");
    assert!(endless.endless && !endless.deadlock && endless.terminals.is_empty() && endless.panics.is_empty());

    let until = |equals| Instruction::Until { register: 0, equals, body: asks.to_vec() };
    let answered = explored(process(false, vec![bind.clone(), until(7)]), &[0, 1]).expect("a small system");
    assert!(answered.endless && answered.timeout_elapsed && !answered.deadlock);
    assert_eq!(outputs(&answered), ["[7]"]);
    assert_eq!(answered.terminals.len(), 1);

    let asserted = [asks.to_vec(), vec![Instruction::AssertNot { register: 0, value: 7 }]].concat();
    let panicked = explored(process(false, vec![bind.clone(), forever(&asserted)]), &[0, 1]).expect("a small system");
    assert_eq!(panicked.panics.len(), 1);

    let patient = process(false, vec![bind.clone(), forever(&[send(1, Value::Constant(7)), recv])]);
    assert!(explored(patient.clone(), &[0, 1]).expect("a small system").deadlock);
    assert!(!explored(Process { daemon: true, ..patient }, &[0, 1]).expect("a small system").deadlock);

    assert_eq!(explored(process(false, vec![bind.clone(), forever(&asks)]), &[2]), None, "ever more packets");
    let spins = vec![forever(&[Instruction::Set { register: 0, value: Value::Constant(1) }])];
    assert_eq!(explored(process(false, spins), &[1]), None, "no end of a step");
}

/// A receive that does not wait sees what has come before its process had nothing to run, perhaps what has come since, and
/// perhaps nothing of what may be lost.
#[test]
fn a_receive_that_does_not_wait_knows_what_came_before_a_sleep() {
    let bind = Instruction::Bind { socket: 0, port: 4000 };
    let tries = Instruction::TryReceive { socket: 0, into: 0 };
    let process = |script: &[Instruction]| Process {
        registers: 1,
        sockets: 1,
        tasks: vec![[std::slice::from_ref(&bind), script].concat()],
        ..Process::default()
    };
    let sleep = |ms| Instruction::Sleep { ms };
    let send = Instruction::Send { socket: 0, to: 1, port: 4000, value: Value::Constant(7) };
    let found = |before: &[Instruction], network: Network| {
        let sender = process(&[sleep(10), send.clone()]);
        let receiver = process(&[before, std::slice::from_ref(&tries)].concat());
        let system = System { processes: vec![sender, receiver], network };
        let (findings, _) = naive::explore(&system, Limits::of(1_000)).expect("a small system");
        findings.outputs[1].iter().cloned().collect::<Vec<String>>()
    };
    let lossy = || Network { copies: vec![1, 0], ..Network::reliable() };
    assert_eq!(found(&[], Network::reliable()), ["[253]"], "nothing was sent");
    assert_eq!(found(&[sleep(20)], Network::reliable()), ["[7]"], "the process has slept since");
    assert_eq!(found(&[sleep(10)], Network::reliable()), ["[253]", "[7]"], "it comes when the process wakes up");
    assert_eq!(found(&[sleep(20)], lossy()), ["[253]", "[7]"], "it may be lost");
    let awake = [sleep(10), Instruction::Yield];
    assert_eq!(found(&awake, Network::reliable()), ["[253]", "[7]"], "the process had something to run");
}
