//! Executions that never end although everything in them gets its turn.
//!
//! By the definition: an execution stays at last among the states and steps that it meets infinitely often. A process that has
//! to end goes on for ever if it can stay so among states in which it has not ended, and each demand is met that is raised there:
//! weakly (in each of these states) by a task that can take a step, and by a unit for which time can pass; strongly (in one
//! of them) by what a task waits for in a local state of its process, by a datagram that can be delivered, and by a send
//! that need not lose what it sends.
//!
//! States from which a way leads to each other are found by going forwards and backwards from one of them; the states that
//! raise what is not met are taken away, until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use ahash::AHashMap;

use super::helpless::{self, Units};
use super::operation::{Move, Timer, Wait};
use super::run::compile;
use super::state::{Activity, Code, Endpoint, ProcessState, TaskState, World};
use super::{Findings, Limits, between_cycles};
use crate::language::program::{Event, Process, System};

/// More states take too long to judge.
const STATES_MAX: usize = 4_000;

/// The things that fairness is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum About {
    /// a task of a process takes a step
    Task(usize, usize),
    /// of what the task waits for in this local state, this happens: a number that says what
    Operation(usize, Box<ProcessState>, usize, usize),
    Datagram((Endpoint, Endpoint), u8),
    /// what the task sends in this local state is not lost
    Send(usize, Box<ProcessState>, usize),
    /// time passes for a unit
    Clock(usize),
}

/// A state of the system.
#[derive(Default)]
struct Node {
    /// the processes that have to end and have not
    owing: BTreeSet<usize>,
    raised: BTreeSet<usize>,
    /// demands of tasks that can't move while another one of their unit is in the middle of what it does
    held: BTreeSet<usize>,
    /// targets, with what each step meets; without failures
    steps: Vec<(usize, BTreeSet<usize>)>,
}

/// Whether a process that is no daemon need not end; nothing if there are too many states to tell, or a program panics.
pub fn never_ends(system: &System, limits: Limits) -> Option<bool> {
    let code: Vec<Vec<Vec<Code>>> =
        system.processes.iter().map(|process| process.tasks.iter().map(|task| compile(task)).collect()).collect();
    let mut numbers: BTreeMap<About, usize> = BTreeMap::new();
    let nodes = nodes(&World { clocks: limits.clocks, ..World::new(system, &code) }, &mut numbers)?;
    let mut is_weak = vec![false; numbers.len()];
    numbers.iter().for_each(|(about, &number)| is_weak[number] = matches!(about, About::Task(..) | About::Clock(_)));
    Some((0..system.processes.len()).any(|process| {
        let among = (0..nodes.len()).filter(|&state| nodes[state].owing.contains(&process)).collect();
        is_fair(&nodes, &is_weak, among)
    }))
}

fn nodes(first: &World<'_>, about: &mut BTreeMap<About, usize>) -> Option<Vec<Node>> {
    let mut numbers = AHashMap::from([(first.state.clone(), 0)]);
    let mut worlds = vec![first.clone()];
    let mut nodes = Vec::new();
    let outputs = vec![BTreeSet::new(); first.system.processes.len()];
    let mut findings = Findings { outputs, ..Findings::default() };
    while let Some(world) = worlds.get(nodes.len()).cloned() {
        let mut node = Node { owing: owing(&world), ..Node::default() };
        let mut number = |demand: About| {
            let next = about.len();
            *about.entry(demand).or_insert(next)
        };
        node.held = held(&world).map(|(process, task)| number(About::Task(process, task))).collect();
        for step in world.moves().iter().filter(|step| step.is_step()) {
            let mut next = world.clone();
            next.make(step, &mut findings).ok()?;
            if next.runs_on || next.state.has_backlog() {
                return None;
            }
            next.state.forget();
            let new = numbers.len();
            let target = numbers.get(&next.state).copied().unwrap_or(new);
            if target == new {
                numbers.insert(next.state.clone(), new);
                worlds.push(next);
            }
            if step.is_failure() {
                continue;
            }
            let met: BTreeSet<usize> = met(&world, step).into_iter().map(&mut number).collect();
            node.raised.extend(&met);
            if let Move::Send { process, task, copies: Some(0), .. } = *step {
                node.raised.insert(number(About::Send(process, local(&world, process), task)));
            }
            node.steps.push((target, met));
        }
        nodes.push(node);
        if numbers.len() > STATES_MAX {
            return None;
        }
    }
    Some(nodes)
}

/// The processes that have to end and have not.
fn owing(world: &World<'_>) -> BTreeSet<usize> {
    let processes = world.state.processes.iter().zip(&world.system.processes).enumerate();
    let owes = |(_, (state, process)): &(usize, (&ProcessState, &Process))| {
        !state.phase.is_over() && !process.daemon && !state.tasks.iter().any(TaskState::is_accepting)
    };
    processes.filter(owes).map(|(process, _)| process).collect()
}

/// The tasks that wait for another one of their unit, which is in the middle of what it does.
fn held(world: &World<'_>) -> impl Iterator<Item = (usize, usize)> {
    let all = world.state.processes.iter().enumerate().flat_map(|(process, state)| {
        let isolated = &world.system.processes[process].isolated;
        let shared = || (0..state.tasks.len()).filter(|task| !isolated.contains(task));
        let calls = shared().any(|task| state.is_calling(task, world.state.now_ms));
        let is_there = |task: &usize| !matches!(state.tasks[*task].activity, Activity::Unspawned | Activity::Ended);
        let waiting = shared().filter(|&task| !state.is_calling(task, world.state.now_ms)).filter(is_there);
        waiting.filter(|_| calls).map(|task| (process, task)).collect::<Vec<_>>()
    });
    all.collect::<Vec<_>>().into_iter()
}

/// The state of a process by itself, without the times that are left.
fn local(world: &World<'_>, process: usize) -> Box<ProcessState> {
    let mut local = world.state.processes[process].clone();
    local.tasks.iter_mut().flat_map(TaskState::deadlines_ms).for_each(|deadline_ms| *deadline_ms = 0);
    if let Some(interval) = &mut local.interval {
        interval.next_ms = 0;
    }
    Box::new(local)
}

/// The demands that a step meets, and raises where it is possible.
fn met(world: &World<'_>, step: &Move) -> Vec<About> {
    let operation = |process, task, what| About::Operation(process, local(world, process), task, what);
    let of = |process, task, what| vec![About::Task(process, task), operation(process, task, what)];
    match *step {
        Move::Start { process } | Move::Restart { process, .. } | Move::Call { process, .. } => of(process, 0, 0),
        Move::Run { process, task } => of(process, task, 1),
        Move::Bind { process, task } => of(process, task, 2),
        Move::Send { process, task, copies, .. } => {
            let mut all = of(process, task, 3);
            all.extend((copies != Some(0)).then(|| About::Send(process, local(world, process), task)));
            all
        }
        Move::Choose { process, task, .. } => of(process, task, 4),
        Move::ReadClock { process, task } => of(process, task, 5),
        Move::Deliver { process, task, channel, packet } => {
            let socket = match world.wait(process, task) {
                Wait::Recv { sockets, .. } => sockets.iter().position(|socket| socket.number == channel.1.1),
                _ => None,
            };
            let mut all = of(process, task, 6 + socket.unwrap_or(0));
            all.push(About::Datagram(channel, world.state.channels[&channel].packets[packet].value));
            all
        }
        // It is over, and nothing has come.
        Move::FindNothing { process, task } => vec![About::Task(process, task)],
        Move::Fire { process, task, timer, deadline_ms } => {
            let which = match timer {
                Timer::Own => 8,
                Timer::Outer => 9,
                Timer::Tick => 10,
            };
            let mut all = of(process, task, which);
            if deadline_ms > i64::from(world.state.now_ms) {
                all.extend(clocks(world, Units::MAX));
            }
            all
        }
        Move::Pass { .. } => clocks(world, Units::MAX).collect(),
        Move::PassAlone { units, .. } => clocks(world, units).collect(),
        Move::Connect { process, task } => of(process, task, 11),
        Move::Tcp { process, task, ref alternative, .. } | Move::Establish { process, task, ref alternative } => {
            match alternative.event {
                Event::Failed(std::io::ErrorKind::WouldBlock) => vec![About::Task(process, task)],
                _ => of(process, task, 12),
            }
        }
        _ => Vec::new(),
    }
}

/// The demands that time passes for some units.
fn clocks(world: &World<'_>, units: Units) -> impl Iterator<Item = About> {
    let all = 0..helpless::units(world.system).count();
    all.filter(move |unit| units & 1 << unit != 0).map(About::Clock)
}

/// Whether a fair execution stays among some states.
fn is_fair(nodes: &[Node], is_weak: &[bool], among: BTreeSet<usize>) -> bool {
    let mut open = vec![among];
    while let Some(states) = open.pop() {
        let mut states = trimmed(nodes, states);
        let Some(&one) = states.first() else { continue };
        let both: BTreeSet<usize> =
            reached(nodes, &states, one, true).intersection(&reached(nodes, &states, one, false)).copied().collect();
        states.retain(|state| !both.contains(state));
        open.push(states);
        let steps = || both.iter().flat_map(|&state| &nodes[state].steps).filter(|(target, _)| both.contains(target));
        if steps().next().is_none() {
            continue;
        }
        let met: BTreeSet<usize> = steps().flat_map(|(_, met)| met).copied().collect();
        let raised: BTreeSet<usize> = both.iter().flat_map(|&state| &nodes[state].raised).copied().collect();
        let is_waived = |demand: &usize| {
            let told = |state: &usize| nodes[*state].raised.contains(demand) || nodes[*state].held.contains(demand);
            is_weak[*demand] && !both.iter().all(told)
        };
        let unmet: BTreeSet<usize> = raised.difference(&met).copied().filter(|demand| !is_waived(demand)).collect();
        if unmet.is_empty() {
            return true;
        }
        open.push(both.into_iter().filter(|&state| nodes[state].raised.is_disjoint(&unmet)).collect());
    }
    false
}

/// Some states without those that lie neither on a cycle of these states nor between two.
fn trimmed(nodes: &[Node], mut states: BTreeSet<usize>) -> BTreeSet<usize> {
    let mut targets = vec![Vec::new(); nodes.len()];
    for &state in &states {
        let within = nodes[state].steps.iter().map(|(target, _)| *target).filter(|target| states.contains(target));
        targets[state] = within.collect();
    }
    let is_left = between_cycles(&targets);
    states.retain(|&state| is_left[state]);
    states
}

/// The states to which a way leads from one state among some, or from which one leads there.
fn reached(nodes: &[Node], among: &BTreeSet<usize>, from: usize, forwards: bool) -> BTreeSet<usize> {
    let mut before: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &state in among {
        for (target, _) in nodes[state].steps.iter().filter(|(target, _)| among.contains(target)) {
            let (at, next) = if forwards { (state, *target) } else { (*target, state) };
            before.entry(at).or_default().push(next);
        }
    }
    let (mut met, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(state) = open.pop() {
        for &next in before.get(&state).into_iter().flatten() {
            if met.insert(next) {
                open.push(next);
            }
        }
    }
    met
}
