//! Shortening: the least execution with a violation, in the full semantics and within a bound.

use super::fixpoint::FULL_STATES_MAX;
use super::setup::Job;
use crate::error::Error;
use crate::reduction::successors::PathStep;
use crate::replay::script;
use crate::search::explore::explore;
use crate::search::frontier::Search;
use crate::search::minimal::{Bounds, Cost, Minimal, cost, minimal};
use crate::search::plan::{Limits, Plan};
use crate::search::progress::Phase;
use crate::trace::step::Step;
use crate::violation::Found;
use crate::world::store::Keep;
use crate::world::system::System;

/// The result of the search for a lesser execution.
pub(super) struct Shortened {
    /// The lesser execution, if there is one.
    pub(super) instead: Option<(Vec<Step>, Found)>,
    /// Whether no execution of the full space is less.
    pub(super) is_least: bool,
}

impl Job {
    /// A lesser execution with the violation to which some steps of a system lead.
    pub(super) fn shortened(
        &mut self,
        system: &System,
        path_steps: &[PathStep],
        found: &Found,
    ) -> Result<Shortened, Error> {
        match (self.checker.search, &self.checker.score) {
            (Some(Search::Faults), None) => self.with_fewer_faults(path_steps),
            _ => self.minimal(found, (path_steps.len(), cost(system, path_steps))),
        }
    }

    /// An execution with fewer faults, or as many and fewer steps, by faults over all schedules.
    fn with_fewer_faults(&mut self, path_steps: &[PathStep]) -> Result<Shortened, Error> {
        if !self.checker.reduction {
            return Ok(Shortened { is_least: true, instead: None });
        }
        let limits = Limits { states_max: FULL_STATES_MAX.min(self.checker.states_max), ..self.limits() };
        let (better, _) = self.attempt(|job, system, initial| {
            let plan = Plan {
                search: Search::Faults,
                score: None,
                keep: Keep::Exact,
                subsumes: false,
                compares_channels: false,
                symmetry: None,
                link_bytes_max: None,
                patience: u64::MAX,
                limits,
                threads: job.checker.threads,
                progress: &job.progress,
            };
            let mut explored = explore(system, initial, plan, None, &job.properties)?;
            let is_least = explored.limit.is_none();
            let Some((at, instead)) = explored.found.clone().filter(|(_, found)| !found.is_error) else {
                return Ok(Shortened { is_least, instead: None });
            };
            let better = explored.path(system, at)?;
            let instead = match (faults(&better), better.len()) < (faults(path_steps), path_steps.len()) {
                true => Some((script(system, &better)?, instead)),
                false => None,
            };
            Ok(Shortened { is_least, instead })
        })?;
        Ok(better)
    }

    /// The least execution with the same kind of violation, unless it costs more than the one at hand.
    fn minimal(&mut self, found: &Found, known: (usize, Cost)) -> Result<Shortened, Error> {
        let steps_max = known.0;
        let states_max = FULL_STATES_MAX.min(self.checker.states_max);
        let memory_bytes_max = self.checker.memory_bytes_max;
        self.progress.begin(Phase::Shortening);
        let (shortened, _) = self.attempt(|job, system, initial| {
            let bounds = Bounds { steps_max, states_max, memory_bytes_max, progress: &job.progress };
            let Minimal { least, gave_up } = minimal(system, initial, &job.properties, found.kind, bounds)?;
            let is_least = !gave_up && least.is_some();
            // One that was met before a bound may be no better.
            let better = least.filter(|(path_steps, _, cost)| is_least || (path_steps.len(), *cost) < known);
            let instead = match better {
                Some((path_steps, instead, _)) => Some((script(system, &path_steps)?, instead)),
                None => None,
            };
            Ok(Shortened { is_least, instead })
        })?;
        Ok(shortened)
    }
}

fn faults(path_steps: &[PathStep]) -> u32 {
    path_steps.iter().map(|path_step| path_step.transition.faults).sum()
}
