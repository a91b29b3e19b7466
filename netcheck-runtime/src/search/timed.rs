//! Dense time: an execution whose groups have times of their own, as one of the full semantics.
//!
//! The reduced search explores processes that never meet one group after the other, each with a time of its own. So the
//! steps of each group are taken again alone, here, while their instants are kept in the zone; the least solution of all
//! their constraints says when each step takes place. Sorted by these instants, the steps of all groups are an execution
//! of the full semantics: its zone has this solution. Groups whose steps end earlier are run on until the last step's
//! instant, or until they are at rest.
//!
//! Whether a deadline is over may be decided by the order of the steps, and then it is no step of its own. The loss of
//! what never arrives comes when nothing else is left.

use super::filling::Filling;
use super::progress::Progress;
use crate::id::{Mover, ProcessId};
use crate::property::Properties;
use crate::reduction::stubborn::StubbornSet;
use crate::reduction::successors::{PathStep, Successors};
use crate::violation::Found;
use crate::world::components::{ComponentId, StateVector};
use crate::world::step::{Move, Transition};
use crate::world::system::{Interrupt, System};
use crate::world::time::instants::Instants;
use std::collections::VecDeque;

/// Steps of one group at the most.
const STEPS_MAX: usize = 200;

/// A step that is to be taken, found again as the nth of the steps that look like it.
#[derive(Clone)]
struct Planned {
    transition: Transition,
    nth: usize,
}

/// The steps of some processes, by their instants: in nanoseconds, and in their order.
struct Line {
    processes: Vec<ProcessId>,
    /// The numbers on the path of the steps that are known.
    numbers: Vec<usize>,
    state: Vec<u32>,
    instants: Instants,
    steps: Vec<Planned>,
}

/// The path in the full semantics, if it can be taken there and leads to a violation. `filling` says how many steps
/// more the groups may take, and is counted down.
pub(super) fn concretize(
    system: &mut System,
    properties: &Properties,
    path_steps: &[PathStep],
    filling: &mut Filling,
    progress: &Progress,
) -> Result<Option<(Vec<PathStep>, Found)>, Interrupt> {
    let Some(last) = path_steps.last() else { return Ok(None) };
    let is_at_end = properties.step(system, &last.transition).is_none();
    let violating = (!is_at_end).then(|| system.view().process_of_step(&last.transition)).flatten();
    let mut lines = Vec::new();
    for processes in lines_of(system, path_steps) {
        let Some(mut line) = begun(system, path_steps, processes)? else { return Ok(None) };
        if !retrace(system, path_steps, &mut line)? {
            return Ok(None);
        }
        lines.push(line);
    }
    // When the violation takes place; at an end, when all is at rest.
    let is_violating = |line: &Line| violating.is_some_and(|process| line.processes.contains(&process));
    let ends_at_ns = match lines.iter().find(|line| is_violating(line)) {
        Some(line) => instants(system, line).and_then(|at| at.last().copied()),
        None => None,
    };
    if violating.is_some() && ends_at_ns.is_none() {
        return Ok(None);
    }
    for line in &mut lines {
        let is_run_on = !is_violating(line);
        if is_run_on && !run_on(system, line, ends_at_ns, filling, progress)? {
            return Ok(None);
        }
    }
    let mut queues: Vec<VecDeque<(u64, usize, Planned)>> = Vec::new();
    for line in &lines {
        let Some(at) = instants(system, line) else { return Ok(None) };
        let number = |index: usize| line.numbers.get(index).copied().unwrap_or(path_steps.len() + index);
        let timed = at.into_iter().zip(&line.steps).enumerate();
        let timed = timed.map(|(index, (at_ns, step))| (at_ns, number(index), step.clone()));
        queues.push(
            timed
                .filter(|(at_ns, ..)| ends_at_ns.is_none_or(|last_ns| *at_ns <= last_ns))
                .filter(|(.., step)| !step.transition.is_of_search() && step.transition.step != Move::LoseInFlight)
                .collect(),
        );
    }
    follow(system, properties, &path_steps[0].state, queues, filling)
}

/// The processes of the steps of a path that share a time, and the others.
fn lines_of(system: &System, path_steps: &[PathStep]) -> Vec<Vec<ProcessId>> {
    let mut line_of: Vec<usize> = (0..system.processes.len()).collect();
    let mut has_steps = vec![false; line_of.len()];
    let join = |line_of: &mut Vec<usize>, one: ProcessId, other: ProcessId| {
        let [from, to] = [one, other].map(|process| line_of[process.0 as usize]);
        line_of.iter_mut().filter(|line| **line == from).for_each(|line| *line = to);
    };
    for PathStep { transition, scope, .. } in path_steps {
        let Some(process) = system.view().process_of_step(transition) else { continue };
        has_steps[process.0 as usize] = true;
        match scope.as_deref().and_then(|scope| part_of(system, scope, process)) {
            Some(part) => part.into_iter().for_each(|other| join(&mut line_of, process, other)),
            None => (0..line_of.len() as u32).for_each(|other| join(&mut line_of, process, ProcessId(other))),
        }
    }
    let processes = |line: usize| {
        let of_line = line_of.iter().enumerate().filter(move |(_, of)| **of == line);
        of_line.map(|(index, _)| ProcessId(index as u32)).collect::<Vec<_>>()
    };
    let lines = (0..line_of.len()).map(processes).filter(|processes| !processes.is_empty());
    let moves = |processes: &Vec<ProcessId>| processes.iter().any(|process| has_steps[process.0 as usize]);
    let (mut lines, others): (Vec<_>, Vec<_>) = lines.partition(moves);
    let others: Vec<ProcessId> = others.into_iter().flatten().collect();
    if !others.is_empty() {
        lines.push(others);
    }
    lines
}

/// The processes of the part of a stubborn set that a process belongs to.
fn part_of(system: &System, scope: &StubbornSet, process: ProcessId) -> Option<Vec<ProcessId>> {
    let of_part: Vec<ProcessId> = match scope {
        StubbornSet::Component(movers) | StubbornSet::Moves(movers) => {
            movers.iter().map(|mover| system.process_of(mover.unit)).collect()
        }
        StubbornSet::Finished(units) => units.iter().map(|&unit| system.process_of(unit)).collect(),
        StubbornSet::Part { .. } | StubbornSet::Unread(_) | StubbornSet::Nothing => Vec::new(),
    };
    of_part.contains(&process).then_some(of_part)
}

/// A line at the start; `None` if it would be too long.
fn begun(system: &mut System, path_steps: &[PathStep], processes: Vec<ProcessId>) -> Result<Option<Line>, Interrupt> {
    let of_line = |transition: &Transition| {
        let process = system.view().process_of_step(transition);
        process.is_some_and(|process| processes.contains(&process)) && !transition.is_of_search()
    };
    let numbers: Vec<usize> = (0..path_steps.len()).filter(|&number| of_line(&path_steps[number].transition)).collect();
    let mut state = path_steps[0].state.to_vec();
    let is_short = numbers.len() <= STEPS_MAX;
    let instants = is_short.then(|| Instants::begin(system, &mut state, STEPS_MAX)).flatten();
    Ok(instants.map(|instants| Line { processes, numbers, state, instants, steps: Vec::new() }))
}

/// The movers of a line that are live in a state, for which time passes.
fn scope(system: &System, line: &Line) -> StubbornSet {
    let units = system.live_units(&line.state).map(|(unit, _)| unit);
    let own = units.filter(|&unit| line.processes.contains(&system.process_of(unit)));
    StubbornSet::Component(own.map(|unit| Mover { unit, task: None }).collect())
}

/// Takes the steps of a line on the path alone. Says whether they are possible.
fn retrace(system: &mut System, path_steps: &[PathStep], line: &mut Line) -> Result<bool, Interrupt> {
    let mut successors = Successors::default();
    for number in line.numbers.clone() {
        let PathStep { state, transition, scope: known } = &path_steps[number];
        let there = successors.within(system, state, known.as_deref())?.to_vec();
        let Some(nth) = nth_of(system, &there, transition) else { return Ok(false) };
        let scope = scope(system, line);
        let here = successors.within(system, &line.state, Some(&scope))?.to_vec();
        let Some(step) = find(system, &here, &Planned { transition: transition.clone(), nth }) else {
            return Ok(false);
        };
        let step = step.clone();
        line.take(system, step, nth)?;
    }
    Ok(true)
}

/// Takes further steps of a line, until an instant, or until nothing is left but failures and the loss of what never
/// arrives. Says whether it came that far.
fn run_on(
    system: &mut System,
    line: &mut Line,
    until_ns: Option<u64>,
    filling: &mut Filling,
    progress: &Progress,
) -> Result<bool, Interrupt> {
    let mut successors = Successors::default();
    loop {
        if until_ns.is_some_and(|until_ns| line.instants.now_ns(system, &line.state) > until_ns) {
            return Ok(true);
        }
        let scope = scope(system, line);
        let possible = successors.within(system, &line.state, Some(&scope))?.to_vec();
        let goes_on = |step: &&Transition| !step.holds_nothing_up() && !matches!(step.step, Move::LoseInFlight);
        let Some(step) = possible.iter().find(goes_on) else { return Ok(true) };
        if line.steps.len() == STEPS_MAX || progress.is_over() || !filling.take() {
            return Ok(false);
        }
        let Some(nth) = nth_of(system, &possible, step) else { return Ok(false) };
        line.take(system, step.clone(), nth)?;
    }
}

impl Line {
    fn take(&mut self, system: &mut System, transition: Transition, nth: usize) -> Result<(), Interrupt> {
        let mut next = Vec::new();
        system.apply(&self.state, &transition, &mut next)?;
        self.state = next;
        self.instants.step(system, &mut self.state);
        self.steps.push(Planned { transition, nth });
        Ok(())
    }
}

/// The least instants of the steps of a line.
fn instants(system: &System, line: &Line) -> Option<Vec<u64>> {
    let schedule = line.instants.schedule(system, &line.state, &[]).ok()?;
    Some(schedule.steps()[1..].iter().map(|timed| timed.at_ns).collect())
}

/// Takes steps of several lines by their instants, in the full semantics, until something is violated.
fn follow(
    system: &mut System,
    properties: &Properties,
    initial: &StateVector,
    mut queues: Vec<VecDeque<(u64, usize, Planned)>>,
    filling: &mut Filling,
) -> Result<Option<(Vec<PathStep>, Found)>, Interrupt> {
    let (mut state, mut next) = (initial.clone(), Vec::new());
    let (mut successors, mut taken) = (Successors::default(), Vec::new());
    loop {
        let possible = successors.within(system, &state, None)?.to_vec();
        let mut fronts: Vec<usize> = (0..queues.len()).filter(|&line| !queues[line].is_empty()).collect();
        fronts.sort_by_key(|&line| queues[line].front().map(|(at_ns, number, _)| (*at_ns, *number)));
        let offered = |line: usize| queues[line].front().and_then(|(.., planned)| find(system, &possible, planned));
        let settles = |line: usize| matches!(&queues[line].front(), Some((.., planned)) if is_settled(planned));
        let in_turn = fronts.first().copied().filter(|&line| offered(line).is_some());
        let chosen = in_turn.or_else(|| fronts.iter().copied().find(|&line| settles(line) && offered(line).is_some()));
        let transition = match (chosen, fronts.first()) {
            (Some(line), _) => {
                let transition = offered(line).expect("it was looked for").clone();
                queues[line].pop_front();
                transition
            }
            // The order of the steps has settled it.
            (None, Some(&line)) if settles(line) => {
                queues[line].pop_front();
                continue;
            }
            (None, Some(_)) => return Ok(None),
            (None, None) if possible.iter().all(Transition::is_failure) => {
                return Ok(properties.violated_at_end(system, &state).map(|found| (taken, found)));
            }
            (None, None) => {
                if !filling.take() {
                    return Ok(None);
                }
                possible.into_iter().find(|step| !step.is_failure()).expect("not all are failures")
            }
        };
        system.apply(&state, &transition, &mut next)?;
        let found = properties.step(system, &transition);
        taken.push(PathStep { state, transition, scope: None });
        if let Some(found) = found {
            return Ok(Some((taken, found)));
        }
        state = StateVector::from_slice(&next);
    }
}

fn is_settled(planned: &Planned) -> bool {
    matches!(planned.transition.step, Move::Settle { .. })
}

/// Where a step is among those that look like it.
fn nth_of(system: &System, possible: &[Transition], step: &Transition) -> Option<usize> {
    let mut alike = possible.iter().filter(|other| is_alike(system, other, step));
    alike.position(|other| other.step == step.step && other.writes == step.writes && other.events == step.events)
}

fn find<'a>(system: &System, possible: &'a [Transition], planned: &Planned) -> Option<&'a Transition> {
    possible.iter().filter(|other| is_alike(system, other, &planned.transition)).nth(planned.nth)
}

/// Whether two steps are the same but for their instants.
fn is_alike(system: &System, one: &Transition, other: &Transition) -> bool {
    let is_same = match (&one.step, &other.step) {
        (
            Move::Unit { unit, node, input, .. },
            Move::Unit { unit: other_unit, node: other_node, input: other_input, .. },
        ) => (unit, node, input) == (other_unit, other_node, other_input) && one.is_failure() == other.is_failure(),
        (Move::LoseInFlight, Move::LoseInFlight) => return true,
        (step, other) => step == other,
    };
    let written = |step: &Transition| -> Vec<(ComponentId, u32)> {
        step.writes.iter().copied().filter(|(component, _)| Some(*component) != system.zone).collect()
    };
    is_same && one.faults == other.faults && written(one) == written(other)
}
