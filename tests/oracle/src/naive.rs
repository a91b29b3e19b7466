//! The naive explorer: every execution of a system, one after the other, each from the start.
//!
//! It is an interpreter with a network and a scheduler of its own. It shares no code with the engine and knows
//! nothing of automata, reductions or late choice: how often a packet arrives is chosen when it is sent, and a
//! delivery is allowed if Definition 3 of papers/udp-net-iocache.txt, read literally, can still be met. With `delay`,
//! each arrival of a packet is a move of its own: see `naive/datagrams.rs`.

use std::collections::BTreeSet;

use ahash::AHashMap;

mod alone;
mod connections;
mod datagrams;
mod everyday;
mod fair;
mod files;
mod helpless;
mod moves;
mod objects;
mod operation;
mod partitions;
mod run;
mod state;
mod step;
pub mod watched;

pub use fair::never_ends;

use crate::language::program::System;
use operation::Move;
use run::compile;
use state::{Code, World};

/// The findings of all executions of a system together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// process and message
    pub panics: BTreeSet<(String, String)>,
    pub deadlock: bool,
    /// in some state a process waits for ever, whoever goes on
    pub helpless: bool,
    /// some execution came to rest while a process waited for a next client
    pub suppressed: bool,
    /// of each process, what it ended with
    pub outputs: Vec<BTreeSet<String>>,
    /// of each execution that came to rest, what its processes ended with
    pub terminals: BTreeSet<Vec<Option<String>>>,
    /// the same of executions in which nothing but packets is cut off by the horizon, which may make no difference
    pub perhaps: BTreeSet<Vec<Option<String>>>,
    /// some time-out was elapsed in some execution
    pub timeout_elapsed: bool,
    /// a power failure has taken something of the files that a process has seen
    pub lost: bool,
    /// some operation on a listener or stream failed as declared
    pub failed: bool,
    /// a host gave up a connection or a connect, and its program was told
    pub given_up: bool,
    /// something was read from a stream
    pub read: bool,
    /// a receive that does not wait was given something
    pub found: bool,
    /// one found nothing
    pub found_nothing: bool,
    /// some execution comes back to a state that it has left
    pub endless: bool,
    /// some execution comes back to a state in which it has read from a stream
    pub read_for_ever: bool,
    /// some datagram arrived where nobody was bound who takes it
    pub dropped: bool,
    /// some datagram came to a socket that was not there, or did not take it, when it was sent
    pub overdue: bool,
}

/// How much to explore, and how.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub executions_max: u64,
    /// Break an execution off where it meets a state that an earlier one left in every way.
    /// For systems with too many executions, or endless ones; the findings are the same.
    pub remember: bool,
    pub clocks: Clocks,
}

/// Which units share a clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Clocks {
    /// Tasks that are joined, by the programs as they are written.
    OfJoined,
    /// None: also where a unit goes round in no time, time passes for all others. So what is found is all that there may be
    /// at the most, whichever units meet.
    OfEach,
}

impl Limits {
    pub const fn of(executions_max: u64) -> Self {
        Limits { executions_max, remember: true, clocks: Clocks::OfJoined }
    }
}

/// More packets under way from one socket to another are the beginning of ever more.
const BACKLOG_MAX: usize = 8;

/// More states for each execution that there may be are the beginning of ever more: of a sequence of deliveries, for
/// example, that a channel without a bound has to remember.
const STATES_EACH: u64 = 5;

/// More instructions in a row without a wait are the beginning of ever more.
const RUN_MAX: usize = 1_000;

/// The first of the ports that a process is given which asks for any.
const ANY_PORT: u16 = 50_000;

/// The place of a receive that does not ask for the sender.
const NOWHERE: usize = usize::MAX;

/// The findings and the number of executions, unless there are too many.
pub fn explore(system: &System, limits: Limits) -> Option<(Findings, u64)> {
    let (mut findings, executions) = explore_all(system, limits)?;
    if findings.helpless && system.network.duration_ms.is_some() {
        // A process that waits for ever does so without a horizon, too.
        let mut endless = system.clone();
        endless.network.duration_ms = None;
        let without = explore_all(&endless, limits).map(|(findings, _)| findings);
        findings.helpless = without.is_none_or(|findings| findings.helpless || findings.deadlock);
    }
    Some((findings, executions))
}

fn explore_all(system: &System, limits: Limits) -> Option<(Findings, u64)> {
    let code: Vec<Vec<Vec<Code>>> =
        system.processes.iter().map(|process| process.tasks.iter().map(|task| compile(task)).collect()).collect();
    let mut findings = Findings { outputs: vec![BTreeSet::new(); system.processes.len()], ..Findings::default() };
    if limits.remember {
        let executions = execute_from_each_state(system, &code, limits, &mut findings)?;
        return Some((findings, executions));
    }
    let mut executions = 0;
    // the choice sequence: (chosen, alternatives)
    let mut choices: Vec<(usize, usize)> = Vec::new();
    loop {
        if executions == limits.executions_max {
            return None;
        }
        executions += 1;
        execute(system, &code, &mut choices, &mut findings);
        while choices.pop_if(|(chosen, alternatives)| *chosen + 1 == *alternatives).is_some() {}
        match choices.last_mut() {
            Some((chosen, _)) => *chosen += 1,
            None => return Some((findings, executions)),
        }
    }
}

/// One execution: follows the choices given, then takes the first alternative each time and records it.
fn execute<'a>(
    system: &'a System,
    code: &'a [Vec<Vec<Code>>],
    choices: &mut Vec<(usize, usize)>,
    findings: &mut Findings,
) {
    let mut made = 0;
    let mut world = World::new(system, code);
    loop {
        let mut moves = world.moves();
        if world.may_rest(&moves) {
            world.rest(findings);
        }
        moves.retain(Move::is_step);
        if moves.is_empty() {
            return;
        }
        let chosen = if moves.len() == 1 {
            0
        } else {
            if made == choices.len() {
                choices.push((0, moves.len()));
            }
            let (chosen, alternatives) = choices[made];
            assert_eq!(alternatives, moves.len(), "the interpreter is deterministic");
            made += 1;
            chosen
        };
        let stepped = world.make(&moves[chosen], findings);
        if let Err(panic) = stepped {
            findings.panics.insert(panic);
            return;
        }
    }
}

/// Every execution as far as the first state that one before it has been in; their number, unless there are too many
/// or they need ever more memory.
fn execute_from_each_state(
    system: &System,
    code: &[Vec<Vec<Code>>],
    limits: Limits,
    findings: &mut Findings,
) -> Option<u64> {
    let first = World { clocks: limits.clocks, ..World::new(system, code) };
    let mut numbers = AHashMap::from([(first.state.clone(), 0)]);
    let mut open = vec![(0, first)];
    let mut steps = Vec::new();
    let mut reads = BTreeSet::new();
    let mut helped = Vec::new();
    let mut arrivals = Vec::new();
    let mut waiting = vec![helpless::waiting(&open[0].1)];
    let mut executions = 0;
    while let Some((number, world)) = open.pop() {
        let moves = world.moves();
        if world.may_rest(&moves) {
            world.rest(findings);
        }
        if moves.iter().any(Move::is_of_packets_alone) {
            let others: Vec<Move> = moves.iter().filter(|next| next.is_step()).cloned().collect();
            let mut here = Findings::default();
            if world.may_rest(&others) {
                world.rest(&mut here);
            }
            findings.perhaps.append(&mut here.terminals);
        }
        executions += u64::from(moves.is_empty());
        for chosen in &moves {
            if let Move::Beyond { units } = *chosen {
                // The units may go on there, and it is not known whom they reach.
                helped.push((number, number, units | helpless::UNKNOWN));
                continue;
            }
            let mut next = world.clone();
            if let Err(panic) = next.make(chosen, findings) {
                helped.push((number, number, helpless::mover(system, chosen)));
                findings.panics.insert(panic);
                executions += 1;
                continue;
            }
            if next.runs_on || next.state.has_backlog() {
                return None;
            }
            next.state.forget();
            let new = numbers.len();
            let reached = numbers.get(&next.state).copied().unwrap_or(new);
            steps.push((number, reached));
            if chosen.reads() {
                reads.insert((number, reached));
            }
            if !chosen.is_failure() {
                let need = if world.may_never_come(chosen) { &mut arrivals } else { &mut helped };
                need.push((number, reached, helpless::mover(system, chosen)));
            }
            if reached == new {
                numbers.insert(next.state.clone(), new);
                waiting.push(helpless::waiting(&next));
                open.push((new, next));
            } else {
                executions += 1;
            }
        }
        if executions > limits.executions_max || numbers.len() as u64 > STATES_EACH * limits.executions_max {
            return None;
        }
    }
    let targets = targets(numbers.len(), &steps);
    let is_between = between_cycles(&targets);
    findings.endless = is_between.contains(&true);
    let mut repeated = reads.iter().filter(|(from, to)| is_between[*from] && is_between[*to]);
    findings.read_for_ever = repeated.any(|&(from, to)| leads(&targets, (to, from)));
    findings.helpless |= helpless::some_are(&waiting, &helped);
    helped.append(&mut arrivals);
    helpless::judge(system, &waiting, &helped, findings);
    Some(executions)
}

/// By state, the states to which a step leads.
fn targets(states: usize, steps: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut targets = vec![Vec::new(); states];
    steps.iter().for_each(|&(from, to)| targets[from].push(to));
    targets
}

/// Whether steps lead from one state to another, or it is the same.
fn leads(targets: &[Vec<usize>], (from, to): (usize, usize)) -> bool {
    let mut met = vec![false; targets.len()];
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        if state == to {
            return true;
        }
        if !std::mem::replace(&mut met[state], true) {
            open.extend(&targets[state]);
        }
    }
    false
}

/// By state, whether it lies on a cycle or between two: states that no step leads to, or none from, are taken away as long as
/// there are any.
fn between_cycles(targets: &[Vec<usize>]) -> Vec<bool> {
    let mut sources = vec![Vec::new(); targets.len()];
    for (from, all) in targets.iter().enumerate() {
        all.iter().for_each(|&to| sources[to].push(from));
    }
    let mut is_left = vec![true; targets.len()];
    for (next, before) in [(targets, &sources[..]), (&sources[..], targets)] {
        let mut ways: Vec<usize> = before.iter().map(|all| all.iter().filter(|&&from| is_left[from]).count()).collect();
        let mut open: Vec<usize> = (0..ways.len()).filter(|&state| is_left[state] && ways[state] == 0).collect();
        while let Some(state) = open.pop() {
            is_left[state] = false;
            for &to in &next[state] {
                ways[to] = ways[to].saturating_sub(1);
                if is_left[to] && ways[to] == 0 {
                    open.push(to);
                }
            }
        }
    }
    is_left
}
