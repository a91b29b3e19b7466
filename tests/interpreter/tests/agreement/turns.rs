//! A bound on steps that come out of turn, against the naive explorer: with few of them nothing is found that can't happen,
//! with each further one nothing is lost, and with many nothing is missing.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use netcheck::Network;
use netcheck::check::{Identity, Report, Search, Verdict, ViolationKind};

use crate::families::ENDLESS_EXECUTIONS_MAX;
use crate::{Figures, agree_by, crashes, engine, liveness};
use interpreter::{Ends, Order};
use oracle::generate::{self, Size, Words};
use oracle::language::program::{self, System};
use oracle::naive::{Findings, Limits};

/// Steps out of turn, few before many: no execution of these systems has as many choices as the last.
const DEVIATIONS: [usize; 5] = [0, 1, 2, 4, 255];

/// The same where something goes on for ever: each of them multiplies the states.
const ENDLESS_DEVIATIONS: [usize; 2] = [0, 2];
/// No such system has more.
const STATES_MAX: usize = 50_000;

/// Counts of bounds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounded {
    /// bounds with which something is left out, and those with which a violation is found
    pub left_out: u64,
    pub found: u64,
    /// violations that are found only with some steps out of turn
    pub out_of_turn: u64,
    /// executions that never end
    pub endless: u64,
}

add_fields!(Bounded { left_out, found, out_of_turn, endless });

/// Compares systems in which something goes on for ever: a process that is said never to end need not end.
pub fn never_ending_agree(seeds: Range<u64>) -> Option<Figures> {
    let limits = Limits::of(ENDLESS_EXECUTIONS_MAX);
    let generate = |seed| generate::endless::system_that_may_end(seed, limits);
    agree_by(seeds, generate, |seed, system: &System, figures: &mut Figures| {
        let findings = figures.explored(system, limits)?;
        let expected = liveness::expected(system, (&findings, limits))?;
        let shared = Arc::new(system.clone());
        ENDLESS_DEVIATIONS.into_iter().find_map(|steps| {
            let configuration = (Order::By(Search::Bfs), !seed.is_multiple_of(3), false);
            let checker = interpreter::checker_for_endless(system, configuration).identity(Identity::Memory);
            let checker = checker.deviations(steps).max_states(STATES_MAX);
            let register = |net: &mut Network, index| interpreter::register_tracked(net, &shared, index, true);
            let run = || Ok(interpreter::check_with(&checker, system, register).0);
            let difference = match engine::compared_by(run) {
                Ok(report) => {
                    let kind = report.counterexample().map(|found| found.kind());
                    figures.bounded.endless += u64::from(kind == Some(ViolationKind::Liveness));
                    let is_right = kind.is_none_or(|kind| expected && kind == ViolationKind::Liveness);
                    (!is_right).then(|| format!("a process goes on for ever: {expected}, but\n{report}"))
                }
                Err(difference) => Some(difference),
            };
            difference.map(|difference| format!("{steps} deviations: {difference}"))
        })
    })
}

/// Compares systems with datagrams, streams, locks, everyday programs, crashes.
pub fn agree(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::All, Words::Mixed, Words::Everyday, Words::Streams, Words::EverydayStreams];
    let limits = Limits::of(3_000);
    let generate = |seed: u64| {
        let mut system = generate::system(seed, Size::Small, words[seed as usize % words.len()]);
        declare(seed / 5, &mut system.network);
        system
    };
    agree_by(seeds, generate, |seed, system: &System, figures: &mut Figures| {
        let findings = figures.explored(system, limits)?;
        disagreement(system, &findings, seed, &mut figures.bounded)
    })
}

fn declare(seed: u64, network: &mut program::Network) {
    (network.delay, network.slow) = (false, None);
    network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
    if seed.is_multiple_of(4) {
        crashes::crash(seed, network);
    }
}

fn disagreement(system: &System, findings: &Findings, seed: u64, bounded: &mut Bounded) -> Option<String> {
    let system = Arc::new(system.clone());
    let [_, other, _] = interpreter::orders(seed);
    let order = if seed.is_multiple_of(2) { Order::By(Search::Bfs) } else { other };
    let mut fewer: Option<(Report, BTreeSet<Ends>)> = None;
    for steps in DEVIATIONS {
        let run = || {
            let checker = interpreter::checker(&system, (order, !seed.is_multiple_of(3), false)).deviations(steps);
            let with = interpreter::check(&checker, &system);
            compare(&with, findings, steps)?;
            if let Some(fewer) = &fewer {
                nothing_is_lost(fewer, &with)?;
            }
            Ok(with)
        };
        match engine::compared_by(run) {
            Ok(with) => {
                let is_violated = with.0.verdict() == Verdict::Violated;
                let was_verified = fewer.is_some_and(|(fewer, _)| fewer.verdict() == Verdict::Verified);
                bounded.found += u64::from(is_violated);
                bounded.out_of_turn += u64::from(is_violated && was_verified);
                bounded.left_out += u64::from(!is_violated && with.1.len() < findings.terminals.len());
                fewer = Some(with);
            }
            Err(difference) => return Some(format!("{order:?}, {steps} deviations: {difference}")),
        }
    }
    None
}

/// A finished check with so many deviations against the findings.
fn compare((report, ends): &(Report, BTreeSet<Ends>), findings: &Findings, steps: usize) -> Result<(), String> {
    if DEVIATIONS.last() == Some(&steps) || report.verdict() == Verdict::Violated {
        return engine::compare_report(report, ends, findings);
    }
    if report.verdict() != Verdict::Verified {
        return Err(format!("{report}"));
    }
    if let Some(extra) = ends.iter().find(|end| !findings.terminals.contains(*end) && !findings.perhaps.contains(*end))
    {
        return Err(format!("the naive explorer does not come to {extra:?}"));
    }
    for (index, outputs) in findings.outputs.iter().enumerate() {
        let name = program::name(index);
        if let Some(extra) = report.outputs(&name).iter().find(|output| !outputs.contains(*output)) {
            return Err(format!("{name} can't end with {extra}"));
        }
    }
    let comes_to_rest = findings.panics.is_empty() && !findings.deadlock && !findings.endless;
    match comes_to_rest && ends.is_empty() {
        true => Err("no execution comes to an end".to_owned()),
        false => Ok(()),
    }
}

/// Whether further steps out of turn find all that fewer did.
fn nothing_is_lost(fewer: &(Report, BTreeSet<Ends>), more: &(Report, BTreeSet<Ends>)) -> Result<(), String> {
    match (fewer.0.verdict(), more.0.verdict()) {
        (Verdict::Violated, Verdict::Violated) => Ok(()),
        (Verdict::Violated, verdict) => Err(format!("{verdict:?}, and fewer found a violation")),
        (_, Verdict::Verified) if !fewer.1.is_subset(&more.1) => Err("fewer came to other ends".to_owned()),
        _ => Ok(()),
    }
}
