//! Simulation: whole random executions from the start, one after the other, in the full semantics.
//!
//! No state is kept and none is looked up, so an execution takes the time of its steps, however large the space is. What
//! units have done once is a look-up the next time, as in every search: user code is polled for what is new. Of what is
//! new only the step that is drawn is learned: an outcome that the program may still refuse is drawn as any other, and
//! drawn again without it if it does. So an execution goes on with the run that has come so far, and most of its steps
//! take one poll. (Where all executions are taken in order, in dense time, and where monitors see steps, all outcomes of
//! a state are learned.)
//!
//! `chance` draws the steps, `in_order` takes all executions one after the other instead; `drawn` has the delays.
//!
//! *Every execution can be drawn.* In each state every step has a positive probability, in at least one of the four
//! kinds of executions that take turns: so with more and more executions, each finite one is drawn with a probability
//! that goes to 1. Which ones are drawn is decided by the seed and the number of the execution, by how long the ones before
//! were, and by which outcomes they have learned to be refused.
//!
//! *How long they are.* Programs may go on for ever: daemons that poll, tick or connect again. Half of the executions end
//! where all processes that are no daemons have ended, and what can happen without time passing has; the others go on,
//! since what was begun may break later. All are cut off after a number of steps that `length` says, or twice as many as
//! any execution needed that came to an end of its own.

use super::chance::{Chance, Chooser};
use super::drawn::Delays;
use super::explored::Explored;
use super::frontier::length::steps_max;
use super::in_order::InOrder;
use super::plan::{Limit, Plan};
use super::progress::{Phase, Seen};
use super::prune::pruned;
use crate::id::UnitId;
use crate::operation::Input;
use crate::property::{Properties, Terminal};
use crate::reduction::successors::{PathStep, Successors};
use crate::unit::automaton::EdgeId;
use crate::violation::Found;
use crate::world::components::StateVector;
use crate::world::step::{Class, Move, Transition};
use crate::world::system::{Interrupt, System};
use ahash::AHashMap;

/// Steps of one execution at the most, unless `max_depth` says otherwise.
const STEPS_MAX: usize = 10_000;

/// Kinds of executions that take turns, as [`Chance`] has them.
const KINDS: u64 = 4;

/// Local states that are learned at the most: each execution of programs without end has new ones.
const LOCAL_STATES_MAX: usize = 4_000_000;

/// The figures of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simulated {
    /// Whether it came to its end, and was not given up.
    pub is_complete: bool,
    /// Whether there are no other executions.
    pub(crate) are_all: bool,
    pub(crate) executions: u64,
    pub(crate) cut: u64,
    pub(crate) faults_offered: usize,
    pub(crate) faults_taken: usize,
}

impl Simulated {
    /// The sentence that nothing was found, with why there are no more executions.
    pub fn in_words(&self, why: &str) -> String {
        let executions = match self.executions {
            1 => "1 execution".to_owned(),
            executions => format!("{} executions", grouped(executions)),
        };
        let all = if self.are_all { ", and there are no others" } else { "" };
        format!("no violation in {executions}{all}{why}")
    }

    /// The sentence about what the executions have covered.
    pub fn coverage(&self) -> String {
        let Simulated { executions, cut, faults_offered, faults_taken, .. } = self;
        format!("{executions} executions, {cut} of them cut off, {faults_taken} of {faults_offered} fault points taken")
    }

    /// Executions that were run, from the start to their ends.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// Executions among them that were cut off, after 10,000 steps or as many as `max_depth` says at the most.
    pub fn cut_off(&self) -> u64 {
        self.cut
    }

    /// Fault points that were met: local states of a program, each with an outcome that counts as a fault or a failure
    /// there; and losses of all that is under way.
    pub fn fault_points(&self) -> usize {
        self.faults_offered
    }

    /// Fault points of which an execution has taken the fault.
    pub fn fault_points_taken(&self) -> usize {
        self.faults_taken
    }
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |index: usize| index > 0 && (digits.len() - index).is_multiple_of(3);
    let each = digits.char_indices().map(|(index, digit)| format!("{}{digit}", if comma(index) { "," } else { "" }));
    each.collect()
}

/// Which executions are run.
pub struct Executions<'a> {
    pub seed: u64,
    /// All of them, depth-first, and not those that are drawn.
    pub in_order: bool,
    /// If each copy of a datagram takes the time that is drawn for it.
    pub delays: Option<&'a Delays>,
    /// Whether so many are enough.
    pub is_enough: &'a dyn Fn(u64) -> bool,
}

/// Runs executions until one violates a property, or so many of them are enough.
pub fn simulate(
    system: &mut System,
    initial: &StateVector,
    plan: Plan<'_>,
    properties: &Properties,
    executions: &Executions<'_>,
) -> Result<(Explored, Simulated), Interrupt> {
    let Executions { seed, in_order, delays, is_enough } = *executions;
    let mut explored = Explored::new(system, initial, plan, false);
    let (first, _) = explored.store.insert(initial, None);
    let mut simulation = Simulation {
        properties,
        steps_max: plan.limits.depth_max.min(STEPS_MAX),
        has_all_lengths: !in_order,
        steps_longest: 0,
        steps_whole: 0,
        points: AHashMap::new(),
        simulated: Simulated::default(),
        explored,
        successors: Successors::default(),
        postpones: !in_order && !system.has_delay() && system.monitors.is_empty(),
        delays,
    };
    let mut chooser =
        if in_order { Chooser::InOrder(InOrder::default()) } else { Chooser::Chance(Chance::new(seed, 0, 0)) };
    let found = loop {
        let number = simulation.simulated.executions;
        let is_exhausted = !chooser.begin(seed, number, simulation.steps_longest);
        simulation.simulated.are_all = is_exhausted && simulation.simulated.cut == 0;
        let is_over = is_enough(number) || is_exhausted;
        let learned = system.learner.automata.nodes.len();
        let is_ended = plan.progress.note(Seen {
            states: number,
            frontier: 0,
            depth: simulation.explored.depth as u64,
            local_states: learned as u64,
            memory_bytes: 0,
            fault_points: simulation.points.len() as u64,
        });
        if is_over || is_ended || learned > LOCAL_STATES_MAX {
            simulation.explored.limit = Some(match is_over {
                true => Limit::Simulated,
                false if is_ended => Limit::Interrupt,
                false => Limit::LocalStates,
            });
            break None;
        }
        let length = simulation.length(number);
        let found = simulation.run(system, initial, &mut chooser, length)?;
        simulation.simulated.executions += 1;
        if found.is_some() {
            break found;
        }
    };
    let Simulation { mut explored, mut simulated, points, .. } = simulation;
    if let Some((path_steps, found)) = found {
        let given: Vec<Transition> = path_steps.iter().map(|step| step.transition.clone()).collect();
        plan.progress.begin(Phase::Shortening);
        let lesser = pruned(system, initial, (properties, found.kind), &given, plan.progress)?;
        let (path_steps, found) = lesser.map_or((path_steps, found), |(lesser, _)| lesser);
        explored.found = Some((first, found.clone()));
        explored.concrete = Some((path_steps, found));
    }
    simulated.is_complete = explored.limit == Some(Limit::Simulated);
    (simulated.faults_offered, simulated.faults_taken) =
        (points.len(), points.values().filter(|taken| **taken).count());
    Ok((explored, simulated))
}

/// A fault point: the unit's local state, the number of the operation, and the outcome; `None` for the network.
type FaultPoint = Option<(UnitId, u32, u32, u32)>;

/// Where an execution ends that has not come to rest.
#[derive(Clone, Copy)]
struct Length {
    steps_max: usize,
    /// Whether it goes on when all processes that are no daemons have ended.
    goes_on: bool,
}

struct Simulation<'a> {
    properties: &'a Properties,
    steps_max: usize,
    /// Whether executions are of different lengths.
    has_all_lengths: bool,
    /// The steps of the longest execution.
    steps_longest: usize,
    /// The steps of the longest one that was not cut off.
    steps_whole: usize,
    /// The fault points that were met, and whether the fault was taken.
    points: AHashMap<FaultPoint, bool>,
    simulated: Simulated,
    explored: Explored,
    successors: Successors,
    /// Whether only the steps that are taken are learned.
    postpones: bool,
    delays: Option<&'a Delays>,
}

impl Simulation<'_> {
    /// The length of an execution, by its number.
    fn length(&self, number: u64) -> Length {
        if !self.has_all_lengths {
            return Length { steps_max: self.steps_max, goes_on: true };
        }
        let round = number / KINDS;
        let steps_max = steps_max(round / 2).max(2 * self.steps_whole).min(self.steps_max);
        Length { steps_max, goes_on: !round.is_multiple_of(2) }
    }

    /// One execution; what it violates, with its steps.
    fn run(
        &mut self,
        system: &mut System,
        initial: &StateVector,
        chooser: &mut Chooser,
        length: Length,
    ) -> Result<Option<(Vec<PathStep>, Found)>, Interrupt> {
        let mut state = initial.clone();
        let mut next = Vec::new();
        let mut taken: Vec<PathStep> = Vec::new();
        // The step that was drawn, and has been learned since.
        let mut drawn: Option<(UnitId, Input)> = None;
        let mut is_judged = false;
        loop {
            self.steps_longest = self.steps_longest.max(taken.len());
            self.explored.depth = self.steps_longest;
            let possible = match self.postpones {
                true => self.successors.postponing(system, &state)?,
                false => self.successors.within(system, &state, None)?,
            };
            for step in possible.iter().filter(|step| step.is_fault()) {
                self.points.entry(fault_point(step)).or_default();
            }
            // Failures need not happen: this may be the end.
            let is_over = possible.is_empty();
            let may_end = possible.iter().all(Transition::is_failure);
            let is_left = !length.goes_on && possible.iter().all(waits) && is_left_to_daemons(system, initial, &state);
            let is_new_end = may_end && !std::mem::replace(&mut is_judged, may_end);
            if is_new_end && let Some(found) = self.ended(system, &state) {
                return Ok(Some((taken, found)));
            }
            if is_over || is_left || is_new_end && !chooser.goes_on_with_failures() {
                self.steps_whole = self.steps_whole.max(taken.len());
                return Ok(None);
            }
            let possible = self.successors.chosen();
            let is_drawn = |step: &Transition| input(step).is_some_and(|of| drawn == Some(of));
            let again = possible.iter().position(is_drawn);
            let Some(index) = again.or_else(|| chooser.choose(possible)) else { return Ok(None) };
            let step = possible[index].clone();
            if taken.len() >= length.steps_max {
                self.simulated.cut += 1;
                return Ok(None);
            }
            if let Move::Unit { unit, node, input, edge: EdgeId::POSTPONED, .. } = step.step {
                if system.is_refused(node, input)? {
                    self.points.remove(&fault_point(&step));
                }
                drawn = Some((unit, input));
                continue;
            }
            (drawn, is_judged) = (None, false);
            if step.is_fault() {
                self.points.insert(fault_point(&step), true);
            }
            self.explored.transitions += 1;
            self.explored.note(system, &step);
            let found = self.properties.step(system, &step);
            system.apply(&state, &step, &mut next)?;
            if let Some(delays) = self.delays {
                system.settle_delays(&state, &step, &mut next, &mut || delays.draw(chooser.random()));
            }
            taken.push(PathStep { state, transition: step, scope: None });
            if let Some(found) = found {
                return Ok(Some((taken, found)));
            }
            state = StateVector::from_slice(&next);
        }
    }

    /// Judges a state in which no step is possible, except failures.
    fn ended(&mut self, system: &System, state: &[u32]) -> Option<Found> {
        let terminal = self.properties.terminal(system, state);
        if matches!(terminal, Terminal::Unfinished) {
            return None;
        }
        self.explored.terminals += 1;
        match terminal {
            Terminal::Deadlock { found, .. } => Some(found),
            Terminal::End { suppressed } => {
                self.explored.suppressed_deadlocks += u64::from(suppressed);
                self.properties.end(system, state)
            }
            Terminal::Spurious => {
                self.explored.suppressed_deadlocks += 1;
                None
            }
            Terminal::Unfinished => None,
        }
    }
}

/// Whether all processes have ended that are no daemons, and there were some.
fn is_left_to_daemons(system: &System, initial: &[u32], state: &[u32]) -> bool {
    let is_awaited = |state| system.live_units(state).any(|(unit, _)| !system.view().is_daemon(unit));
    is_awaited(initial) && !is_awaited(state)
}

/// Whether time passes in a step, or it need not happen.
fn waits(step: &Transition) -> bool {
    matches!(step.class(), Some(Class::Timer { .. })) || matches!(step.step, Move::Pass { .. }) || step.is_fault()
}

/// The unit that takes a step, and what it is told.
fn input(step: &Transition) -> Option<(UnitId, Input)> {
    match step.step {
        Move::Unit { unit, input, .. } => Some((unit, input)),
        _ => None,
    }
}

fn fault_point(step: &Transition) -> FaultPoint {
    match step.step {
        Move::Unit { unit, node, input, .. } => Some((unit, node.0, input.key.0, input.outcome.0)),
        Move::Hang { unit, node, key } => Some((unit, node.0, key.0, u32::MAX)),
        Move::Cut { unit, node, key, cut: (_, number) } => Some((unit, node.0, key.0, u32::MAX - 1 - number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_told_apart() {
        let numbers = [7, 999, 1_000, 12_000, 1_234_567].map(grouped);
        assert_eq!(numbers, ["7", "999", "1,000", "12,000", "1,234,567"]);
    }
}
