//! Random small systems: the engine, in every configuration, agrees with an explorer that shares no code with it.
//!
//! - `NETCHECK_AGREEMENT_SEED=17` checks that system only, and prints it.
//! - `NETCHECK_AGREEMENT_SEEDS=5000..9000` checks these instead.
#![allow(clippy::duplicate_mod, reason = "what tasks share is compiled against tokio's types and the tracked ones")]

#[path = "agreement/captured.rs"]
mod captured;
#[path = "agreement/connections.rs"]
mod connections;
#[path = "agreement/engine.rs"]
mod engine;
#[path = "agreement/everyday.rs"]
mod everyday;
#[path = "agreement/families.rs"]
mod families;
#[path = "agreement/generate.rs"]
mod generate;
#[path = "agreement/interpret.rs"]
mod interpret;
#[path = "agreement/naive.rs"]
mod naive;
#[path = "agreement/objects.rs"]
mod objects;
#[path = "agreement/plain.rs"]
mod plain;
#[path = "agreement/program.rs"]
mod program;
#[path = "agreement/propagation.rs"]
mod propagation;
#[path = "agreement/spins.rs"]
mod spins;
#[path = "agreement/streams.rs"]
mod streams;
#[path = "agreement/switches.rs"]
mod switches;
#[path = "agreement/symmetry.rs"]
mod symmetry;
#[path = "agreement/tracked.rs"]
mod tracked;

use std::collections::BTreeSet;
use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use captured::Merges;
use generate::{Size, Words};
use naive::Limits;
use program::{ELAPSED, Instruction, Network, Process, System, Value};
use switches::LeftOut;
use symmetry::Symmetries;

#[test]
fn two_thousand_random_systems_agree_with_the_naive_explorer() {
    let figures = agree(0..2_300, Size::Small, Words::Plain, Limits { executions_max: 10_000, remember: false });
    if let Some(figures) = figures {
        assert!(figures.systems >= 2_000, "too many were discarded");
        assert!(figures.subsumed >= 500, "too little is left out to show that it may be");
    }
}

#[test]
fn larger_random_systems_agree_with_the_naive_explorer() {
    agree(1_000_000..1_000_600, Size::Large, Words::All, Limits::of(10_000));
}

#[test]
fn random_systems_that_select_abort_and_lock_agree_with_the_naive_explorer() {
    agree(2_000_000..2_001_200, Size::Small, Words::All, Limits::of(10_000));
}

#[test]
fn random_systems_with_streams_agree_with_the_naive_explorer() {
    let limits = Limits::of(10_000);
    if let Some(figures) = agree(3_000_000..3_000_900, Size::Small, Words::Streams, limits) {
        assert!(figures.systems >= 890, "too many were discarded");
        assert!(figures.failed >= 300 && figures.read >= 400, "too little happens");
    }
}

#[test]
fn larger_random_systems_with_streams_agree_with_the_naive_explorer() {
    agree(4_000_000..4_000_120, Size::Large, Words::Streams, Limits::of(10_000));
}

/// Without `delay`: see `exchange::network`.
#[test]
fn random_systems_with_datagrams_and_streams_agree_with_the_naive_explorer() {
    agree(5_000_000..5_000_250, Size::Small, Words::Mixed, Limits::of(10_000));
}

#[test]
fn random_systems_of_tracked_tasks_agree_with_the_naive_explorer() {
    let limits = Limits::of(3_000);
    if let Some(figures) = agree(9_000_000..9_000_400, Size::Small, Words::Tracked, limits) {
        assert!(figures.systems >= 380, "too many were discarded");
        assert!(figures.pruned >= 1_000, "too little is left out to show that it may be");
    }
}

#[test]
fn random_systems_of_one_task_each_agree_with_the_naive_explorer_with_captured_loops() {
    let limits = Limits::of(3_000);
    if let Some(figures) = agree(6_000_000..6_000_300, Size::Small, Words::Single, limits) {
        assert!(figures.systems >= 280, "too many were discarded");
        assert!(figures.merges.merged >= 50, "too few local states are one");
    }
}

#[test]
fn random_systems_with_endless_loops_agree_with_the_naive_explorer() {
    let limits = Limits::of(1_000);
    if let Some(figures) = agree(7_000_000..7_000_300, Size::Small, Words::Loops, limits) {
        let merges = figures.merges;
        assert!(figures.systems >= 200, "too many were discarded");
        assert!(figures.endless >= 100 && merges.closed >= 500, "too few come back to where they were");
        assert!(merges.merged >= 100, "too few local states are one");
        assert!(figures.panics >= 30 && figures.deadlocks >= 20, "too little goes wrong");
    }
}

/// Where packets may be lost and overtake each other, and are not counted, states are left out that others cover: of two
/// packets at a time, three, or any number.
fn with_loss_and_reordering(seed: u64, network: &mut Network) {
    network.window = [2, 3, usize::MAX][seed as usize % 3];
    network.at_most = None;
    if !network.copies.contains(&0) {
        network.copies.push(0);
    }
}

#[test]
fn random_systems_with_loss_and_reordering_agree_with_the_naive_explorer() {
    let limits = Limits::of(10_000);
    let seeds = 10_000_000..10_000_600;
    if let Some(figures) = agree_where(seeds, Size::Small, Words::All, limits, with_loss_and_reordering) {
        assert!(figures.systems >= 580, "too many were discarded");
        assert!(figures.subsumed >= 1_000, "too little is left out to show that it may be");
        assert!(figures.panics >= 30 && figures.deadlocks >= 60, "too little goes wrong");
    }
}

#[test]
fn larger_random_systems_with_loss_and_reordering_agree_with_the_naive_explorer() {
    let limits = Limits::of(10_000);
    let seeds = 11_000_000..11_000_100;
    if let Some(figures) = agree_where(seeds, Size::Large, Words::All, limits, with_loss_and_reordering) {
        assert!(figures.systems >= 80, "too many were discarded");
        assert!(figures.subsumed >= 1_000, "too little is left out to show that it may be");
    }
}

#[test]
fn random_systems_with_endless_loops_loss_and_reordering_agree_with_the_naive_explorer() {
    let limits = Limits::of(1_000);
    let seeds = 12_000_000..12_000_200;
    if let Some(figures) = agree_where(seeds, Size::Small, Words::Loops, limits, with_loss_and_reordering) {
        assert!(figures.systems >= 100, "too many were discarded");
        assert!(figures.merges.subsumed >= 1_000, "too little is left out to show that it may be");
        assert!(figures.panics >= 10 && figures.deadlocks >= 10, "too little goes wrong");
    }
}

/// With a budget of one fault less, there is none. (Packets are not doubled here: that a copy does not come is a step
/// only where the budget allows it to come.)
#[test]
fn a_search_by_faults_finds_a_violation_with_the_fewest() {
    let mut found = 0;
    for seed in seeds_asked_for().unwrap_or(8_000_000..8_000_120) {
        let words = if seed % 2 == 0 { Words::All } else { Words::Mixed };
        let mut system = generate::system(seed, Size::Small, words);
        system.network.copies.retain(|&copies| copies < 2);
        if system.network.copies.is_empty() {
            continue;
        }
        for reduction in [true, false] {
            match engine::finds_the_fewest_faults(&system, 3, reduction) {
                Ok(is_found) => found += u64::from(is_found),
                Err(difference) => panic!("seed {seed}, reduction {reduction}:\n{system}\n{difference}"),
            }
        }
    }
    assert!(found >= 40 || seeds_asked_for().is_some(), "{found} are too few to show it");
}

/// Each found by `random_systems_with_endless_loops_…`, and shrunk.
#[test]
fn endless_loops_keep_nobody_from_being_explored_and_time_from_passing() {
    let bind = Instruction::Bind { socket: 0, port: 4000 };
    let send = |to| Instruction::Send { socket: 0, to, port: 4000, value: Value::Constant(1) };
    let forever = |body: &[Instruction]| Instruction::Forever { body: body.to_vec() };
    let recv = Instruction::Recv { socket: 0, into: 0 };
    let in_time = Instruction::RecvTimeout { socket: 0, ms: 10, into: 0 };
    let busy = forever(&[Instruction::Yield]);
    let chooses = forever(&[Instruction::Choose { among: 2, into: 0 }]);
    let systems = [
        // one component comes to its cycle with another one in several states
        vec![vec![bind.clone(), send(1), busy.clone()], vec![bind.clone(), send(0), recv.clone()]],
        // an endless sender runs ahead of somebody whose future is not known yet
        vec![
            vec![bind.clone(), forever(&[send(1), in_time.clone()])],
            vec![bind.clone(), Instruction::Choose { among: 2, into: 0 }, recv.clone()],
        ],
        // nobody's timer fires while somebody is busy for ever
        vec![vec![bind.clone(), in_time.clone()], vec![busy]],
        // it is known that somebody is busy before it is known that others have timers
        vec![vec![bind.clone(), recv, in_time], vec![chooses], vec![bind, send(0)]],
    ];
    for scripts in systems {
        let process =
            |script| Process { daemon: true, registers: 1, sockets: 1, tasks: vec![script], ..Process::default() };
        let processes = scripts.into_iter().map(process).collect();
        let system = System { processes, network: Network::reliable() };
        let limits = Limits::of(1_000);
        let mut figures = Figures::default();
        assert_eq!(compare(&system, limits, Words::Loops, 0, &mut figures), None, "{system}");
        assert_eq!(figures.endless, 1, "{system}");
    }
}

/// Found with loss and reordering, and shrunk: which of the states that cover each other are met depends on the order,
/// and that one which stands for a cycle was left out.
#[test]
fn no_state_that_stands_for_an_endless_loop_is_left_out_as_covered() {
    let bind = |socket, port| Instruction::Bind { socket, port };
    let send = Instruction::Send { socket: 0, to: 1, port: 4001, value: Value::Constant(2) };
    let forever = |instruction| Instruction::Forever { body: vec![instruction] };
    let process =
        |daemon, sockets, script| Process { daemon, registers: 2, sockets, tasks: vec![script], ..Process::default() };
    let sends = process(true, 1, vec![bind(0, 4000), send, forever(Instruction::Sleep { ms: 10 })]);
    let busy = process(false, 2, vec![bind(1, 4001), forever(Instruction::Yield)]);
    let network = Network { copies: vec![1, 0], ..Network::reliable() };
    let system = System { processes: vec![sends, busy, process(false, 0, Vec::new())], network };
    let limits = Limits::of(1_000);
    for seed in 22_000_619..22_000_639 {
        assert_eq!(compare(&system, limits, Words::Loops, seed, &mut Figures::default()), None, "seed {seed}");
    }
}

#[test]
fn a_violation_that_only_a_component_by_itself_comes_to_is_none() {
    let script = vec![
        Instruction::Bind { socket: 0, port: 4000 },
        Instruction::RecvTimeout { socket: 0, ms: 10, into: 0 },
        Instruction::AssertNot { register: 0, value: ELAPSED },
    ];
    let busy = vec![Instruction::Forever { body: vec![Instruction::Yield] }];
    let process =
        |script| Process { daemon: true, registers: 1, sockets: 1, tasks: vec![script], ..Process::default() };
    let system = System { processes: vec![process(script), process(busy)], network: Network::reliable() };
    let limits = Limits::of(1_000);
    assert_eq!(compare(&system, limits, Words::Loops, 0, &mut Figures::default()), None);
}

/// Found by `larger_random_systems_…`, about once in 4,000 systems: with `delay`, time passes for everybody while
/// packets are in flight, so that the timer of a process that has nothing to do with the others is seen by them.
#[test]
fn with_delay_a_timer_expires_with_that_of_an_unrelated_process_and_is_late() {
    let bind = Instruction::Bind { socket: 0, port: 4000 };
    let send = |to| Instruction::Send { socket: 0, to, port: 4000, value: Value::Constant(1) };
    let process = |registers, tasks| Process { daemon: true, registers, sockets: 1, tasks, ..Process::default() };
    let late =
        vec![bind.clone(), Instruction::Spawn { task: 1 }, Instruction::JoinTimeout { task: 1, ms: 20, into: 1 }];
    let joined = vec![Instruction::Recv { socket: 0, into: 0 }, send(1)];
    let sender = vec![bind.clone(), send(0)];
    let unrelated = vec![bind, Instruction::RecvTimeout { socket: 0, ms: 20, into: 0 }];
    let system = System {
        processes: vec![process(2, vec![late, joined]), process(0, vec![sender]), process(1, vec![unrelated])],
        network: Network { delay: true, ..Network::reliable() },
    };
    let limits = Limits::of(1_000_000);
    let (findings, _) = naive::explore(&system, limits).expect("a small system");
    assert!(findings.outputs[0].contains("[1, 255]"), "received, and elapsed before it could be sent on");
    assert_eq!(compare(&system, limits, Words::Plain, 0, &mut Figures::default()), None);
}

/// `cargo test --release --test agreement -- --ignored nightly --test-threads=1`: the families above, with more seeds.
/// Systems that the naive explorer does not come to the end of do not count.
mod nightly {
    use super::*;

    fn ten_thousand_agree(seeds: Range<u64>, size: Size, words: Words, executions_max: u64) {
        if let Some(figures) = agree(seeds, size, words, Limits::of(executions_max)) {
            assert!(figures.systems >= 10_000, "too many were discarded");
        }
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_agree() {
        ten_thousand_agree(0..10_100, Size::Small, Words::Plain, 10_000);
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_larger_random_systems_agree() {
        ten_thousand_agree(1_000_000..1_011_000, Size::Large, Words::All, 10_000);
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_that_select_abort_and_lock_agree() {
        ten_thousand_agree(2_000_000..2_010_100, Size::Small, Words::All, 10_000);
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_with_streams_agree() {
        ten_thousand_agree(3_000_000..3_010_500, Size::Small, Words::Streams, 10_000);
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_larger_random_systems_with_streams_agree() {
        ten_thousand_agree(4_000_000..4_010_400, Size::Large, Words::Streams, 10_000);
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_with_datagrams_and_streams_agree() {
        ten_thousand_agree(5_000_000..5_010_200, Size::Small, Words::Mixed, 10_000);
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_of_one_task_each_agree() {
        ten_thousand_agree(6_000_000..6_010_100, Size::Small, Words::Single, 3_000);
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_of_tracked_tasks_agree() {
        ten_thousand_agree(9_000_000..9_010_300, Size::Small, Words::Tracked, 3_000);
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_with_loss_and_reordering_agree() {
        let limits = Limits::of(10_000);
        let seeds = 10_000_000..10_010_100;
        if let Some(figures) = agree_where(seeds, Size::Small, Words::All, limits, with_loss_and_reordering) {
            assert!(figures.systems >= 10_000, "too many were discarded");
        }
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_with_like_processes_agree() {
        if let Some((systems, _)) = agree_with_symmetry(10_000_000..10_016_500, 3_000, false) {
            assert!(systems >= 10_000, "too many were discarded");
        }
    }

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_with_endless_loops_agree() {
        ten_thousand_agree(7_000_000..7_015_000, Size::Small, Words::Loops, 1_000);
    }
}

/// Of the systems compared.
#[derive(Debug, Default)]
struct Figures {
    systems: u64,
    discarded: u64,
    executions: u64,
    panics: u64,
    deadlocks: u64,
    /// neither a panic nor a deadlock, so that outputs were compared
    clean: u64,
    timeouts: u64,
    /// a state at rest was no deadlock because somebody waits for a client
    suppressed: u64,
    /// an operation on a listener or stream failed as declared
    failed: u64,
    /// something was read from a stream
    read: u64,
    /// states that were left out because a visited one covers them, in all configurations
    subsumed: u64,
    /// moves of tracked tasks, or of others where tasks are tracked, that were left out
    pruned: u64,
    /// executions come back to where they were
    endless: u64,
    merges: Merges,
    left_out: LeftOut,
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Figures) {
        self.systems += other.systems;
        self.discarded += other.discarded;
        self.executions += other.executions;
        self.panics += other.panics;
        self.deadlocks += other.deadlocks;
        self.clean += other.clean;
        self.timeouts += other.timeouts;
        self.suppressed += other.suppressed;
        self.failed += other.failed;
        self.read += other.read;
        self.subsumed += other.subsumed;
        self.pruned += other.pruned;
        self.endless += other.endless;
        self.merges += other.merges;
        self.left_out += other.left_out;
    }
}

/// Compares the systems of all seeds; figures only if all were looked at.
fn agree(seeds: Range<u64>, size: Size, words: Words, limits: Limits) -> Option<Figures> {
    agree_where(seeds, size, words, limits, |_, _| ())
}

/// The same on networks that something else is declared of.
fn agree_where(
    seeds: Range<u64>,
    size: Size,
    words: Words,
    limits: Limits,
    declare: fn(u64, &mut Network),
) -> Option<Figures> {
    let seeds = match seeds_asked_for() {
        Some(asked) => asked,
        None => seeds,
    };
    let is_complete = seeds_asked_for().is_none();
    let is_single = seeds.end - seeds.start == 1;
    let figures = Mutex::new(Figures::default());
    let disagreements = Mutex::new(Vec::new());
    let next = AtomicU64::new(seeds.start);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut own = Figures::default();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let mut system = generate::system(seed, size, words);
                    declare(seed, &mut system.network);
                    if is_single {
                        println!("seed {seed}, {size:?}, {words:?}\n{system}");
                    }
                    if let Some(difference) = compare(&system, limits, words, seed, &mut own) {
                        println!("seed {seed}: {}", difference.lines().next().unwrap_or_default());
                        disagreements.lock().unwrap_or_else(PoisonError::into_inner).push((seed, system, difference));
                    }
                }
                *figures.lock().unwrap_or_else(PoisonError::into_inner) += own;
            });
        }
    });
    let figures = figures.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{size:?}, {words:?}: {figures:?}");
    let mut disagreements = disagreements.into_inner().unwrap_or_else(PoisonError::into_inner);
    disagreements.sort_by_key(|(seed, ..)| *seed);
    if let Some((seed, system, difference)) = disagreements.first() {
        let all: Vec<u64> = disagreements.iter().map(|(seed, ..)| *seed).collect();
        let smallest = generate::shrink(system, |smaller| {
            compare(smaller, limits, words, *seed, &mut Figures::default()).is_some()
        });
        let again = compare(&smallest, limits, words, *seed, &mut Figures::default()).unwrap_or_default();
        panic!(
            "{} disagreements, seeds {all:?} ({size:?}, {words:?})\n\nseed {seed}:\n{system}\n{difference}\n\nshrunk:\n{smallest}\n{again}",
            all.len(),
        );
    }
    is_complete.then_some(figures)
}

fn seeds_asked_for() -> Option<Range<u64>> {
    let number = |text: &str| text.parse::<u64>().expect("seeds are numbers");
    if let Ok(seed) = std::env::var("NETCHECK_AGREEMENT_SEED") {
        let seed = number(&seed);
        return Some(seed..seed + 1);
    }
    let seeds = std::env::var("NETCHECK_AGREEMENT_SEEDS").ok()?;
    let (first, end) = seeds.split_once("..").expect("seeds are first..end");
    Some(number(first)..number(end))
}

/// How the engine disagrees with the naive explorer, if it does. The seed says in which orders it explores.
fn compare(system: &System, limits: Limits, words: Words, seed: u64, figures: &mut Figures) -> Option<String> {
    // arrivals in every order are too many to go through one by one
    let limits = Limits { remember: limits.remember || system.network.delay, ..limits };
    let Some((findings, executions)) = naive::explore(system, limits) else {
        figures.discarded += 1;
        return None;
    };
    figures.systems += 1;
    figures.executions += executions;
    figures.panics += u64::from(!findings.panics.is_empty());
    figures.deadlocks += u64::from(findings.deadlock);
    figures.clean += u64::from(findings.panics.is_empty() && !findings.deadlock);
    figures.timeouts += u64::from(findings.timeout_elapsed);
    figures.suppressed += u64::from(findings.suppressed);
    figures.failed += u64::from(findings.failed);
    figures.read += u64::from(findings.read);
    figures.endless += u64::from(findings.endless);
    match words {
        Words::Tracked => engine::disagreement_of_tracked(system, &findings, seed, &mut figures.pruned),
        Words::Everyday | Words::EverydayStreams | Words::EverydayLike => {
            switches::disagreement(system, &findings, seed, &mut figures.left_out)
        }
        Words::Single | Words::Loops => captured::disagreement(system, &findings, seed, &mut figures.merges),
        _ => engine::disagreement(system, &findings, seed, &mut figures.subsumed),
    }
}

#[test]
fn random_systems_with_like_processes_agree_with_the_naive_explorer_with_symmetry() {
    if let Some((systems, symmetries)) = agree_with_symmetry(10_000_000..10_000_250, 1_000, false) {
        assert!(systems >= 150, "too many were discarded");
        assert!(symmetries.saved >= 100 && symmetries.told_apart >= 100, "too little happens");
    }
}

#[test]
fn random_systems_with_like_processes_and_loops_agree_with_the_naive_explorer_with_symmetry() {
    if let Some((systems, symmetries)) = agree_with_symmetry(11_000_000..11_000_150, 500, true) {
        assert!(systems >= 50, "too many were discarded");
        assert!(symmetries.saved >= 40 && symmetries.endless >= 10, "too little happens");
    }
}

/// Compares systems with like processes; figures only if all were looked at.
fn agree_with_symmetry(seeds: Range<u64>, executions_max: u64, has_loops: bool) -> Option<(u64, Symmetries)> {
    let is_complete = seeds_asked_for().is_none();
    let limits = Limits::of(executions_max);
    let (mut systems, mut symmetries) = (0, Symmetries::default());
    let mut disagreement = |seed, system: &System, symmetries: &mut Symmetries| {
        let (findings, _) = naive::explore(system, limits)?;
        systems += 1;
        match has_loops {
            true => captured::disagreement_with_symmetry(system, &findings, seed, symmetries),
            false => symmetry::disagreement(system, &findings, seed, symmetries),
        }
    };
    let seeds = seeds_asked_for().unwrap_or(seeds);
    let is_single = seeds.end - seeds.start == 1;
    for seed in seeds {
        let system = generate::like_system(seed, has_loops);
        if is_single {
            println!("seed {seed}\n{system}");
        }
        if let Some(difference) = disagreement(seed, &system, &mut symmetries) {
            let mut again = |smaller: &System| disagreement(seed, smaller, &mut Symmetries::default());
            let smallest = generate::shrink(&system, |smaller| again(smaller).is_some());
            let again = again(&smallest).unwrap_or_default();
            panic!("seed {seed}:\n{system}\n{difference}\n\nshrunk:\n{smallest}\n{again}");
        }
    }
    println!("{systems} systems, {symmetries:?}");
    is_complete.then_some((systems, symmetries))
}

#[test]
fn tables_of_error_propagation_agree_with_the_naive_explorer() {
    let mut compared = propagation::Compared::default();
    let seeds = seeds_asked_for().unwrap_or(8_000_000..8_000_800);
    let is_complete = seeds_asked_for().is_none();
    for seed in seeds {
        let words = [Words::Plain, Words::Streams, Words::Mixed, Words::All][seed as usize % 4];
        let system = generate::system(seed, Size::Small, words);
        if let Some(difference) = propagation::disagreement(&system, &mut compared) {
            let fails = |smaller: &System| propagation::disagreement(smaller, &mut Default::default()).is_some();
            let smallest = generate::shrink(&system, fails);
            let again = propagation::disagreement(&smallest, &mut Default::default()).unwrap_or_default();
            panic!("seed {seed}:\n{system}\n{difference}\n\nshrunk:\n{smallest}\n{again}");
        }
    }
    println!("{compared:?}");
    assert!(!is_complete || compared.is_enough(), "too little happens: {compared:?}");
}

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
        assert!(registers[end..].iter().all(|&register| register == ELAPSED), "late packets in {registers:?}");
        registers[..end].to_vec()
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
    let mut compared = [0; 4];
    for seed in 0..400 {
        let kind = seed as usize % compared.len();
        let words = [Words::Plain, Words::All, Words::Single, Words::Loops][kind];
        let system = generate::system(seed, Size::Small, words);
        // An execution of a loop that ends is long, and so is one with arrivals.
        let executions_max = if words == Words::Loops || system.network.delay { 500 } else { 10_000 };
        let remembering = Limits::of(executions_max);
        let Some((cut, executions)) = naive::explore(&system, remembering) else { continue };
        let limits = Limits { executions_max, remember: false };
        if cut.endless {
            continue;
        }
        let Some((every, all)) = naive::explore(&system, limits) else { continue };
        assert_eq!(cut, every, "seed {seed}\n{system}");
        assert!(executions <= all, "seed {seed}\n{system}");
        compared[kind] += 1;
    }
    assert!(compared.iter().all(|&compared| compared >= 20), "{compared:?}");
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
