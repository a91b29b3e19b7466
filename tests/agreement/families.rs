//! The families of systems that use what most programs use.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::everyday::Everyday;
use crate::generate::{Size, Words};
use crate::naive::{self, Limits};
use crate::program::{Instruction, Network, Process, System, Value};
use crate::spins;
use crate::switches::{self, LeftOut};
use crate::{Figures, agree};

const LIMITS: Limits = Limits::of(5_000);

/// Copies of processes make executions of systems that are small without them.
const LIKE_LIMITS: Limits = Limits::of(1_000);

fn agree_on(seeds: Range<u64>, words: Words) -> Option<Figures> {
    let limits = if words == Words::EverydayLike { LIKE_LIMITS } else { LIMITS };
    agree(seeds, Size::Small, words, limits)
}

#[test]
fn random_systems_of_everyday_programs_agree_with_the_naive_explorer() {
    if let Some(figures) = agree_on(13_000_000..13_000_300, Words::Everyday) {
        assert!(figures.systems >= 280, "too many were discarded");
        assert!(figures.panics >= 20 && figures.deadlocks >= 20 && figures.clean >= 50, "too little happens");
        assert!(figures.left_out.tracked >= 100, "too little is left out to show that it may be");
    }
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn ten_thousand_random_systems_of_everyday_programs_agree_nightly() {
    if let Some(figures) = agree_on(13_000_000..13_010_600, Words::Everyday) {
        assert!(figures.systems >= 10_000, "too many were discarded");
    }
}

#[test]
fn random_systems_of_everyday_programs_with_streams_agree_with_the_naive_explorer() {
    if let Some(figures) = agree_on(14_000_000..14_000_250, Words::EverydayStreams) {
        assert!(figures.systems >= 240, "too many were discarded");
        assert!(figures.failed >= 60 && figures.read >= 100 && figures.clean >= 50, "too little happens");
    }
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn ten_thousand_random_systems_of_everyday_programs_with_streams_agree_nightly() {
    if let Some(figures) = agree_on(14_000_000..14_010_800, Words::EverydayStreams) {
        assert!(figures.systems >= 10_000, "too many were discarded");
    }
}

#[test]
fn random_systems_of_everyday_programs_with_like_processes_agree_with_the_naive_explorer() {
    if let Some(figures) = agree_on(15_000_000..15_000_130, Words::EverydayLike) {
        assert!(figures.systems >= 70, "too many were discarded");
        assert!(figures.left_out.symmetric >= 40, "too few are alike");
    }
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn ten_thousand_random_systems_of_everyday_programs_with_like_processes_agree_nightly() {
    if let Some(figures) = agree_on(15_000_000..15_018_000, Words::EverydayLike) {
        assert!(figures.systems >= 10_000, "too many were discarded");
    }
}

/// In every combination of switches.
fn disagreement(system: &System) -> Option<String> {
    let (findings, _) = naive::explore(system, LIMITS).expect("a small system");
    (0..40).find_map(|seed| switches::disagreement(system, &findings, seed, &mut LeftOut::default()))
}

fn process(daemon: bool, script: &[Instruction]) -> Process {
    Process { daemon, registers: 2, sockets: 2, tasks: vec![script.to_vec()], ..Process::default() }
}

const BIND: Instruction = Instruction::Bind { socket: 0, port: 4000 };
const BIND_ANY: Instruction = Instruction::Everyday(Everyday::BindAny { socket: 0 });
const DROP: Instruction = Instruction::Everyday(Everyday::DropSocket { socket: 0 });
const RECV: Instruction = Instruction::Recv { socket: 0, into: 0 };

fn send(to: usize, value: u8) -> Instruction {
    Instruction::Send { socket: 0, to, port: 4000, value: Value::Constant(value) }
}

/// A socket takes the smallest number that is free, and what is sent with it comes on the channel of that number: after
/// what the socket that had it before sent.
#[test]
fn a_socket_that_is_bound_again_has_the_channel_of_the_one_before() {
    let sends = [BIND, Instruction::Sleep { ms: 10 }, send(1, 1), DROP, BIND, send(1, 2)];
    let receives = [BIND, RECV, Instruction::Recv { socket: 0, into: 1 }];
    let processes = vec![process(true, &sends), process(false, &receives)];
    let system = System { processes, network: Network::reliable() };
    let (findings, _) = naive::explore(&system, LIMITS).expect("a small system");
    assert_eq!(findings.outputs[1], BTreeSet::from(["[1, 2]".to_owned()]));
    assert_eq!(disagreement(&system), None);
}

/// The server answers the first socket when it has heard of the second one, which has the number of the first one, and
/// so its port: it gets the answer.
#[test]
fn an_ephemeral_port_is_given_to_the_next_socket() {
    let patient = Instruction::RecvTimeout { socket: 0, ms: 10, into: 0 };
    let asks = [BIND_ANY, Instruction::Sleep { ms: 10 }, send(1, 1), DROP, BIND_ANY, send(1, 2), patient];
    let hears = Instruction::Everyday(Everyday::RecvOn { socket: 0, limit_ms: None, into: 1 });
    let answers = [BIND, RECV, hears, Instruction::Reply { socket: 0, value: Value::Constant(3) }];
    let processes = vec![process(false, &asks), process(true, &answers)];
    let system = System { processes, network: Network::reliable() };
    let (findings, _) = naive::explore(&system, LIMITS).expect("a small system");
    assert_eq!(findings.outputs[0], BTreeSet::from(["[3, 0]".to_owned()]));
    assert_eq!(disagreement(&system), None);
}

/// The process gives a tick up and sleeps; another one has nothing to do with it.
#[test]
fn a_tick_that_a_timeout_gave_up_stops_nobody() {
    let every = Instruction::Everyday(Everyday::Every { ms: 30 });
    let tick = |limit_ms| Instruction::Everyday(Everyday::Tick { limit_ms, into: 0 });
    let ticks = [every, tick(None), tick(Some(10)), Instruction::Sleep { ms: 30 }];
    for daemon in [true, false] {
        for others in [0, 1] {
            let mut processes = vec![process(daemon, &ticks)];
            processes.extend((0..others).map(|_| process(true, &[Instruction::Sleep { ms: 30 }])));
            let system = System { processes, network: Network::reliable() };
            let (findings, _) = naive::explore(&system, LIMITS).expect("a small system");
            for seed in 0..10 {
                let found = switches::disagreement(&system, &findings, seed, &mut LeftOut::default());
                assert_eq!(found, None, "{system}");
            }
        }
    }
}

/// Found by `random_systems_with_endless_loops_…` (seed 7020199), and shrunk: the second process spins once its
/// time-out elapses, but no time passes before the first one panics.
#[test]
fn a_poll_that_does_not_return_is_no_difference_where_only_a_reduced_search_comes_to_it() {
    let asserts = Instruction::AssertNot { register: 1, value: 0 };
    let patient = Instruction::RecvTimeout { socket: 0, ms: 10, into: 0 };
    let system = |last: &[Instruction]| {
        let spins = [&[BIND, Instruction::Sleep { ms: 10 }, send(0, 3), patient.clone()], last].concat();
        let panics = process(true, &[BIND, Instruction::Sleep { ms: 10 }, asserts.clone()]);
        System { processes: vec![panics, process(true, &spins)], network: Network::reliable() }
    };
    let diagnostic = |name| format!("a poll of process {name:?} has not returned for 10 s, before its first operation");
    let is_right = |system: &System, name, reduction| {
        let (findings, _) = naive::explore(system, LIMITS).expect("nobody comes to where it spins");
        spins::is_right(&diagnostic(name), system, &findings, reduction)
    };
    let spinning = system(&[Instruction::Forever { body: Vec::new() }]);
    assert!(is_right(&spinning, "p1", true));
    assert!(!is_right(&spinning, "p1", false), "every step of the whole system is explored");
    assert!(!is_right(&spinning, "p0", true), "it is the other one that spins");
    let waiting = system(&[Instruction::Forever { body: vec![RECV] }]);
    assert!(!is_right(&waiting, "p1", true), "nobody spins");
}
