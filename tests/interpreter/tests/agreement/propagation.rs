//! The same systems once more: what a table of error propagation must say, from two runs of the naive explorer,
//! without faults and with them.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use netcheck::check::{Ending, Propagation, Search};

use oracle::language::program::{Network, System, name};
use oracle::naive::{self, Findings, Limits};

const LIMITS: Limits = Limits::of(5_000);

/// Counts of the systems compared.
#[derive(Debug, Default)]
pub struct Compared {
    pub systems: u64,
    pub rows: u64,
    pub masked: u64,
    /// there are panics, or deadlocks, under faults alone
    pub panics: u64,
    pub deadlocks: u64,
    /// a process ends as it does not without faults, by value
    pub wrong: u64,
}

add_fields!(Compared { systems, rows, masked, panics, deadlocks, wrong });

/// A difference between the table and the naive explorer.
pub fn disagreement(system: &System, compared: &mut Compared) -> Option<String> {
    let at_most = system.network.at_most.unwrap_or(1).clamp(1, 2);
    let with = |at_most| {
        let network = Network { at_most: Some(at_most), ..system.network.clone() };
        System { network, ..system.clone() }
    };
    let (without_faults, _) = naive::explore(&with(0), LIMITS)?;
    let (with_faults, _) = naive::explore(&with(at_most), LIMITS)?;
    let system = Arc::new(with(at_most));
    let table = catch_unwind(AssertUnwindSafe(|| table(&system)));
    let table = match table {
        Ok(table) => table,
        Err(panic) => return Some(format!("the engine panicked: {}", interpreter::text_of(panic.as_ref()))),
    };
    compared.systems += 1;
    compared.rows += table.rows().len() as u64;
    compared.masked += table.masked().count() as u64;
    compared.panics += u64::from(without_faults.panics.is_empty() && !with_faults.panics.is_empty());
    compared.deadlocks += u64::from(!without_faults.deadlock && with_faults.deadlock);
    let reference: Vec<BTreeSet<&Ending>> =
        table.reference().iter().map(|process| process.endings.iter().collect()).collect();
    let mut all = reference.clone();
    for effect in table.rows().iter().flat_map(|row| &row.effects) {
        let process = table.reference().iter().position(|process| process.name == effect.process);
        all[process.expect("a registered process")].extend(&effect.endings);
    }
    let differs = endings_differ(&reference, &without_faults)
        .map(|how| format!("without faults: {how}"))
        .or_else(|| endings_differ(&all, &with_faults).map(|how| format!("with faults: {how}")))
        .or_else(|| masks_otherwise(&table, &without_faults, &with_faults, compared));
    differs.map(|how| format!("{how}\n{table}"))
}

fn table(system: &Arc<System>) -> Propagation {
    interpreter::checker(system, (interpreter::Order::By(Search::Bfs), false, false))
        .propagation(|net| (0..system.processes.len()).for_each(|index| interpreter::register_nth(net, system, index)))
}

/// How processes end, all executions together. Here those go on after a panic, which the naive explorer's do not.
fn endings_differ(endings: &[BTreeSet<&Ending>], findings: &Findings) -> Option<String> {
    let any = |is: fn(&Ending) -> bool| endings.iter().flatten().any(|ending| is(ending));
    let panics = any(|ending| matches!(ending, Ending::Panicked(_)));
    if panics == findings.panics.is_empty() {
        return Some(format!("panics: {panics}"));
    }
    let deadlocks = any(|ending| matches!(ending, Ending::Blocked(_)));
    if deadlocks != findings.deadlock && (!panics || findings.deadlock) {
        return Some(format!("deadlocks: {deadlocks}"));
    }
    for (index, (endings, naive)) in endings.iter().zip(&findings.outputs).enumerate() {
        let values: BTreeSet<String> = endings.iter().filter_map(|ending| output(ending)).collect();
        let is_right = if panics { values.is_superset(naive) } else { values == *naive };
        if !is_right {
            return Some(format!("{} ends with {values:?}, and not {naive:?}", name(index)));
        }
    }
    None
}

fn output(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Output(text) => Some(text.clone()),
        _ => None,
    }
}

/// Where nothing else goes wrong, a fault is seen if, and only if, some process ends as it never does without.
fn masks_otherwise(
    table: &Propagation,
    without_faults: &Findings,
    with_faults: &Findings,
    compared: &mut Compared,
) -> Option<String> {
    let is_clean = |findings: &&Findings| findings.panics.is_empty() && !findings.deadlock && !findings.suppressed;
    if ![without_faults, with_faults].iter().all(is_clean) {
        return None;
    }
    let is_known =
        |process: usize, end: &Option<String>| without_faults.terminals.iter().any(|ends| ends[process] == *end);
    let is_wrong = |ends: &Vec<Option<String>>| ends.iter().enumerate().any(|(process, end)| !is_known(process, end));
    let expected = with_faults.terminals.iter().any(is_wrong);
    compared.wrong += u64::from(expected);
    let seen = table.seen().count() > 0;
    (seen != expected).then(|| format!("some fault is seen: {seen}"))
}
