//! The same systems once more, with captured loops: see `interpreter::machine`.

use std::collections::BTreeSet;
use std::sync::Arc;

use netcheck::check::{Checker, Report, Search, Unread, Verdict};

use interpreter::machine::{self, Code};
use interpreter::{Configuration, Ends, Order};

use crate::symmetry::Symmetries;
use crate::{endless, engine};
use oracle::language::program::{Process, System};
use oracle::naive::{Findings, Limits};

fn compile(process: &Process) -> Code {
    let [root] = process.tasks.as_slice() else { panic!("one task each") };
    Arc::new(machine::compile(root))
}

/// Whether all tasks of a system can be flat programs, each the only one of its process.
pub fn is_flat(system: &System) -> bool {
    system.processes.iter().all(|process| matches!(&process.tasks[..], [root] if machine::is_flat(root)))
}

/// The report on a system of flat programs, and all ends.
pub fn check_all(checker: &Checker, system: &System) -> (Report, BTreeSet<Ends>) {
    let programs: Vec<Code> = system.processes.iter().map(compile).collect();
    check(checker, system, &programs)
}

/// States that an endless program without captured loops may have before it is given up.
const UNCAPTURED_STATES_MAX: usize = 200;
/// With reduction, a component without captured loops may go on for ever before another one begins, and packets pile up.
const REDUCED_STATES_MAX: usize = 10_000;
/// The same depth-first, where each state of such a component is as many polls away from the first as it is deep.
const REDUCED_DEPTH_FIRST_STATES_MAX: usize = 2_000;
/// Where no component can go on for ever, few programs have more without captured loops: each of their choices makes more
/// histories.
const FINITE_STATES_MAX: usize = 50_000;
/// No captured program has more.
const STATES_MAX: usize = 50_000;

/// Merges by captured loops, in all configurations together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Merges {
    /// configurations in which all was explored, captured or not, and those of them with fewer local states
    pub compared: u64,
    pub merged: u64,
    /// local states of those
    pub captured_states: u64,
    pub uncaptured_states: u64,
    /// configurations that are explored to the end only with captured loops
    pub closed: u64,
    /// violations of endless programs that are found without captured loops too
    pub confirmed: u64,
    /// configurations that come to an end, but have too many states without captured loops
    pub too_large: u64,
    pub subsumed: u64,
}

add_fields!(Merges { compared, merged, captured_states, uncaptured_states, closed, confirmed, too_large, subsumed });

/// A difference between a configuration of the engine and the naive explorer.
pub fn disagreement(system: &System, known: (&Findings, Limits), seed: u64, merges: &mut Merges) -> Option<String> {
    let programs: Vec<Code> = system.processes.iter().map(compile).collect();
    for (index, order) in interpreter::orders(seed).into_iter().enumerate() {
        let subsumption = interpreter::has_subsumption(system, seed, index);
        let configurations = [(true, false), (false, false), (true, true), (false, true)];
        for (reduction, subsumption) in configurations.into_iter().filter(|&(_, subsumes)| subsumption || !subsumes) {
            let run = || compare(system, &programs, known, (order, reduction, subsumption), merges);
            if let Err(difference) = engine::compared_by(run) {
                return Some(format!("{order:?}, reduction {reduction}, subsumption {subsumption}: {difference}"));
            }
        }
    }
    None
}

/// The same for captured loops alone, with like processes taken to be alike.
pub fn disagreement_with_symmetry(
    system: &System,
    known: (&Findings, Limits),
    seed: u64,
    symmetries: &mut Symmetries,
) -> Option<String> {
    let programs: Vec<Code> = system.processes.iter().map(compile).collect();
    crate::symmetry::disagreement_of(system, known, seed, symmetries, |checker| {
        check(&checker.clone().max_states(STATES_MAX), system, &programs)
    })
}

fn compare(
    system: &System,
    programs: &[Code],
    (findings, limits): (&Findings, Limits),
    configuration: Configuration,
    merges: &mut Merges,
) -> Result<(), String> {
    let checker = interpreter::checker(system, configuration);
    let (captured, ends) = check(&checker.clone().max_states(STATES_MAX), system, programs);
    // Time passes for units that never meet, each by itself. So where packets may be under way for ever, more and more may
    // be, to a process whose turn has not come; only the reduction, which splits states, leaves them out.
    let is_at_limit = captured.verdict() == Verdict::Inconclusive && captured.states() >= STATES_MAX;
    if is_at_limit && !configuration.1 && system.network.takes_time() {
        merges.too_large += 1;
        return Ok(());
    }
    let agrees = |report: &Report, ends: &BTreeSet<Ends>, how: &str| {
        let agreement = engine::compare_report(report, ends, findings).or_else(|difference| {
            endless::unless_apart(difference, system, limits, (report, ends), findings).map(drop)
        });
        agreement.map_err(|difference| format!("{how}, {difference}"))
    };
    agrees(&captured, &ends, "captured")?;
    if let [uncaptured, ..] = captured.uncaptured_loops() {
        return Err(format!("not captured: {uncaptured}"));
    }
    merges.subsumed += captured.subsumed();
    // Most of them only find that out at great length.
    if findings.endless && configuration.0 != Order::By(Search::Bfs) {
        merges.closed += u64::from(captured.verdict() == Verdict::Verified);
        return Ok(());
    }
    let reduced_loops = configuration.1 && system.has_loops();
    let states_max = match (findings.endless, reduced_loops) {
        (true, _) => UNCAPTURED_STATES_MAX,
        (false, true) if configuration.0 != Order::By(Search::Bfs) => REDUCED_DEPTH_FIRST_STATES_MAX,
        (false, true) => REDUCED_STATES_MAX,
        (false, false) => FINITE_STATES_MAX,
    };
    let (uncaptured, ends) = check(&checker.capture(false).max_states(states_max), system, programs);
    // Where every execution ends in a violation, a component that is reduced may still be endless.
    let is_endless = findings.endless || reduced_loops;
    if is_endless && uncaptured.verdict() == Verdict::Inconclusive {
        merges.closed += u64::from(captured.verdict() == Verdict::Verified);
        return Ok(());
    }
    if uncaptured.verdict() == Verdict::Inconclusive && uncaptured.states() >= states_max {
        merges.too_large += 1;
        return Ok(());
    }
    agrees(&uncaptured, &ends, "uncaptured")?;
    if captured.verdict() == Verdict::Violated {
        merges.confirmed += u64::from(findings.endless);
        return Ok(());
    }
    let (with, without) = (captured.local_states() as u64, uncaptured.local_states() as u64);
    merges.compared += 1;
    merges.merged += u64::from(with < without);
    merges.captured_states += with;
    merges.uncaptured_states += without;
    // The pattern over unread bytes is copied into others, and differs by the way to a state.
    let is_overwritten = interpreter::unread(system) == Unread::Overwritten;
    if !configuration.1 && with > without && !is_overwritten {
        return Err(format!("{with} local states with captured loops, {without} without"));
    }
    Ok(())
}

fn check(checker: &Checker, system: &System, programs: &[Code]) -> (Report, BTreeSet<Ends>) {
    interpreter::check_with(checker, system, |net, index| {
        let (code, definition) = (Arc::clone(&programs[index]), &system.processes[index]);
        let (registers, sockets) = (definition.registers, definition.sockets);
        let factory = move || machine::root(Arc::clone(&code), registers, sockets);
        interpreter::register(net, index, definition.daemon, factory);
    })
}
