//! Reports of checks, against the findings on a system.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use interpreter::{Configuration, Ends, Order, check, checker, has_subsumption, orders, register_nth, text_of};
use netcheck::check::{Report, Search, Tasks, Verdict, ViolationKind};
use oracle::language::program::{self, System};
use oracle::naive::Findings;

/// A difference between a configuration of the engine and the naive explorer.
pub fn disagreement(system: &System, findings: &Findings, seed: u64, subsumed: &mut u64) -> Option<String> {
    let system = Arc::new(system.clone());
    for (index, order) in orders(seed).into_iter().enumerate() {
        let subsumption = has_subsumption(&system, seed, index);
        let configurations = [(true, false), (false, false), (true, true), (false, true)];
        for (reduction, subsumption) in configurations.into_iter().filter(|&(_, subsumes)| subsumption || !subsumes) {
            let run = || compare(&system, findings, (order, reduction, subsumption), subsumed);
            if let Err(difference) = compared_by(run) {
                let reduction = if reduction { "on" } else { "off" };
                let subsumption = if subsumption { "on" } else { "off" };
                return Some(format!("{order:?}, reduction {reduction}, subsumption {subsumption}: {difference}"));
            }
        }
    }
    None
}

/// The same with tracked tasks, in each order, reduced and not; counts the moves that were left out.
pub fn disagreement_of_tracked(system: &System, findings: &Findings, seed: u64, pruned: &mut u64) -> Option<String> {
    let system = Arc::new(system.clone());
    for order in orders(seed) {
        for reduction in [true, false] {
            let checker = checker(&system, (order, reduction, false)).tasks(Tasks::Tracked);
            let run = || {
                let (report, ends) = check(&checker, &system);
                *pruned += report.pruned();
                compare_report(&report, &ends, findings)
            };
            if let Err(difference) = compared_by(run) {
                let reduction = if reduction { "on" } else { "off" };
                return Some(format!("tracked tasks, {order:?}, reduction {reduction}: {difference}"));
            }
        }
    }
    None
}

/// The result of a comparison; a panic of the engine is a difference.
pub fn compared_by<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(compared) => compared,
        Err(panic) => Err(format!("the engine panicked: {}", text_of(panic.as_ref()))),
    }
}

fn compare(
    system: &Arc<System>,
    findings: &Findings,
    configuration: Configuration,
    subsumed: &mut u64,
) -> Result<(), String> {
    let (report, ends) = check(&checker(system, configuration), system);
    *subsumed += report.subsumed();
    compare_report(&report, &ends, findings)
}

/// A finished check against the findings.
pub fn compare_report(report: &Report, ends: &BTreeSet<Ends>, findings: &Findings) -> Result<(), String> {
    let counterexample = report.counterexample().map(ToString::to_string).unwrap_or_default();
    let is_deadlock = report.counterexample().is_some_and(|found| found.kind() == ViolationKind::Deadlock);
    if is_deadlock && findings.helpless && !findings.deadlock {
        // Beside others that the naive explorer, which knows nothing of what they will do, takes for acquaintances.
        return Ok(());
    }
    let expected = if findings.panics.is_empty() && !findings.deadlock { Verdict::Verified } else { Verdict::Violated };
    if report.verdict() != expected {
        let limit = report.limit().unwrap_or_default();
        return Err(format!("{:?} instead of {expected:?} {limit}\n{counterexample}", report.verdict()));
    }
    if expected == Verdict::Violated {
        let is_known = match report.counterexample().map(|counterexample| counterexample.kind()) {
            Some(ViolationKind::Panic) => findings
                .panics
                .iter()
                .any(|(process, message)| counterexample.contains(process) && counterexample.contains(message)),
            Some(ViolationKind::Deadlock) => findings.deadlock,
            _ => false,
        };
        return if is_known { Ok(()) } else { Err(format!("the naive explorer does not find\n{counterexample}")) };
    }
    for (index, expected) in findings.outputs.iter().enumerate() {
        let name = program::name(index);
        let outputs: BTreeSet<String> = report.outputs(&name).iter().cloned().collect();
        if outputs != *expected {
            return Err(format!("{name} ends with {}", difference(&outputs, expected)));
        }
    }
    let are_known = |ends: &BTreeSet<Ends>| {
        ends.iter().all(|end| [&findings.terminals, &findings.perhaps].iter().any(|known| known.contains(end)))
    };
    if !findings.terminals.is_subset(ends) || !are_known(ends) {
        return Err(format!("the system ends with {}", difference(ends, &findings.terminals)));
    }
    Ok(())
}

/// States that a search by faults may visit.
const FEWEST_STATES_MAX: usize = 500_000;

/// The finding of a search by faults.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fewest {
    /// A violation with as few faults as any.
    Found,
    /// No violation.
    None,
    /// Nothing: there are too many states.
    TooLarge,
}

/// Whether a search by faults finds a violation; an error if it is not one with the fewest faults.
pub fn finds_the_fewest_faults(system: &System, at_most: usize, reduction: bool) -> Result<Fewest, String> {
    let limited = |at_most| {
        let mut system = system.clone();
        system.network.at_most = Some(at_most);
        Arc::new(system)
    };
    let configuration = |search| (Order::By(search), reduction, false);
    let checked = |at_most, search| {
        let system = limited(at_most);
        check(&checker(&system, configuration(search)).max_states(FEWEST_STATES_MAX), &system).0
    };
    let found = checked(at_most, Search::Faults);
    let violates = |at_most: &usize| checked(*at_most, Search::Bfs).verdict() == Verdict::Violated;
    let fewest = (0..=at_most).find(violates);
    let (Some(fewest), Some(counterexample)) = (fewest, found.counterexample()) else {
        if found.verdict() == Verdict::Inconclusive && found.states() >= FEWEST_STATES_MAX {
            return Ok(Fewest::TooLarge);
        }
        let agree = fewest.is_none() && found.verdict() == Verdict::Verified;
        return if agree { Ok(Fewest::None) } else { Err(format!("{fewest:?} faults at least, and {found}")) };
    };
    let system = limited(fewest);
    let again = checker(&system, configuration(Search::Faults))
        .replay(|net| (0..system.processes.len()).for_each(|index| register_nth(net, &system, index)), counterexample);
    match again {
        Ok(Some(_)) => Ok(Fewest::Found),
        other => Err(format!("{fewest} faults are enough, but not for\n{counterexample}\n{other:?}")),
    }
}

fn difference<T: Ord + std::fmt::Debug>(engine: &BTreeSet<T>, naive: &BTreeSet<T>) -> String {
    let missing: Vec<&T> = naive.difference(engine).collect();
    let extra: Vec<&T> = engine.difference(naive).collect();
    format!("{engine:?}; missing: {missing:?}; extra: {extra:?}")
}
