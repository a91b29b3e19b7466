//! Random small systems: the engine, in every configuration, agrees with an explorer that shares no code with it.
//!
//! - `NETCHECK_AGREEMENT_SEED=17` checks that system only, and prints it.
//! - `NETCHECK_AGREEMENT_SEEDS=5000..9000` checks these instead.

/// Sums of figures: each field of a struct is added, and none is forgotten.
macro_rules! add_fields {
    ($figures:ident { $($field:ident),* $(,)? }) => {
        impl std::ops::AddAssign for $figures {
            fn add_assign(&mut self, other: $figures) {
                let $figures { $($field),* } = other;
                $(self.$field += $field;)*
            }
        }
    };
}

mod arrivals;
mod captured;
mod crashes;
mod endless;
mod engine;
mod families;
mod liveness;
mod named;
mod partitions;
mod propagation;
mod simulated;
mod switches;
mod symmetry;
mod turns;
mod unread;
mod watched;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use captured::Merges;
use endless::Endless;
use liveness::Liveness;
use oracle::generate::{self, Size, Words};
use oracle::language::program::{Network, System};
use oracle::naive::{self, Findings, Limits};
use propagation::Compared;
use switches::LeftOut;
use symmetry::Symmetries;
use turns::Bounded;
use unread::Unread;
use watched::Watches;

/// Counts of the systems compared.
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
    /// a power failure has taken files that were seen
    lost: u64,
    /// an operation on a listener or stream failed as declared
    failed: u64,
    /// a host gave up a connection or a connect
    given_up: u64,
    /// something was read from a stream
    read: u64,
    /// a receive that does not wait was given something
    found: u64,
    /// one found nothing
    found_nothing: u64,
    /// states that were left out because a visited one covers them, in all configurations
    subsumed: u64,
    /// moves of tracked tasks, or of others where tasks are tracked, that were left out
    pruned: u64,
    /// executions come back to where they were
    endless: u64,
    /// datagrams arrived at nobody, or at a socket that was not there when they were sent
    dropped: u64,
    overdue: u64,
    merges: Merges,
    left_out: LeftOut,
    symmetries: Symmetries,
    propagated: Compared,
    watched: Watches,
    loops: Endless,
    liveness: Liveness,
    /// a violation was found with the fewest faults
    fewest: u64,
    bounded: Bounded,
    unread: Unread,
}

impl Figures {
    /// The findings of the naive explorer, unless there are too many executions; the system counts.
    fn explored(&mut self, system: &System, limits: Limits) -> Option<Findings> {
        let Some((findings, executions)) = naive::explore(system, limits) else {
            self.discarded += 1;
            return None;
        };
        self.count(&findings);
        self.executions += executions;
        Some(findings)
    }

    /// Counts a system.
    fn count(&mut self, findings: &Findings) {
        self.systems += 1;
        self.panics += u64::from(!findings.panics.is_empty());
        self.deadlocks += u64::from(findings.deadlock);
        self.clean += u64::from(findings.panics.is_empty() && !findings.deadlock);
        self.timeouts += u64::from(findings.timeout_elapsed);
        self.suppressed += u64::from(findings.suppressed);
        self.lost += u64::from(findings.lost);
        self.failed += u64::from(findings.failed);
        self.given_up += u64::from(findings.given_up);
        self.read += u64::from(findings.read);
        self.found += u64::from(findings.found);
        self.found_nothing += u64::from(findings.found_nothing);
        self.endless += u64::from(findings.endless);
        self.dropped += u64::from(findings.dropped);
        self.overdue += u64::from(findings.overdue);
    }
}

add_fields!(Figures {
    systems,
    discarded,
    executions,
    panics,
    deadlocks,
    clean,
    timeouts,
    suppressed,
    lost,
    failed,
    given_up,
    read,
    found,
    found_nothing,
    subsumed,
    pruned,
    endless,
    dropped,
    overdue,
    merges,
    left_out,
    symmetries,
    propagated,
    watched,
    loops,
    liveness,
    fewest,
    bounded,
    unread
});

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
    let generate = |seed| {
        let mut system = generate::system(seed, size, words);
        declare(seed, &mut system.network);
        system
    };
    agree_by(seeds, generate, |seed, system, figures| compare(system, limits, words, seed, figures))
}

/// Compares the systems of all seeds that `generate` makes; figures only if all were looked at. `disagreement` says how a
/// system is judged in two ways, if it is.
fn agree_by(
    seeds: Range<u64>,
    generate: impl Fn(u64) -> System + Sync,
    disagreement: impl Fn(u64, &System, &mut Figures) -> Option<String> + Sync,
) -> Option<Figures> {
    let is_complete = seeds_asked_for().is_none();
    let seeds = seeds_asked_for().unwrap_or(seeds);
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
                    let system = generate(seed);
                    if is_single {
                        println!("seed {seed}\n{system}");
                    }
                    if let Some(difference) = disagreement(seed, &system, &mut own) {
                        println!("seed {seed}:\n{system}\n{difference}");
                        disagreements.lock().unwrap_or_else(PoisonError::into_inner).push((seed, system, difference));
                    }
                }
                *figures.lock().unwrap_or_else(PoisonError::into_inner) += own;
            });
        }
    });
    let figures = figures.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{figures:?}");
    let mut disagreements = disagreements.into_inner().unwrap_or_else(PoisonError::into_inner);
    disagreements.sort_by_key(|(seed, ..)| *seed);
    if let Some((seed, system, difference)) = disagreements.first() {
        let all: Vec<u64> = disagreements.iter().map(|(seed, ..)| *seed).collect();
        let again = |system: &System| disagreement(*seed, system, &mut Figures::default());
        let smallest = generate::shrink(system, |smaller| again(smaller).is_some());
        let again = again(&smallest).unwrap_or_default();
        panic!(
            "{} disagreements, seeds {all:?}\n\nseed {seed}:\n{system}\n{difference}\n\nshrunk:\n{smallest}\n{again}",
            all.len(),
        );
    }
    is_complete.then_some(figures)
}

fn seeds_asked_for() -> Option<Range<u64>> {
    random::seeds_asked_for("AGREEMENT")
}

/// How the engine disagrees with the naive explorer, if it does. The seed says in which orders it explores.
fn compare(system: &System, limits: Limits, words: Words, seed: u64, figures: &mut Figures) -> Option<String> {
    // arrivals in every order are too many to go through one by one
    let limits = Limits { remember: limits.remember || system.network.delay, ..limits };
    let findings = figures.explored(system, limits)?;
    match words {
        Words::Tracked => engine::disagreement_of_tracked(system, &findings, seed, &mut figures.pruned),
        Words::Everyday | Words::EverydayDelay | Words::EverydayStreams | Words::EverydayLike => {
            switches::disagreement(system, &findings, seed, &mut figures.left_out)
        }
        Words::Single | Words::Loops => captured::disagreement(system, (&findings, limits), seed, &mut figures.merges),
        _ => engine::disagreement(system, &findings, seed, &mut figures.subsumed),
    }
}
