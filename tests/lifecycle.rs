//! Random small systems with isolated tasks: the engine, in every configuration, agrees with an explorer that shares no
//! code with it.
//!
//! - `NETCHECK_LIFECYCLE_SEED=17` checks that system only, and prints it.
//! - `NETCHECK_LIFECYCLE_SEEDS=5000..9000` checks these instead.
//! - `NETCHECK_LIFECYCLE_EACH=1` shrinks and prints each disagreement, not only the first.
//! - `NETCHECK_LIFECYCLE_WITHOUT=daemons,tracked` leaves these out, to see what else there is.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the interpreter is for")]

#[path = "lifecycle/checked.rs"]
mod checked;
#[path = "lifecycle/engine.rs"]
mod engine;
#[path = "lifecycle/generate.rs"]
mod generate;
#[path = "lifecycle/known.rs"]
mod known;
#[path = "lifecycle/naive.rs"]
mod naive;
#[path = "lifecycle/program.rs"]
mod program;
#[path = "lifecycle/real.rs"]
mod real;
#[path = "lifecycle/shrink.rs"]
mod shrink;

use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Configuration, Difference};
use generate::Words;
use naive::{Findings, Reading};
use program::{Shared, System};

/// Larger systems are left out.
const STATES_MAX: usize = 1_200;

#[test]
fn random_systems_with_isolated_tasks_agree_with_the_naive_explorer() {
    if let Some(figures) = agree(0..120) {
        assert!(figures.systems >= 100, "too many were discarded");
        assert!(figures.panics >= 15 && figures.deadlocks >= 10 && figures.clean >= 35, "too little goes wrong");
        assert!(figures.ended >= 35 && figures.dropped >= 15, "too few isolated tasks end");
        assert!(figures.arrived >= 10 && figures.elapsed >= 35 && figures.scopes >= 15, "too little happens");
        assert!(figures.regions >= 15, "too few regions are entered");
    }
}

/// `cargo test --release --test lifecycle -- --ignored nightly`: more seeds. Systems that the naive explorer does not come
/// to the end of do not count.
mod nightly {
    use super::*;

    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn ten_thousand_random_systems_with_isolated_tasks_agree() {
        if let Some(figures) = agree(1_000_000..1_012_000) {
            assert!(figures.systems >= 10_000, "too many were discarded");
        }
    }
}

/// Counts of the systems compared.
#[derive(Debug, Default)]
struct Figures {
    systems: u64,
    discarded: u64,
    states: u64,
    panics: u64,
    deadlocks: u64,
    /// neither a panic nor a deadlock, so that outputs were compared
    clean: u64,
    /// in some execution an isolated task ended by itself
    ended: u64,
    /// … or was dropped before
    dropped: u64,
    /// … or a datagram arrived
    arrived: u64,
    /// … or a time-out was over
    elapsed: u64,
    /// … or a `faults::scope` was entered
    scopes: u64,
    /// … or a `faults::with` was entered
    regions: u64,
    /// … or an isolated task left an ordinary one behind
    left_behind: u64,
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Figures) {
        self.systems += other.systems;
        self.discarded += other.discarded;
        self.states += other.states;
        self.panics += other.panics;
        self.deadlocks += other.deadlocks;
        self.clean += other.clean;
        self.ended += other.ended;
        self.dropped += other.dropped;
        self.arrived += other.arrived;
        self.elapsed += other.elapsed;
        self.scopes += other.scopes;
        self.regions += other.regions;
        self.left_behind += other.left_behind;
    }
}

impl Figures {
    fn count(&mut self, findings: &Findings, states: usize) {
        let Findings { panics, deadlock, met, .. } = findings;
        self.systems += 1;
        self.states += states as u64;
        self.panics += u64::from(!panics.is_empty());
        self.deadlocks += u64::from(*deadlock);
        self.clean += u64::from(findings.is_clean());
        self.ended += u64::from(met.ended);
        self.dropped += u64::from(met.dropped);
        self.arrived += u64::from(met.arrived);
        self.elapsed += u64::from(met.elapsed);
        self.scopes += u64::from(met.scope);
        self.regions += u64::from(met.region);
        self.left_behind += u64::from(met.left_behind);
    }
}

/// Compares the systems of all seeds; figures only if all were looked at.
fn agree(seeds: Range<u64>) -> Option<Figures> {
    let asked = seeds_asked_for();
    let is_complete = asked.is_none();
    let seeds = asked.unwrap_or(seeds);
    let is_single = seeds.end - seeds.start == 1;
    let figures = Mutex::new(Figures::default());
    let disagreements = Mutex::new(Vec::new());
    let next = AtomicU64::new(seeds.start);
    let look = || {
        let mut own = Figures::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            let mut system = generate::system(seed, Words::All);
            if is_without("daemons") {
                system.processes.iter_mut().for_each(|process| process.daemon = false);
            }
            if is_single {
                println!("seed {seed}\n{system}");
            }
            let Some((findings, states)) = naive::explore(&system, STATES_MAX, Reading::ENGINE) else {
                own.discarded += 1;
                continue;
            };
            own.count(&findings, states);
            let mut configurations = engine::configurations(seed);
            if is_without("tracked") {
                configurations.retain(|configuration| !configuration.tracked);
            }
            let differences = engine::differences(&system, &findings, &configurations);
            if let Some(difference) = differences.into_iter().next() {
                disagreements.lock().unwrap_or_else(PoisonError::into_inner).push((seed, system, difference));
            }
        }
        *figures.lock().unwrap_or_else(PoisonError::into_inner) += own;
    };
    std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(look)));
    let figures = figures.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{figures:?}");
    let mut disagreements = disagreements.into_inner().unwrap_or_else(PoisonError::into_inner);
    disagreements.sort_by_key(|(seed, ..)| *seed);
    if !disagreements.is_empty() {
        let all: Vec<u64> = disagreements.iter().map(|(seed, ..)| *seed).collect();
        let count = if std::env::var_os("NETCHECK_LIFECYCLE_EACH").is_some() { all.len() } else { 1 };
        disagreements.iter().take(count).for_each(|(seed, system, difference)| show(*seed, system, difference));
        panic!("{} disagreements, seeds {all:?}", all.len());
    }
    is_complete.then_some(figures)
}

/// Prints the smallest system that shows a disagreement in the same configuration.
fn show(seed: u64, system: &System, difference: &Difference) {
    let smallest = shrink::shrink(system, |smaller| disagreement(smaller, difference.configuration).is_some());
    let again = disagreement(&smallest, difference.configuration).map(|again| again.to_string()).unwrap_or_default();
    println!("seed {seed}:\n{system}\n{difference}\n\nseed {seed} shrunk:\n{smallest}{again}\n");
}

/// How the engine disagrees with the naive explorer in one configuration.
fn disagreement(system: &System, configuration: Configuration) -> Option<Difference> {
    let (findings, _) = naive::explore(system, STATES_MAX, Reading::ENGINE)?;
    engine::differences(system, &findings, &[configuration]).pop()
}

fn is_without(what: &str) -> bool {
    std::env::var("NETCHECK_LIFECYCLE_WITHOUT").is_ok_and(|all| all.split(',').any(|one| one == what))
}

fn seeds_asked_for() -> Option<Range<u64>> {
    random::seeds_asked_for("LIFECYCLE")
}

/// The output of the first process on tokio, in virtual time.
fn observed(system: &Shared) -> String {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().expect("a runtime");
    format!("{:?}", runtime.block_on(real::interpret::root(system.clone(), 0)))
}

/// The oracle's own oracle.
#[test]
fn what_tokio_does_is_among_what_the_naive_explorer_finds() {
    let mut seen = 0;
    for seed in seeds_asked_for().unwrap_or(0..600) {
        let system = generate::system(seed, Words::Alone);
        let Some((findings, _)) = naive::explore(&system, STATES_MAX, Reading::TOKIO) else { continue };
        let shared = Shared(Arc::new(system));
        for _ in 0..12 {
            let (output, found) = (observed(&shared), &findings.outputs[0]);
            assert!(found.contains(&output), "seed {seed}: tokio ends with {output}, not in {found:?}\n{}", shared.0);
            seen += 1;
        }
    }
    assert!(seeds_asked_for().is_some() || seen >= 5_000, "{seen} runs are too few");
}
