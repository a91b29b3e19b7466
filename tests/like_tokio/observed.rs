//! Runs of real tokio are among those that a check explores, for random programs of one process.
//!
//! A program is data, and its interpreter is compiled twice, against tokio and against netcheck. It is run many
//! times by tokio, whose `select!` begins with a random branch, in virtual time; each trace that is seen has to be
//! among the outputs of the check.
//!
//! - `NETCHECK_OBSERVED_SEED=17` runs that program only, and prints it.
//! - `NETCHECK_OBSERVED_SEEDS=5000..9000` runs these instead.
//! - `NETCHECK_OBSERVED_RUNS=20000` runs each program so often on tokio. What is rare is seen only then: the seeds below
//!   were run that often, so that they do not fail one day by chance.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the interpreter is for")]

mod checked;
pub(crate) mod generate;
mod program;
mod races;
mod real;
mod shrink;

use netcheck::check::{Checker, Tasks, Verdict};
use program::Block;
use std::collections::BTreeSet;
use std::ops::Range;

/// A check that would take longer is left out.
const STATES_MAX: usize = 3_000;

/// Runs of each program by tokio.
const RUNS: usize = 50;

type Traces = BTreeSet<String>;

/// The traces of so many runs by tokio.
fn observed(program: &Block, runs: usize) -> Traces {
    let run = |_| {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().expect("a runtime");
        format!("{:?}", runtime.block_on(real::interpret::trace(program.clone())))
    };
    (0..runs).map(run).collect()
}

/// The traces that a check explores, if it does not take too long.
fn explored(program: &Block) -> Option<Traces> {
    explored_by(Checker::new(), program)
}

fn explored_by(checker: Checker, program: &Block) -> Option<Traces> {
    let program = program.clone();
    let report = checker.max_states(STATES_MAX).check(|net| {
        net.process("it", move || checked::interpret::trace(program.clone()));
    });
    match report.verdict() {
        Verdict::Verified => Some(report.outputs("it").iter().cloned().collect()),
        Verdict::Inconclusive => None,
        Verdict::Violated => panic!("nothing in it is a violation: {report}"),
    }
}

#[derive(Debug, Default)]
struct Figures {
    programs: usize,
    too_large: usize,
    observed: usize,
    explored: usize,
    /// programs of which all that is explored was observed
    all: usize,
}

/// Programs, and the order in which a check polls their tasks.
#[derive(Clone, Copy)]
struct Family {
    program: fn(u64) -> Block,
    tasks: Tasks,
}

impl Family {
    fn explored(self, program: &Block) -> Option<Traces> {
        explored_by(Checker::new().tasks(self.tasks), program)
    }

    /// Traces of tokio that a check does not explore.
    fn missed(self, program: &Block, runs: usize) -> Traces {
        let Some(explored) = self.explored(program) else { return Traces::new() };
        observed(program, runs).difference(&explored).cloned().collect()
    }
}

fn agree(seeds: Range<u64>, family: Family) -> Figures {
    let runs = std::env::var("NETCHECK_OBSERVED_RUNS");
    let runs = runs.map_or(RUNS, |runs| runs.parse().expect("NETCHECK_OBSERVED_RUNS is a number"));
    let mut figures = Figures::default();
    for seed in chosen().unwrap_or(seeds) {
        let program = (family.program)(seed);
        let Some(explored) = family.explored(&program) else {
            figures.too_large += 1;
            continue;
        };
        let observed = observed(&program, runs);
        if !observed.is_subset(&explored) {
            let small = shrink::shrink(program, |smaller| !family.missed(smaller, 300).is_empty());
            let missed = family.missed(&small, 1_000);
            let explored = family.explored(&small);
            panic!("seed {seed}: tokio does {missed:?}, which is not among {explored:?}, in\n{small:#?}");
        }
        figures.programs += 1;
        figures.observed += observed.len();
        figures.explored += explored.len();
        figures.all += usize::from(observed == explored);
    }
    figures
}

/// The seeds that the environment asks for.
fn chosen() -> Option<Range<u64>> {
    if let Ok(seed) = std::env::var("NETCHECK_OBSERVED_SEED") {
        let seed = seed.parse().expect("NETCHECK_OBSERVED_SEED is a number");
        for has_tasks in [false, true] {
            println!("{has_tasks}: {:#?}", generate::program(seed, has_tasks));
        }
    }
    random::seeds_asked_for("OBSERVED")
}

#[test]
fn what_one_task_does_is_explored() {
    let figures = agree(0..300, Family { program: |seed| generate::program(seed, false), tasks: Tasks::Shared });
    println!("{figures:?}");
    assert!(chosen().is_some() || figures.programs == 300, "too many were left out");
}

#[test]
fn what_tasks_do_is_explored() {
    let figures = agree(1_000..1_200, Family { program: |seed| generate::program(seed, true), tasks: Tasks::Shared });
    println!("{figures:?}");
    assert!(chosen().is_some() || figures.programs == 200, "too many were left out");
}

/// In tokio's order of tasks, only the first branch of a `select!` is open.
#[test]
fn branches_that_tasks_in_tokios_order_choose_are_explored() {
    let figures = agree(2_000..2_150, CHOOSING);
    println!("{figures:?}");
    assert!(chosen().is_some() || figures.programs > 140, "too many were left out");
    assert!(chosen().is_some() || 2 * figures.all > figures.programs, "more is explored than there is");
}

/// Branches that other branches wake in the middle of a round, which were not explored once. What is explored may be so rare
/// under tokio that not all of it is among the runs of one comparison.
#[test]
fn branches_that_wake_each_other_are_explored() {
    for seed in [10_205, 22_775] {
        let shows_all = |_| agree(seed..seed + 1, CHOOSING).all == 1;
        assert!(chosen().is_some() || (0..5).any(shows_all), "seed {seed}: more is explored than there is");
    }
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn nightly_branches_that_tasks_in_tokios_order_choose_are_explored() {
    let figures = agree(40_000..60_000, CHOOSING);
    println!("{figures:?}");
    assert!(chosen().is_some() || figures.programs > 19_900, "too many were left out");
}

const CHOOSING: Family = Family { program: generate::choosing_program, tasks: Tasks::Fifo };

/// Without a network, tokio's order of tasks is the only one.
#[test]
fn tasks_in_tokios_order_do_exactly_what_tokio_does() {
    // The last two were told apart once.
    in_tokios_order((0..100).chain([15_910, 27_112]));
}

#[test]
#[ignore = "takes a minute: for a nightly run, in release"]
fn nightly_tasks_in_tokios_order_do_exactly_what_tokio_does() {
    in_tokios_order(0..10_000);
}

fn in_tokios_order(seeds: impl Iterator<Item = u64>) {
    let in_order = |program: &Block| explored_by(Checker::new().tasks(Tasks::Fifo), program).expect("it is small");
    let differs = |program: &Block| in_order(program) != observed(program, 1);
    let mut different = 0;
    for seed in chosen().map_or_else(|| seeds.collect(), Vec::from_iter) {
        let program = generate::ordered_program(seed);
        if differs(&program) {
            let small = shrink::shrink(program, differs);
            let (explored, observed) = (in_order(&small), observed(&small, 1));
            panic!("seed {seed}: tokio does {observed:?}, and {explored:?} is explored, in\n{small:#?}");
        }
        // All orders of a program take far longer than one.
        if seed < 50 {
            different += usize::from(explored(&program).is_none_or(|any| any.len() > 1));
        }
    }
    println!("{different} programs of 50 do something else in other orders");
    assert!(chosen().is_some() || different > 25, "too few depend on the order");
}
