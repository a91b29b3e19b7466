//! Simulation against the naive explorer: each violation that it finds is one, no end is one too many, and with enough
//! executions none is missing.

use std::collections::BTreeSet;
use std::sync::Arc;

use netcheck::check::{Report, Search, Simulation, Verdict};

use crate::engine::{self, Ends, Order};
use crate::generate::{self, Size, Words};
use crate::naive::{self, Findings, Limits};
use crate::program::System;

/// Executions of the first simulation of a system, and of one that is to miss nothing.
const RUNS: u64 = 300;
const RUNS_ENOUGH: u64 = 40_000;

/// Of the systems compared.
#[derive(Debug, Default)]
struct Figures {
    systems: u64,
    violated: u64,
    /// a violation was found by the first simulation
    found: u64,
    /// no violation, and all ends were seen by the first simulation
    complete: u64,
    /// different ends, of systems without violations
    ends: usize,
}

fn simulated(system: &Arc<System>, seed: u64, runs: u64) -> (Report, BTreeSet<Ends>) {
    let checker = engine::checker(system, (Order::By(Search::Bfs), true, false));
    engine::check(&checker.simulation(Simulation::new(seed).runs(runs)), system)
}

/// Compares one system; an error says what differs.
fn compare(system: &System, findings: &Findings, seed: u64, figures: &mut Figures) -> Result<(), String> {
    let system = Arc::new(system.clone());
    let is_violated = findings.deadlock || !findings.panics.is_empty();
    figures.systems += 1;
    figures.violated += u64::from(is_violated);
    for runs in [RUNS, RUNS_ENOUGH] {
        let (report, ends) = simulated(&system, seed, runs);
        let extra: Vec<_> = ends.difference(&findings.terminals).collect();
        if !extra.is_empty() {
            return Err(format!("the naive explorer does not come to {extra:?}"));
        }
        for (index, outputs) in findings.outputs.iter().enumerate() {
            let name = crate::program::name(index);
            if let Some(extra) = report.outputs(&name).iter().find(|output| !outputs.contains(*output)) {
                return Err(format!("{name} can't end with {extra}"));
            }
        }
        if report.verdict() == Verdict::Violated {
            figures.found += u64::from(runs == RUNS);
            return engine::compare_report(&report, &ends, findings);
        }
        if report.verdict() == Verdict::Verified {
            return Err("a simulation proves nothing".to_owned());
        }
        let simulated = report.simulated().ok_or("the figures are missing")?;
        if simulated.executions() != runs || simulated.cut_off() > 0 {
            return Err(format!("{report}"));
        }
        if !is_violated && ends == findings.terminals {
            figures.complete += u64::from(runs == RUNS);
            figures.ends += ends.len();
            return Ok(());
        }
    }
    Err(format!("something is missing after {RUNS_ENOUGH} executions"))
}

fn agree(seeds: std::ops::Range<u64>, words: Words) -> Figures {
    let mut figures = Figures::default();
    for seed in seeds {
        let system = generate::system(seed, Size::Small, words);
        let Some((findings, _)) = naive::explore(&system, Limits::of(3_000)) else { continue };
        let compared = engine::compared_by(|| compare(&system, &findings, seed, &mut figures));
        compared.unwrap_or_else(|difference| panic!("seed {seed}: {difference}\n{system}"));
    }
    println!("{figures:?}");
    figures
}

#[test]
fn simulation_finds_what_the_naive_explorer_finds_and_nothing_else() {
    let figures = agree(13_000_000..13_000_060, Words::All);
    assert!(figures.systems >= 30 && figures.violated >= 5 && figures.ends >= 30, "{figures:?}");
    assert!(figures.found * 10 >= figures.violated * 8, "300 executions are enough for most violations: {figures:?}");
    assert!(figures.complete * 2 >= figures.systems - figures.violated, "and for most ends: {figures:?}");
}

#[test]
fn simulation_of_streams_finds_what_the_naive_explorer_finds_and_nothing_else() {
    let figures = agree(14_000_000..14_000_060, Words::Streams);
    assert!(figures.systems >= 30 && figures.ends >= 30, "{figures:?}");
}

/// The first violation and all figures depend on the seed alone.
#[test]
fn the_same_seed_gives_the_same_executions_for_any_number_of_threads() {
    for seed in 13_000_000..13_000_010 {
        let system = Arc::new(generate::system(seed, Size::Small, Words::All));
        let checker = engine::checker(&system, (Order::By(Search::Bfs), true, false));
        let with = |seed, threads| {
            let checker = checker.clone().simulation(Simulation::new(seed).runs(50)).threads(threads);
            let (report, ends) = engine::check(&checker, &system);
            (report.to_string(), ends)
        };
        assert_eq!(with(7, 1), with(7, 1));
        assert_eq!(with(7, 1), with(7, 3));
    }
}
