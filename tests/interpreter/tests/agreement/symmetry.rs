//! The engine with like processes taken to be alike, and without: both agree with the naive explorer.

use std::collections::BTreeSet;
use std::sync::Arc;

use netcheck::check::{Checker, Report, Search, Verdict};

use interpreter::{Ends, Order};

use crate::{endless, engine};
use oracle::language::program::System;
use oracle::naive::{Findings, Limits};

/// Counts of the systems compared.
#[derive(Debug, Default)]
pub struct Symmetries {
    /// processes were alike
    pub symmetric: u64,
    /// with several orders of them left to explore
    pub saved: u64,
    /// processes seemed to be alike and were not
    pub told_apart: u64,
    pub violated: u64,
    /// processes were alike, and there are listeners
    pub streams: u64,
    /// processes were alike, and executions come back to where they were
    pub endless: u64,
}

add_fields!(Symmetries { symmetric, saved, told_apart, violated, streams, endless });

/// A difference between a configuration of the engine and the naive explorer.
pub fn disagreement(
    system: &System,
    known: (&Findings, Limits),
    seed: u64,
    symmetries: &mut Symmetries,
) -> Option<String> {
    let shared = Arc::new(system.clone());
    disagreement_of(system, known, seed, symmetries, |checker| interpreter::check(checker, &shared))
}

/// The same for programs that `check` runs.
pub fn disagreement_of(
    system: &System,
    (findings, limits): (&Findings, Limits),
    seed: u64,
    symmetries: &mut Symmetries,
    check: impl Fn(&Checker) -> (Report, BTreeSet<Ends>),
) -> Option<String> {
    let other = match seed % 4 {
        0 => (Order::By(Search::Dfs), true),
        1 => (Order::Best, true),
        // Then the counterexample is not looked for once more.
        _ => (Order::By(Search::Faults), false),
    };
    for (index, (order, reduction)) in
        [(Order::By(Search::Bfs), true), (Order::By(Search::Bfs), false), other].into_iter().enumerate()
    {
        let subsumption = seed.is_multiple_of(3) && interpreter::has_subsumption(system, seed, index);
        let checker = interpreter::checker(system, (order, reduction, subsumption));
        let run = || {
            let (report, ends) = check(&checker.clone().symmetry(true));
            if let Err(difference) = engine::compare_report(&report, &ends, findings) {
                endless::unless_apart(difference, system, limits, (&report, &ends), findings)?;
            }
            let without = (index == 1).then(|| check(&checker).0);
            // By memory, how many states there are depends on which of several histories was run first, too.
            let is_exact = !subsumption && !interpreter::remembers(system);
            if let Some(without) = without.as_ref().filter(|_| report.verdict() == Verdict::Verified && is_exact) {
                compare_sizes(&report, without)?;
            }
            Ok((report, without))
        };
        match engine::compared_by(run) {
            Ok((report, Some(without))) => {
                let is_symmetric = !report.like_processes().is_empty();
                let listens = system.processes.iter().any(|process| process.listeners > 0);
                symmetries.symmetric += u64::from(is_symmetric);
                symmetries.streams += u64::from(is_symmetric && listens);
                symmetries.endless += u64::from(is_symmetric && findings.endless);
                symmetries.saved += u64::from(report.states() < without.states());
                symmetries.told_apart += u64::from(!report.asymmetries().is_empty());
                symmetries.violated += u64::from(is_symmetric && report.verdict() == Verdict::Violated);
            }
            Ok(_) => {}
            Err(difference) => return Some(format!("symmetry, {order:?}, reduction {reduction}: {difference}")),
        }
    }
    None
}

/// Every state stands for at least one, and for no more than there are permutations.
fn compare_sizes(report: &Report, without: &Report) -> Result<(), String> {
    let permutations: usize =
        report.like_processes().iter().map(|class| (1..=class.len()).product::<usize>()).product();
    let (states, all) = (report.states(), without.states());
    match states <= all && all <= states * permutations {
        true => Ok(()),
        false => Err(format!("{states} states stand for {all}, with {permutations} permutations")),
    }
}
