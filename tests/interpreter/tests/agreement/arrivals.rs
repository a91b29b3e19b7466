//! Where a datagram goes: in quiet time that is decided when it is sent, with `delay` when it arrives.

use std::collections::BTreeSet;

use crate::switches::{self, LeftOut};
use oracle::language::everyday::Everyday;
use oracle::language::program::{ELAPSED, Instruction, Network, Process, System, Value};
use oracle::naive::{self, Findings, Limits};

const BIND: Instruction = Instruction::Bind { socket: 0, port: 4000 };
const DROP: Instruction = Instruction::Everyday(Everyday::DropSocket { socket: 0 });

fn sleep(ms: u16) -> Instruction {
    Instruction::Sleep { ms }
}

/// To the receiver, which is the second process.
fn send(value: u8) -> Instruction {
    Instruction::Send { socket: 0, to: 1, port: 4000, value: Value::Constant(value) }
}

fn receive(ms: u16, into: usize) -> Instruction {
    Instruction::RecvTimeout { socket: 0, ms, into }
}

fn receive_at_last() -> Instruction {
    Instruction::Recv { socket: 0, into: 0 }
}

fn delayed() -> Network {
    Network { delay: true, ..Network::reliable() }
}

/// The findings on a sender and a receiver; the engine finds the same, in every combination of switches.
fn found(sends: &[Instruction], receives: &[Instruction], network: Network) -> Findings {
    let process = |script: &[Instruction]| Process {
        registers: 2,
        sockets: 1,
        tasks: vec![script.to_vec()],
        ..Process::default()
    };
    let system = System { processes: vec![process(sends), process(receives)], network };
    let (findings, _) = naive::explore(&system, Limits::of(10_000)).expect("a small system");
    for seed in 0..20 {
        let difference = switches::disagreement(&system, &findings, seed, &mut LeftOut::default());
        assert_eq!(difference, None, "{system}");
    }
    findings
}

/// The outputs of the receiver.
fn received(sends: &[Instruction], receives: &[Instruction], network: Network) -> BTreeSet<String> {
    found(sends, receives, network).outputs[1].clone()
}

fn each(registers: &[[u8; 2]]) -> BTreeSet<String> {
    registers.iter().map(|registers| format!("{registers:?}")).collect()
}

const SENDS_AT_ONCE: [Instruction; 2] =
    [BIND, Instruction::Send { socket: 0, to: 1, port: 4000, value: Value::Constant(7) }];

#[test]
fn a_datagram_that_is_sent_before_its_port_is_bound_may_arrive_with_delay() {
    let receives = [sleep(10), BIND, receive(40, 0)];
    assert_eq!(received(&SENDS_AT_ONCE, &receives, delayed()), each(&[[7, 0], [ELAPSED, 0]]));
    assert_eq!(received(&SENDS_AT_ONCE, &receives, Network::reliable()), each(&[[ELAPSED, 0]]));
}

#[test]
fn a_datagram_that_is_sent_before_its_socket_is_dropped_may_reach_the_next_one_with_delay() {
    let sends = [BIND, sleep(10), send(7)];
    let receives = [BIND, sleep(20), DROP, sleep(20), BIND, receive(20, 0)];
    assert_eq!(received(&sends, &receives, delayed()), each(&[[7, 0], [ELAPSED, 0]]));
    assert_eq!(received(&sends, &receives, Network::reliable()), each(&[[ELAPSED, 0]]));
}

#[test]
fn of_a_datagram_that_comes_twice_each_copy_may_reach_a_socket_of_its_own_with_delay() {
    let sends = [BIND, sleep(10), send(7)];
    let receives = [BIND, receive(40, 0), DROP, sleep(20), BIND, receive(20, 1)];
    let twice = |network| Network { copies: vec![2], ..network };
    let all = each(&[[7, 7], [7, ELAPSED], [ELAPSED, 7], [ELAPSED, ELAPSED]]);
    assert_eq!(received(&sends, &receives, twice(delayed())), all);
    assert_eq!(received(&sends, &receives, twice(Network::reliable())), each(&[[7, ELAPSED]]));
}

/// Whoever waits without a time-out waits for ever only if the datagram was dropped.
#[test]
fn a_datagram_that_arrives_where_nobody_is_bound_is_dropped_without_a_fault() {
    let network = Network { copies: vec![1, 0], at_most: Some(0), ..delayed() };
    let late = [sleep(10), BIND, receive_at_last()];
    assert!(found(&SENDS_AT_ONCE, &late, network.clone()).deadlock);
    let in_time = [BIND, receive_at_last()];
    let sends = [BIND, sleep(10), send(7)];
    assert!(!found(&sends, &in_time, network.clone()).deadlock);

    // The one fault that there may be is left for the other one.
    let one_fault = Network { at_most: Some(1), ..network.clone() };
    let both = [BIND, send(1), sleep(20), send(2)];
    let receives_one = [sleep(10), BIND, receive_at_last()];
    assert!(found(&both, &receives_one, one_fault).deadlock);
    assert!(!found(&both, &receives_one, network).deadlock);
}

#[test]
fn with_delay_datagrams_arrive_in_order_whether_somebody_is_bound_or_not() {
    let sends = [BIND, send(1), send(2)];
    let receives = [sleep(10), BIND, receive(20, 0), receive(20, 1)];
    let all = each(&[[1, 2], [1, ELAPSED], [2, ELAPSED], [ELAPSED, 1], [ELAPSED, 2], [ELAPSED, ELAPSED]]);
    assert_eq!(received(&sends, &receives, delayed()), all);
    let reordering = Network { window: 2, ..delayed() };
    let swapped: BTreeSet<String> = all.union(&each(&[[2, 1]])).cloned().collect();
    assert_eq!(received(&sends, &receives, reordering), swapped);
}

/// The socket hears somebody else when the datagram arrives, or only later.
#[test]
fn with_delay_the_peer_of_a_socket_decides_when_a_datagram_arrives() {
    let sends = [BIND, sleep(10), send(7)];
    let hears_itself = Instruction::Everyday(Everyday::Connect { socket: 0, to: 1, port: 4000 });
    let receives = [BIND, sleep(20), hears_itself, receive(20, 0)];
    assert_eq!(received(&sends, &receives, delayed()), each(&[[7, 0], [ELAPSED, 0]]));
    assert_eq!(received(&sends, &receives, Network::reliable()), each(&[[7, 0]]));
}

#[test]
fn with_delay_what_is_under_way_to_a_process_that_ends_is_dropped() {
    let findings = found(&SENDS_AT_ONCE, &[], delayed());
    assert!(!findings.deadlock);
    assert_eq!(findings.terminals.len(), 1);
}
