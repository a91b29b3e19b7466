//! Random monitors over random systems: the engine, in several configurations, agrees with monitors that are run
//! beside each execution of the naive explorer.

use std::sync::Arc;
use std::time::Duration;

use netcheck::check::{Identity, Report, Tasks, Verdict, ViolationKind};
use netcheck::monitor::{Guard, Monitor, Observer, Rule as EngineRule, Seen};

use interpreter::Told;
use oracle::language::automaton::{self, Automaton, Rule, Sighted, VALUE_MAX, What};

use crate::switches::{CHECKS, Switches};
use crate::{endless, engine};
use oracle::language::program::{self, System};
use oracle::naive::{self, Limits, watched};

/// Systems that come to an end have fewer states.
const STATES_MAX: usize = 50_000;

/// An endless system that has more, with monitors, is left.
const ENDLESS_STATES_MAX: usize = 3_000;

/// Counts of the systems compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Watches {
    pub systems: u64,
    /// neither a panic nor a deadlock, and a monitor rejects
    pub only_rejected: u64,
    /// nothing at all is violated
    pub accepted: u64,
    /// the engine reported a rejection
    pub reported: u64,
    /// a monitor with clocks rejected what it accepts without them
    pub timed: u64,
    /// each execution was watched from its start, too
    pub each: u64,
    /// moves were left out beside a monitor
    pub pruned: u64,
    /// checks of endless systems, or in dense time, that came to no end, or to a poll without one
    pub too_large: u64,
    /// a monitor rejected where time may pass for some processes alone
    pub unknown: u64,
}

add_fields!(Watches { systems, only_rejected, accepted, reported, timed, each, pruned, too_large, unknown });

/// A difference between some configuration and the naive explorer.
pub fn disagreement(system: &System, limits: Limits, seed: u64, watches: &mut Watches) -> Option<String> {
    let mut system = system.clone();
    system.network.watched = true;
    let random = |nth| automaton::automaton(2 * seed + nth, system.processes.len(), &system.network);
    let mut automata: Vec<Automaton> = (0..2).map(random).collect();
    if system.network.takes_time() {
        automata.iter_mut().for_each(Automaton::count_in_units);
    }
    let watched = watched::explore(&system, limits, &automata)?;
    watches.systems += 1;
    let shown = || automata.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    // Where packets take time, it may pass without end.
    if !watched.findings.endless && !system.network.takes_time() && seed.is_multiple_of(3) {
        // The oracle's own oracle.
        if let Some(each) = watched::explore_each(&system, 500, &automata) {
            watches.each += 1;
            if each != watched {
                return Some(format!("each execution by itself: {each:?}\nby states: {watched:?}\n{}", shown()));
            }
        }
    }
    let is_clean = watched.findings.panics.is_empty() && !watched.findings.deadlock;
    let is_rejected = watched.rejected.contains(&true);
    watches.only_rejected += u64::from(is_clean && is_rejected);
    watches.accepted += u64::from(is_clean && !is_rejected);
    if is_clean && is_rejected {
        let untimed: Vec<Automaton> = automata.iter().map(without_clocks).collect();
        let without = watched::explore(&system, limits, &untimed);
        watches.timed += u64::from(without.is_some_and(|without| !without.rejected.contains(&true)));
    }
    let system = Arc::new(system);
    for nth in 0..CHECKS {
        let switches = Switches::of(&system, seed, nth);
        // Both together; then each by itself; then the same monitors, which now take everything.
        let mut sets = vec![(automata.clone(), vec![0, 1])];
        if nth == seed % 2 {
            sets.push((automata[..1].to_vec(), vec![0]));
            sets.push((automata[1..].to_vec(), vec![1]));
            sets.push((automata.iter().map(automaton::patient).collect(), Vec::new()));
        }
        for (monitors, numbers) in sets {
            let run = || compare((&system, limits), &monitors, (&watched, &numbers), switches, watches);
            if let Err(difference) = engine::compared_by(run) {
                if is_stuck_in_poll(&system, &difference) {
                    watches.too_large += 1;
                    return None;
                }
                return Some(format!("{switches}, monitors {numbers:?}: {difference}\n{}", shown()));
            }
        }
    }
    None
}

/// Whether a loop that never ends has gone round without an await, as it may where time passes for it by itself: the naive
/// explorer, which has one clock for all, may not come there.
fn is_stuck_in_poll(system: &System, difference: &str) -> bool {
    system.may_spin() && difference.contains("a poll of process") && difference.contains("has not returned")
}

fn without_clocks(automaton: &Automaton) -> Automaton {
    let mut without = automaton.clone();
    without.states.iter_mut().for_each(|state| state.deadline = None);
    without.rules.iter_mut().for_each(|rule| rule.clock = None);
    without
}

fn compare(
    (system, limits): (&Arc<System>, Limits),
    monitors: &[Automaton],
    (watched, numbers): (&watched::Watched, &[usize]),
    switches: Switches,
    watches: &mut Watches,
) -> Result<(), String> {
    let checker = interpreter::checker(system, (switches.order, switches.reduction, switches.subsumption))
        .tasks(if switches.tracked { Tasks::Tracked } else { Tasks::Shared })
        .symmetry(switches.symmetry)
        .capture(switches.capture)
        .threads(switches.threads)
        .store(switches.store)
        .max_states(if watched.findings.endless { ENDLESS_STATES_MAX } else { STATES_MAX });
    // By histories, a loop that never ends never comes back to where it was.
    let checker = if watched.findings.endless { checker.identity(Identity::Memory) } else { checker };
    let (report, ends) = interpreter::check_with(&checker, system, |net, index| {
        if index == 0 {
            monitors.iter().for_each(|automaton| net.monitor(observer(automaton)));
        }
        interpreter::register_tracked(net, system, index, switches.look_alikes);
    });
    watches.pruned += report.pruned();
    let kind = report.counterexample().map(|counterexample| counterexample.kind());
    watches.reported += u64::from(kind == Some(ViolationKind::Monitor));
    let expected = numbers.iter().any(|&number| watched.rejected[number]);
    let possible = numbers.iter().any(|&number| watched.rejected_or_panicking[number]);
    match (report.verdict(), kind) {
        (Verdict::Violated, Some(ViolationKind::Monitor)) if possible => Ok(()),
        (Verdict::Inconclusive, _) if watched.findings.endless || system.network.takes_time() || system.may_spin() => {
            watches.too_large += 1;
            Ok(())
        }
        // The watching explorer does not know what a monitor sees if time passes for some processes alone.
        (Verdict::Violated, Some(ViolationKind::Monitor)) if system.may_spin() => {
            watches.unknown += 1;
            Ok(())
        }
        (Verdict::Violated, Some(ViolationKind::Monitor)) => {
            Err(format!("no execution is rejected, and\n{}", text(&report)))
        }
        (Verdict::Verified, _) if expected => Err("an execution is rejected, and the engine finds none".to_owned()),
        // The rejection may lie behind another violation, or that one behind it.
        (Verdict::Violated, _) if expected => Ok(()),
        // Beside others that go on, which whoever watches each execution by itself does not ask for.
        (Verdict::Violated, Some(ViolationKind::Deadlock))
            if naive::explore(system, limits).is_some_and(|(findings, _)| findings.helpless) =>
        {
            Ok(())
        }
        _ => engine::compare_report(&report, &ends, &watched.findings).or_else(|difference| {
            // Whoever watches has one clock for all that it sees; what programs do does not depend on that.
            let mut unwatched = System::clone(system);
            unwatched.network.watched = false;
            endless::unless_apart(difference, &unwatched, limits, (&report, &ends), &watched.findings).map(drop)
        }),
    }
}

fn text(report: &Report) -> String {
    report.counterexample().map(ToString::to_string).unwrap_or_default()
}

/// The monitor as the engine knows it.
fn observer(automaton: &Automaton) -> Observer {
    let mut builder = Monitor::builder("random");
    for variable in 0..automaton.variables {
        builder = builder.variable(&format!("v{variable}"), 0..=VALUE_MAX);
    }
    for clock in 0..automaton.clocks {
        builder = builder.clock(&clock_name(clock));
    }
    for (number, state) in automaton.states.iter().enumerate() {
        builder = builder.state(&state_name(number));
        if state.accepting {
            builder = builder.accepting(&state_name(number));
        }
        if let Some((clock, ms)) = state.deadline {
            builder = builder.deadline(&state_name(number), &clock_name(clock), milliseconds(ms));
        }
    }
    for rule in &automaton.rules {
        builder = builder.rule(&state_name(rule.from), &state_name(rule.to), engine_rule(rule));
    }
    let observed = automaton.clone();
    let monitor = builder.observes(move |event: &Sighted| observed.observes(*event)).build();
    Observer::new(monitor.expect("a random monitor has no mistakes"), sighted)
}

fn engine_rule(rule: &Rule) -> EngineRule<Sighted> {
    let own = rule.clone();
    let mut made = match rule.otherwise {
        true => EngineRule::otherwise(),
        false => EngineRule::on("a pattern", move |event: &Sighted| own.matches(*event)),
    };
    if rule.test.is_some() {
        let own = rule.clone();
        let holds = move |_: &Sighted, values: &netcheck::monitor::Values<'_>| {
            own.holds(|variable| values.get(&format!("v{variable}")))
        };
        made = made.when("a test", holds);
    }
    if let Some((clock, at_least, ms)) = rule.clock {
        made = made.guard(match at_least {
            true => Guard::at_least(&clock_name(clock), milliseconds(ms)),
            false => Guard::at_most(&clock_name(clock), milliseconds(ms)),
        });
    }
    if let Some((variable, assigned)) = rule.assignment {
        let name = format!("v{variable}");
        let read = name.clone();
        made = made.set(&name, move |event, values| assigned.value(*event, values.get(&read)));
    }
    if let Some(clock) = rule.reset {
        made = made.reset(&clock_name(clock));
    }
    made
}

fn sighted(seen: &Seen<'_>) -> Option<Sighted> {
    let (what, process, value) = match seen {
        Seen::Started { process, .. } => (What::Started, process, 0),
        Seen::Departed { process, payload: [value], .. } => (What::Departed, process, *value),
        Seen::Arrived { process, payload: [value], .. } => (What::Arrived, process, *value),
        Seen::Connected { process, .. } => (What::Connected, process, 0),
        Seen::Accepted { process, .. } => (What::Accepted, process, 0),
        Seen::Fired { process, .. } => (What::Fired, process, 0),
        Seen::Emitted { process, value, .. } => (What::Emitted, process, value.get::<Told>()?.0),
        Seen::Ended { process, .. } => (What::Ended, process, 0),
        Seen::Crashed { process, .. } => (What::Crashed, process, 0),
        Seen::Restarted { process, .. } => (What::Restarted, process, 0),
        Seen::Cut { .. } => return Some(Sighted { what: What::Cut, process: 0, value: 0 }),
        Seen::Healed { .. } => return Some(Sighted { what: What::Healed, process: 0, value: 0 }),
        _ => return None,
    };
    let process = (0..).find(|&index| program::name(index) == **process).expect("all processes have such names");
    Some(Sighted { what, process, value })
}

fn state_name(number: usize) -> String {
    format!("s{number}")
}

fn clock_name(number: usize) -> String {
    format!("c{number}")
}

fn milliseconds(ms: u32) -> Duration {
    Duration::from_millis(u64::from(ms))
}
