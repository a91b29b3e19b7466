//! Systems in which something goes on for ever beside everything else: with the settings that a check has by default, and
//! the three rules; without the rules; and, where the loops end after a few rounds, without the rules and by history alone.
//!
//! Time passes for units that never meet, each by itself. The naive explorer, which reads off the programs as they are
//! written who may meet whom, lets it pass for fewer units than the engine, which learns what they do. Where the two differ,
//! the engine must find all that there is if time passes for fewer, and nothing that there is not if it passes for each unit
//! by itself; and beside loops that always take time there is no such difference.

use std::collections::BTreeSet;
use std::sync::Arc;

use netcheck::Network;
use netcheck::check::{Checker, Identity, Report, Search, Verdict, ViolationKind};

use interpreter::{Ends, Order, register_tracked};

use crate::{captured, engine};
use oracle::generate::endless::{bounded, each};
use oracle::language::program::{self, System};
use oracle::naive::{self, Findings, Limits};

/// No system has more.
const STATES_MAX: usize = 50_000;

/// Few systems whose loops end have more, by history and without reduction; these are counted.
const BOUNDED_STATES_MAX: usize = 500_000;

/// Rounds of loops that end.
const ROUNDS: usize = 2;

/// Counts of the systems compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Endless {
    /// checks of endless systems, and of those whose loops end
    pub endless: u64,
    pub bounded: u64,
    /// checks of endless systems by history
    pub by_history: u64,
    /// with isolated tasks
    pub isolated: u64,
    /// with a stream that is read again and again
    pub read_for_ever: u64,
    /// systems whose loops end that have too many executions, or too many states without reduction
    pub too_large: u64,
    /// checks that let time pass for more units than the naive explorer does, and differ in what is found
    pub apart: u64,
    /// of these, the ones where it is not known what there is at the most
    pub unknown: u64,
    /// checks that differ in whether they find a process that waits for ever beside others that go on and know it
    pub helpless: u64,
    /// checks that let time pass for fewer units than others do, since they have learned of more that these reach
    pub by_order: u64,
}

add_fields!(Endless {
    endless,
    bounded,
    by_history,
    isolated,
    read_for_ever,
    too_large,
    apart,
    unknown,
    helpless,
    by_order
});

/// A way to check.
#[derive(Debug, Clone, Copy)]
struct Configuration {
    order: Order,
    reduction: bool,
    identity: Identity,
}

/// The findings of a check: the verdict, and where there is no violation, what each process ended with, and all ends.
#[derive(Debug, PartialEq)]
struct Shown {
    verdict: Verdict,
    outputs: Vec<BTreeSet<String>>,
    ends: BTreeSet<Ends>,
}

impl Shown {
    /// Whether one of two checks found all that the other did.
    fn is_comparable(&self, other: &Shown) -> bool {
        self.is_part_of(other) || other.is_part_of(self)
    }

    fn is_part_of(&self, other: &Shown) -> bool {
        let has_outputs = || self.outputs.iter().zip(&other.outputs).all(|(own, others)| own.is_subset(others));
        match (self.verdict, other.verdict) {
            (Verdict::Verified, Verdict::Verified) => has_outputs() && self.ends.is_subset(&other.ends),
            _ => self.verdict == Verdict::Verified && other.verdict == Verdict::Violated,
        }
    }
}

/// How the engine disagrees with the naive explorer, or one configuration of it with another one.
pub fn disagreement(
    system: &System,
    findings: &Findings,
    (seed, limits): (u64, Limits),
    figures: &mut Endless,
) -> Option<String> {
    // A process with a log notes what happens to its streams, and a stream without a declared buffer holds thousands of
    // bytes. While what others do is not learned yet, that may be more and more for ever, and only an order that comes to
    // the others gets out of there.
    let has_buffer = system.network.tcp.as_ref().is_some_and(|tcp| tcp.buffer.is_some());
    let grows = |process: &program::Process| process.streams > 0 && !(process.without_log && has_buffer);
    let grows = system.processes.iter().any(grows);
    let other = if grows { Order::By(Search::Bfs) } else { interpreter::orders(seed)[1 + (seed % 2) as usize] };
    let by = |order, reduction, identity| Configuration { order, reduction, identity };
    let bfs = Order::By(Search::Bfs);
    let (memory, history) = (Identity::Memory, Identity::History);
    figures.isolated += u64::from(system.processes.iter().any(|process| !process.isolated.is_empty()));
    figures.read_for_ever += u64::from(findings.read_for_ever);
    let mut all = Agreeing { system, findings, limits, is_bounded: false, first: None };
    // In dense time a process may run ahead of one to which it sends and that it never meets, by ever more datagrams under
    // way: only the reduction explores each by itself.
    let unreduced = (!system.network.takes_time()).then(|| by(bfs, false, memory));
    for configuration in unreduced.into_iter().chain([by(bfs, true, memory), by(other, true, memory)]) {
        figures.endless += 1;
        let difference = all.compare(configuration, figures);
        if difference.is_some() {
            return difference;
        }
    }
    // By history, the time since the start is in the states of a program that reads the clock.
    if captured::is_flat(system) && !system.reads_clock() {
        figures.by_history += 1;
        let check = |checker: &Checker| captured::check_all(checker, system);
        let difference = all.compare_with(by(bfs, false, history), figures, check);
        if let Some(difference) = difference {
            return Some(format!("captured, {difference}"));
        }
    }
    let ends = bounded(system, ROUNDS);
    if ends == *system {
        return None;
    }
    let Some((findings, _)) = naive::explore(&ends, limits) else {
        figures.too_large += 1;
        return None;
    };
    let mut all = Agreeing { system: &ends, findings: &findings, limits, is_bounded: true, first: None };
    [by(bfs, false, history), by(bfs, true, memory), by(other, true, history)].into_iter().find_map(|configuration| {
        figures.bounded += 1;
        let difference = all.compare(configuration, figures)?;
        Some(format!("with {ROUNDS} rounds of each loop\n{ends}\n{difference}"))
    })
}

/// The checks of a system, and what the first of them found.
struct Agreeing<'a> {
    system: &'a System,
    findings: &'a Findings,
    limits: Limits,
    /// Whether the loops end.
    is_bounded: bool,
    first: Option<(Configuration, Shown)>,
}

impl Agreeing<'_> {
    fn compare(&mut self, configuration: Configuration, figures: &mut Endless) -> Option<String> {
        let (system, shared) = (self.system, Arc::new(self.system.clone()));
        // The counters of tokio's types would tell each round from the one before it.
        let register = |net: &mut Network, index| register_tracked(net, &shared, index, true);
        let check = |checker: &Checker| interpreter::check_with(checker, system, register);
        self.compare_with(configuration, figures, check)
    }

    fn compare_with(
        &mut self,
        configuration: Configuration,
        figures: &mut Endless,
        check: impl Fn(&Checker) -> (Report, BTreeSet<Ends>),
    ) -> Option<String> {
        let shown = match engine::compared_by(|| self.shown(configuration, figures, check)) {
            Ok(Some(shown)) => shown,
            Ok(None) => {
                figures.too_large += 1;
                return None;
            }
            Err(difference) => return Some(format!("{configuration:?}: {difference}")),
        };
        match &self.first {
            Some((_, first)) if *first == shown => None,
            // Who could still be reached is read off what the units may do from their local states on, and the
            // identities tell local states apart as finely as each does.
            Some((_, first)) if self.findings.helpless && !self.findings.deadlock && first.verdict != shown.verdict => {
                figures.helpless += 1;
                None
            }
            // A unit that goes round in no time stops the timers of all that it reaches by steps that were learned, also by
            // those that an execution took which no longer counts. Both checks show what there may be.
            Some((_, first)) if self.system.may_spin() && first.is_comparable(&shown) => {
                figures.by_order += 1;
                None
            }
            Some((other, first)) => Some(format!("{configuration:?}: {shown:?}, but {first:?} by {other:?}")),
            None => {
                self.first = Some((configuration, shown));
                None
            }
        }
    }

    /// The findings of a check; nothing if the system is too large for it.
    fn shown(
        &self,
        Configuration { order, reduction, identity }: Configuration,
        figures: &mut Endless,
        check: impl Fn(&Checker) -> (Report, BTreeSet<Ends>),
    ) -> Result<Option<Shown>, String> {
        let (system, findings) = (self.system, self.findings);
        let checker = interpreter::checker(system, (order, reduction, false)).identity(identity);
        let states_max = if self.is_bounded { BOUNDED_STATES_MAX } else { STATES_MAX };
        let (report, ends) = check(&checker.max_states(states_max));
        let is_at_limit = report.verdict() == Verdict::Inconclusive && report.states() >= states_max;
        if self.is_bounded && !reduction && is_at_limit {
            return Ok(None);
        }
        // A system that violates something may have infinitely many states beside that, and only by steps a search is sure to
        // come to it.
        let is_clean = findings.panics.is_empty() && !findings.deadlock;
        // In dense time, an order by chance comes to small zones first, which cover little of what follows.
        let is_by_chance = matches!(order, Order::By(Search::Random { .. })) && system.network.takes_time();
        if order != Order::By(Search::Bfs) && (!is_clean || is_by_chance) && is_at_limit {
            return Ok(None);
        }
        if let Err(difference) = engine::compare_report(&report, &ends, findings) {
            figures.apart += 1;
            let is_known = unless_apart(difference, system, self.limits, (&report, &ends), findings)?;
            figures.unknown += u64::from(!is_known);
        }
        let verdict = report.verdict();
        if verdict == Verdict::Violated {
            return Ok(Some(Shown { verdict, outputs: Vec::new(), ends: BTreeSet::new() }));
        }
        let names = (0..system.processes.len()).map(program::name);
        let outputs = names.map(|name| report.outputs(&name).iter().cloned().collect()).collect();
        Ok(Some(Shown { verdict, outputs, ends }))
    }
}

/// Where a check differs from the naive explorer, accepts what it finds if that is all that there is if time passes for
/// fewer units, and nothing that there is not if it passes for each by itself. Says whether it is known what there is at the
/// most.
pub fn unless_apart(
    difference: String,
    system: &System,
    limits: Limits,
    (report, ends): (&Report, &BTreeSet<Ends>),
    findings: &Findings,
) -> Result<bool, String> {
    if !system.may_spin() {
        return Err(difference);
    }
    // With delays, the naive explorer lets time pass for all together.
    let is_known = !system.network.takes_time();
    let most = is_known.then(|| naive::explore(system, each(limits))).flatten().map(|(findings, _)| findings);
    between(report, ends, findings, most.as_ref()).map_err(|not| format!("{difference}\n{not}"))?;
    Ok(most.is_some())
}

/// Whether a check finds all that there is at the least, and nothing else than there is at the most, if that is known.
fn between(report: &Report, ends: &BTreeSet<Ends>, least: &Findings, most: Option<&Findings>) -> Result<(), String> {
    let found = report.counterexample();
    match (report.verdict(), found.map(|found| found.kind())) {
        (Verdict::Violated, Some(ViolationKind::Panic)) => {
            let text = found.map(ToString::to_string).unwrap_or_default();
            let is_known = |most: &Findings| {
                most.panics.iter().any(|(process, message)| text.contains(process) && text.contains(message))
            };
            match most.is_none_or(is_known) {
                true => Ok(()),
                false => Err("no execution comes to it, whosever time passes".to_owned()),
            }
        }
        (Verdict::Violated, Some(ViolationKind::Deadlock)) => {
            match most.is_none_or(|most| most.deadlock || most.helpless) {
                true => Ok(()),
                false => Err("nobody waits for ever, whosever time passes".to_owned()),
            }
        }
        (Verdict::Verified, _) => {
            if !least.panics.is_empty() || least.deadlock {
                return Err("it is missed".to_owned());
            }
            for (index, outputs) in least.outputs.iter().enumerate() {
                let found: BTreeSet<String> = report.outputs(&program::name(index)).iter().cloned().collect();
                let are_possible = most.is_none_or(|most| found.is_subset(&most.outputs[index]));
                if !outputs.is_subset(&found) || !are_possible {
                    return Err(format!("outputs of {}, whosever time passes", program::name(index)));
                }
            }
            let are_possible = most.is_none_or(|most| ends.is_subset(&most.terminals));
            match least.terminals.is_subset(ends) && are_possible {
                true => Ok(()),
                false => Err("ends, whosever time passes".to_owned()),
            }
        }
        _ => Err("neither verified nor violated".to_owned()),
    }
}
