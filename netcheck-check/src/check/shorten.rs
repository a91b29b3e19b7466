//! Shortening: the least execution with a violation, in the full semantics. Where its search comes to a bound, the least
//! of those that cheaper searches find.

use super::fixpoint::FULL_STATES_MAX;
use super::setup::{Job, Learned};
use crate::error::Error;
use crate::replay::{End, replay, script};
use crate::trace::step::Step;
use netcheck_runtime::reduction::successors::PathStep;
use netcheck_runtime::search::frontier::Search;
use netcheck_runtime::search::minimal::{Bounds, Cost, First, GaveUp, Minimal, cost, minimal};
use netcheck_runtime::search::plan::{Limits, Plan};
use netcheck_runtime::search::progress::Phase;
use netcheck_runtime::search::prune::pruned;
use netcheck_runtime::violation::Found;
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::declared::Declared;
use netcheck_runtime::world::system::{Interrupt, System};

/// States that the search for the least execution may visit at the most, however large the search before was.
const STATES_MAX: usize = 800_000;

/// The result of the search for a lesser execution.
pub(super) struct Shortened {
    /// The lesser execution, if there is one.
    pub(super) instead: Option<(Vec<Step>, Found)>,
    /// Why it may not be the least one of the full space, in words that follow "was given up".
    pub(super) gave_up: Option<String>,
}

/// An execution with its violation, as any system can repeat it.
#[derive(Clone)]
struct Known {
    cost: Cost,
    /// Whether these are steps of the full semantics.
    is_full: bool,
    steps: Vec<Step>,
    found: Found,
}

impl Known {
    /// The cost that no lesser execution of the full semantics exceeds. Units outside of a stubborn set may have to take
    /// further steps there.
    fn bound(&self) -> Cost {
        if self.is_full { self.cost } else { Cost { steps: u32::MAX, ..self.cost } }
    }

    fn or_lesser(self, other: Option<Known>) -> Known {
        other.filter(|other| other.cost < self.cost).unwrap_or(self)
    }
}

impl Job {
    /// A lesser execution than the given one, with a violation of the same kind; `visited`: the states of the search that
    /// has found it.
    pub(super) fn shortened(
        &mut self,
        learned: &mut Learned,
        (path_steps, steps, found): (&[PathStep], &[Step], &Found),
        visited: usize,
    ) -> Result<Shortened, Error> {
        if !found.at_rest.is_empty() {
            return Ok(Shortened { instead: None, gave_up: Some(GaveUp::Endless.to_string()) });
        }
        self.progress.begin(Phase::Shortening);
        let is_full = is_full(path_steps);
        let given =
            Known { cost: cost(&learned.system, path_steps), is_full, steps: steps.to_vec(), found: found.clone() };
        let states_max = states_max(visited).min(self.checker.states_max);
        let (fewest, has_fewest) = self.with_fewest_faults(learned, given.clone(), states_max)?;
        let first = if has_fewest { First::Steps } else { First::Faults };
        let (least, gave_up) = self.least(learned, (first, states_max), &fewest)?;
        let least = match (least, gave_up) {
            // Also one that costs as much: it is the same, whatever the search has found.
            (Some(Known { steps, found, .. }), None) => {
                return Ok(Shortened { instead: Some((steps, found)), gave_up: None });
            }
            (least, _) => least,
        };
        let mut best = fewest.or_lesser(least);
        if !has_fewest && !self.progress.has_to_end() {
            let (shorter, _) =
                self.least(learned, (First::Steps, FULL_STATES_MAX.min(self.checker.states_max)), &best)?;
            best = best.or_lesser(shorter);
        }
        if !self.progress.has_to_end() {
            let pruned = self.pruned(learned, &best)?;
            best = best.or_lesser(pruned);
        }
        let gave_up = gave_up.unwrap_or(GaveUp::States(states_max));
        let instead = (best.cost < given.cost).then_some((best.steps, best.found));
        Ok(Shortened { instead, gave_up: Some(gave_up.to_string()) })
    }

    /// The least execution of the full space, or the least that is met before a bound is reached, unless it costs more
    /// than the known one.
    fn least(
        &mut self,
        learned: &mut Learned,
        (first, states_max): (First, usize),
        known: &Known,
    ) -> Result<(Option<Known>, Option<GaveUp>), Error> {
        let memory_bytes_max = self.checker.memory_bytes_max;
        self.attempt_on(learned, |job, system, initial| {
            let bounds = Bounds { first, known: known.bound(), states_max, memory_bytes_max, progress: &job.progress };
            let Minimal { least, gave_up } = minimal(system, initial, &job.properties, known.found.kind, bounds)?;
            let least = match least {
                Some((path_steps, found, cost)) => {
                    Some(Known { cost, is_full: true, steps: script(system, &path_steps)?, found })
                }
                None => None,
            };
            Ok((least, gave_up))
        })
    }

    /// The execution with the fewest faults that reduced searches find, by faults, and whether there is none with fewer.
    fn with_fewest_faults(
        &mut self,
        learned: &mut Learned,
        given: Known,
        states_max: usize,
    ) -> Result<(Known, bool), Error> {
        let mut fewest = given;
        if fewest.cost.faults > 1 && self.checker.reduction && !self.progress.has_to_end() {
            // Without a limit, which takes part in the states.
            let (found, _) = self.reduced_by_faults(self.declared.clone(), states_max)?;
            fewest = self.unless_more(learned, fewest, found)?.0;
        }
        while fewest.cost.faults > 0 {
            if !self.checker.reduction || self.progress.has_to_end() {
                return Ok((fewest, false));
            }
            let declared = self.declared.clone().with_fewer_faults_than(fewest.cost.faults);
            let (found, is_complete) = self.reduced_by_faults(declared, states_max)?;
            if found.is_none() {
                return Ok((fewest, is_complete));
            }
            let (lesser, is_lesser) = self.unless_more(learned, fewest, found)?;
            if !is_lesser {
                return Ok((lesser, false));
            }
            fewest = lesser;
        }
        Ok((fewest, true))
    }

    /// The execution that was found in place of a known one, if it has fewer faults and can be repeated under the declared
    /// ones. Its violation is of the same kind, unless whatever has the fewest faults was asked for.
    fn unless_more(
        &mut self,
        learned: &mut Learned,
        known: Known,
        found: Option<Known>,
    ) -> Result<(Known, bool), Error> {
        let is_any_meant = self.checker.search == Some(Search::Faults) && self.checker.score.is_none();
        let is_meant = |found: &Found| (is_any_meant || found.kind == known.found.kind) && !found.is_error;
        let has_fewer = |found: &Known| found.cost.faults < known.cost.faults && is_meant(&found.found);
        match found.filter(has_fewer) {
            Some(found) if self.happens_again(learned, &found)? => Ok((found, true)),
            _ => Ok((known, false)),
        }
    }

    /// Whether an execution can be repeated where the faults are the declared ones, with its violation and its cost.
    fn happens_again(&mut self, learned: &mut Learned, known: &Known) -> Result<bool, Error> {
        let again =
            self.attempt_on(learned, |job, system, initial| replay(system, initial, &job.properties, &known.steps))?;
        Ok(matches!(again.end, End::Violated(again) if again.is_again(&known.found)))
    }

    /// The finding of a reduced search by faults, as an execution of the full semantics, and whether it has seen everything
    /// without finding anything. A violation that could not be taken through the full semantics may be none.
    fn reduced_by_faults(&mut self, declared: Declared, states_max: usize) -> Result<(Option<Known>, bool), Error> {
        let declared = std::mem::replace(&mut self.declared, declared);
        let (asymmetries, tasks) = (self.asymmetries.len(), self.tasks.len());
        let searched = self.attempt(|job, system, initial| job.searched_by_faults(system, initial, states_max));
        self.declared = declared;
        // The report is about the search before.
        self.asymmetries.truncate(asymmetries);
        self.tasks.truncate(tasks);
        self.progress.begin(Phase::Shortening);
        Ok(searched?.0)
    }

    fn searched_by_faults(
        &self,
        system: &mut System,
        initial: &StateVector,
        states_max: usize,
    ) -> Result<(Option<Known>, bool), Interrupt> {
        let classes = self.like_processes();
        let plan = self.plan(system, classes.as_ref());
        let limits = Limits { states_max, ..plan.limits };
        let mut plan = Plan { search: Search::Faults, score: None, limits, ..plan };
        // Of like states, the one with the fewest faults is looked for.
        let mut uses = self.uses();
        uses.merges_after = None;
        let (mut explored, _) = self.to_fixpoint(system, initial, &mut plan, uses)?;
        explored.name_processes(system, &self.properties)?;
        let Some((path_steps, found)) = explored.concrete.take() else {
            return Ok((None, explored.found.is_none() && explored.is_complete()));
        };
        let (cost, is_full) = (cost(system, &path_steps), is_full(&path_steps));
        Ok((Some(Known { cost, is_full, steps: script(system, &path_steps)?, found }), false))
    }

    /// The known execution without steps that its violation does not need.
    fn pruned(&mut self, learned: &mut Learned, known: &Known) -> Result<Option<Known>, Error> {
        if self.is_dense() {
            // Its steps depend on the instants of all others.
            return Ok(None);
        }
        self.attempt_on(learned, |job, system, initial| {
            let path = replay(system, initial, &job.properties, &known.steps)?.path;
            let judged = (&job.properties, known.found.kind);
            Ok(match pruned(system, initial, judged, &path, &job.progress)? {
                Some(((path_steps, found), cost)) => {
                    Some(Known { cost, is_full: true, steps: script(system, &path_steps)?, found })
                }
                None => None,
            })
        })
    }
}

/// Whether no step relies on a stubborn set.
fn is_full(path_steps: &[PathStep]) -> bool {
    path_steps.iter().all(|path_step| path_step.scope.is_none())
}

/// States that the search for the least execution may visit: at least as many as the search that has found one, in
/// steps that a change of the engine seldom passes.
fn states_max(visited: usize) -> usize {
    let enough = |states: &usize| *states >= visited;
    let sizes = std::iter::successors(Some(FULL_STATES_MAX), |states| Some(states * 2));
    sizes.take_while(|&states| states < STATES_MAX).find(enough).unwrap_or(STATES_MAX)
}
