//! The search: rounds of exploration, until no stubborn set has relied on a footprint that grew.

use super::Checker;
use super::setup::Job;
use crate::error::Error;
use netcheck_runtime::reduction::footprint::Footprints;
use netcheck_runtime::reduction::symmetry::Classes;
use netcheck_runtime::reduction::{last, proviso};
use netcheck_runtime::search::estimate::{Estimate, estimate};
use netcheck_runtime::search::explore::explore;
use netcheck_runtime::search::explored::Explored;
use netcheck_runtime::search::frontier::Search;
use netcheck_runtime::search::plan::{Limit, Limits, Plan};
use netcheck_runtime::search::progress::Phase;
use netcheck_runtime::search::simulate::Simulated;
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::step::Transition;
use netcheck_runtime::world::system::{Interrupt, System};

/// States that the first round of the reduced search goes on for when a footprint has grown; each further round, twice
/// as many.
const PATIENCE_STATES: u64 = 4_096;

/// Memory that the states of links take in a reduced search before it is tried in another order.
const LINK_BYTES_MAX: usize = 128 << 20;

/// Rounds of the reduced search that may hit `max_states`, but for one.
const LIMITED_ROUNDS_MAX: usize = 4;

/// States of the full space that are visited at the most to find a violation near the initial state, or to refute one,
/// and at the least to find a less costly one.
pub(super) const FULL_STATES_MAX: usize = 50_000;

/// A search that is over: the explored states, and the system with everything that was learned.
pub(super) struct Searched {
    pub(super) explored: Explored,
    pub(super) rounds: usize,
    /// In dense time: whether processes that never meet were explored one after the other.
    pub(super) apart: bool,
    /// The figures of a simulation, if it was one.
    pub(super) simulated: Option<Simulated>,
    pub(super) system: System,
}

impl Job {
    /// Searches to the fixpoint.
    pub(super) fn search(&mut self) -> Result<Searched, Error> {
        let ((mut explored, rounds), system) = self.attempt(Job::explore)?;
        explored.spread();
        let apart = explored.apart;
        Ok(Searched { explored, rounds, apart, simulated: None, system })
    }

    /// How many states a search would visit, about.
    pub(super) fn estimate(mut self) -> Result<Estimate, Error> {
        let attempt = |job: &Job, system: &mut System, initial: &StateVector| {
            let mut footprints = job.checker.reduction.then(Footprints::default);
            estimate(system, initial, footprints.as_mut(), &job.properties, job.checker.states_max)
        };
        Ok(self.attempt(attempt)?.0)
    }

    /// Explores until the stubborn sets have relied on nothing that grew; a violation has to stand up.
    fn explore(&self, system: &mut System, initial: &StateVector) -> Result<(Explored, usize), Interrupt> {
        let classes = self.like_processes();
        let mut plan = self.plan(system, classes.as_ref());
        let (explored, rounds) = self.to_fixpoint(system, initial, &mut plan)?;
        let explored = self.unless_refuted(system, initial, plan, explored)?;
        let mut explored = self.unless_near(system, initial, plan, explored)?;
        explored.name_processes(system, &self.properties)?;
        Ok((explored, rounds))
    }

    /// How the space is explored.
    pub(super) fn plan<'a>(&'a self, system: &System, classes: Option<&'a Classes>) -> Plan<'a> {
        let Checker { reduction, subsumption, keep, threads, .. } = self.checker;
        Plan {
            search: self.checker.order(),
            score: self.checker.score.as_ref(),
            keep,
            // A state that covers another may lose more datagrams.
            subsumes: subsumption && system.demands.losses == 0 || self.is_dense(),
            compares_channels: subsumption && system.demands.losses == 0,
            symmetry: classes,
            patience: PATIENCE_STATES,
            link_bytes_max: (reduction && !self.is_dense()).then_some(LINK_BYTES_MAX),
            limits: self.limits(),
            threads,
            progress: &self.progress,
            advisor: self,
        }
    }

    /// Explores until the stubborn sets have relied on nothing that grew; also says in how many rounds.
    pub(super) fn to_fixpoint(
        &self,
        system: &mut System,
        initial: &StateVector,
        plan: &mut Plan<'_>,
    ) -> Result<(Explored, usize), Interrupt> {
        let reduction = self.checker.reduction;
        let mut footprints = reduction.then(Footprints::default);
        let (mut limited, mut states_before) = (0, 0);
        for round in 1.. {
            let mut explored = explore(system, initial, *plan, footprints.as_mut(), &self.properties)?;
            explored.states_before = states_before;
            states_before += explored.store.len();
            if explored.gave_up {
                if let Some(footprints) = &mut footprints {
                    proviso::let_time_pass_last(system, footprints, initial);
                }
                plan.link_bytes_max = None;
                continue;
            }
            let grew = match &mut footprints {
                Some(footprints) => self.has_grown(system, initial, footprints, &mut explored)?,
                None => false,
            };
            let is_believed = explored.found.is_some() && (footprints.is_none() || explored.is_believed());
            // With what has been learned since, another round may stay below the limit.
            limited += usize::from(explored.limit == Some(Limit::States));
            let is_over = !grew || explored.is_cut_off() || limited > LIMITED_ROUNDS_MAX;
            if is_over {
                explored.judge_ends(system, &self.properties, !grew)?;
            }
            if is_believed || is_over {
                explored.apart = footprints.as_ref().is_some_and(|footprints| footprints.keep_apart(system));
                return Ok((explored.unless_doubtful(grew), round));
            }
            plan.search = plan.search.again();
            plan.patience = plan.patience.saturating_mul(2);
            plan.subsumes &= footprints.as_ref().is_none_or(|footprints| !footprints.has_endless());
        }
        unreachable!("footprints are finite")
    }

    /// Whether a footprint has grown in a round: with the edges that were learned, or by a cycle of the reduced graph
    /// that would ignore a unit for ever.
    fn has_grown(
        &self,
        system: &mut System,
        initial: &StateVector,
        footprints: &mut Footprints,
        explored: &mut Explored,
    ) -> Result<bool, Interrupt> {
        footprints.update(system);
        if footprints.grew() {
            footprints.forget_endless();
            return Ok(true);
        }
        if explored.limit == Some(Limit::States)
            && !self.is_dense()
            && proviso::let_time_pass_last(system, footprints, initial)
        {
            return Ok(true);
        }
        if !explored.is_complete() {
            return Ok(false);
        }
        let violates = |system: &System, step: &Transition| self.properties.step(system, step).is_some();
        let is_over = || self.progress.is_over();
        let phase = self.progress.begin(Phase::Cycles);
        let visited = explored.visited(&violates, &is_over);
        let grew = match self.is_dense() {
            true => last::update(system, footprints, initial, visited)?,
            false => proviso::update(system, footprints, initial, visited)?,
        };
        if self.progress.is_over() {
            explored.limit = Some(Limit::Interrupt);
        } else {
            self.progress.begin(phase);
        }
        Ok(grew)
    }

    /// A violation that could not be taken through the full semantics may be none: a unit that was not begun may
    /// go round for ever without any time passing, so that no timer fires. If the full space is small, it tells.
    fn unless_refuted(
        &self,
        system: &mut System,
        initial: &StateVector,
        plan: Plan<'_>,
        explored: Explored,
    ) -> Result<Explored, Interrupt> {
        if explored.found.is_none() || explored.is_believed() || !self.checker.reduction {
            return Ok(explored);
        }
        let full = self.explore_in_full(system, initial, plan)?;
        // Beyond our own bound it is believed; beyond the user's, nothing is known.
        let tells = full.limit.is_none() || self.checker.states_max <= FULL_STATES_MAX;
        Ok(if tells { full } else { explored })
    }

    /// A reduced search that came to a limit may have spent all its states on one component that never ends, as where
    /// packets pile up that nobody takes, while another has a violation near the initial state. The full space, as far as
    /// its bound allows, has all that is near.
    fn unless_near(
        &self,
        system: &mut System,
        initial: &StateVector,
        plan: Plan<'_>,
        explored: Explored,
    ) -> Result<Explored, Interrupt> {
        let is_cut = matches!(explored.limit, Some(Limit::States | Limit::Memory));
        if explored.found.is_some() || !is_cut || !self.checker.reduction {
            return Ok(explored);
        }
        let full = self.explore_in_full(system, initial, Plan { search: Search::Bfs, score: None, ..plan })?;
        Ok(if full.found.is_some() || full.limit.is_none() { full } else { explored })
    }

    /// Explores without reduction, up to a bound.
    fn explore_in_full(
        &self,
        system: &mut System,
        initial: &StateVector,
        plan: Plan<'_>,
    ) -> Result<Explored, Interrupt> {
        let states_max = FULL_STATES_MAX.min(self.checker.states_max);
        let plan = Plan { limits: Limits { states_max, ..plan.limits }, link_bytes_max: None, ..plan };
        explore(system, initial, plan, None, &self.properties)
    }
}
