//! Simulation against the naive explorer: each violation that it finds is one, no end is one too many, and with enough
//! executions none is missing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use netcheck::check::{Report, Search, Simulation, Verdict};

use interpreter::{Ends, Order};

use crate::engine;
use oracle::generate::{self, Size, Words};
use oracle::language::program::{Delays, Network, System, TICK_MS};
use oracle::naive::{self, Findings, Limits};

/// Executions of the first simulation of a system, and of one that is to miss nothing.
const RUNS: u64 = 300;
const RUNS_ENOUGH: u64 = 40_000;

/// Counts of the systems compared.
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
    let checker = interpreter::checker(system, (Order::By(Search::Bfs), true, false));
    interpreter::check(&checker.simulation(Simulation::new(seed).runs(runs)), system)
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
            let name = oracle::language::program::name(index);
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
        let checker = interpreter::checker(&system, (Order::By(Search::Bfs), true, false));
        let with = |seed, threads| {
            let checker = checker.clone().simulation(Simulation::new(seed).runs(50)).threads(threads);
            let (report, ends) = interpreter::check(&checker, &system);
            (report.to_string(), ends)
        };
        assert_eq!(with(7, 1), with(7, 1));
        assert_eq!(with(7, 1), with(7, 3));
    }
}

/// Runs all executions of a system in order, if they are few; says whether they were all.
fn in_order(system: &Arc<System>, findings: &Findings) -> Result<bool, String> {
    let checker = interpreter::checker(system, (Order::By(Search::Bfs), true, false));
    let (report, ends) = interpreter::check(&checker.simulation(Simulation::new(0).depth_first().runs(20_000)), system);
    if let Some(extra) = ends.difference(&findings.terminals).next() {
        return Err(format!("the naive explorer does not come to {extra:?}"));
    }
    if report.verdict() == Verdict::Violated {
        return engine::compare_report(&report, &ends, findings).map(|()| false);
    }
    let are_all = report.limit().is_some_and(|limit| limit.contains("there are no others"));
    if are_all && (ends != findings.terminals || findings.deadlock || !findings.panics.is_empty()) {
        return Err(format!("something is missing in all executions: {report}"));
    }
    Ok(are_all)
}

#[test]
fn all_executions_in_order_come_to_all_ends_and_to_no_others() {
    let mut all = 0;
    for seed in 15_000_000..15_000_200 {
        let system = generate::system(seed, Size::Small, Words::All);
        let Some((findings, _)) = naive::explore(&system, Limits::of(300)) else { continue };
        let system = Arc::new(system);
        let compared = engine::compared_by(|| in_order(&system, &findings));
        all += usize::from(compared.unwrap_or_else(|difference| panic!("seed {seed}: {difference}\n{system}")));
    }
    assert!(all >= 10, "{all} systems with few executions");
}

/// Delays that are drawn are some of those that are possible.
#[test]
fn drawn_delays_come_to_no_other_ends() {
    let (mut compared, mut ends_met) = (0, 0);
    for seed in 16_000_000..16_000_060 {
        let mut system = generate::system(seed, Size::Small, Words::Plain);
        let (least, most) = [(0, None), (1, Some(3)), (2, None)][seed as usize % 3];
        let delays = Delays::Interval(least, most);
        system.network = Network { delay: true, delays: Some(delays), ..Network::reliable() };
        let Some((findings, _)) = naive::explore(&system, Limits::of(3_000)) else { continue };
        let system = Arc::new(system);
        let checker = interpreter::checker(&system, (Order::By(Search::Bfs), true, false));
        let tick = |random: u64| {
            Some(Duration::from_millis(u64::from(TICK_MS) * (random % 5))).filter(|_| !random.is_multiple_of(7))
        };
        let checker = checker.simulation(Simulation::new(seed).runs(RUNS)).drawn_delays(tick);
        let (report, ends) = interpreter::check(&checker, &system);
        let extra: Vec<_> = ends.difference(&findings.terminals).collect();
        assert!(extra.is_empty(), "seed {seed}: the naive explorer does not come to {extra:?}\n{system}");
        if report.verdict() == Verdict::Violated {
            assert!(findings.deadlock || !findings.panics.is_empty(), "seed {seed}: {report}\n{system}");
        }
        (compared, ends_met) = (compared + 1, ends_met + ends.len());
    }
    assert!(compared >= 20 && ends_met >= 40, "{compared} systems, {ends_met} ends");
}
