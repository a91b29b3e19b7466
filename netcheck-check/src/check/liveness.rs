//! Liveness: executions that never end, looked for after a search that has found nothing.

use super::fixpoint::Searched;
use super::setup::Job;
use super::{Checker, Deadlocks, Keep};
use crate::error::Error;
use crate::replay::{Loop, Replayed, comes_back, replay_endless, script};
use crate::report::Walk;
use crate::trace::counterexample::Counterexample;
use crate::trace::step::Step;
use netcheck_runtime::liveness::{Bounds, Lasso, walk};
use netcheck_runtime::search::plan::Limits;
use netcheck_runtime::search::progress::Phase;
use netcheck_runtime::unit::shared::Modes;
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::system::System;
use std::ops::RangeInclusive;

/// States that are walked at the most where nobody has asked for it, for each state of the search.
const WALKED_FOR_EACH_STATE: usize = 4;

/// States that are walked then in any case, and at the most.
const WALKED_STATES: RangeInclusive<usize> = 10_000..=500_000;

/// How much is walked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// As far as it is cheap.
    Cheap,
    /// Everything.
    Whole,
}

impl Checker {
    /// Whether a process that is no daemon has to end in every *fair* execution, and not only in those that come to rest. If
    /// it need not, the verdict is a violation of the kind
    /// [`Liveness`](netcheck_runtime::ViolationKind::Liveness), whose counterexample ends with steps that are repeated for
    /// ever.
    ///
    /// Fair is an execution in which every task that can go on does so at last, each of the branches of a `select!` that
    /// are ready again and again is taken, a datagram that is sent again and again arrives again and again, and no
    /// call fails for ever. The states from which something may go round for ever are walked without stubborn sets.
    ///
    /// `true`: up to `max_states`, where the check is inconclusive. Not with packets that take time
    /// ([`Udp::delay`](super::Udp::delay)), a [`Checker::duration`] or a [`Checker::simulation`]. `false`: not at all. Unless it
    /// is called: where nothing of that kind, no `store = fingerprint` and no real peer stands against it, and as far as it is
    /// cheap, which depends on the number of states only; else the report says that it was not checked.
    pub fn liveness(mut self, liveness: bool) -> Self {
        self.liveness = Some(liveness);
        self
    }
}

impl Job {
    /// An error if liveness was asked for, and something was declared with which it can't be checked.
    pub(super) fn refuse_what_liveness_does_not_cover(&self) -> Result<(), Error> {
        match self.not_covered_by_liveness().filter(|_| self.checker.liveness == Some(true)) {
            Some(with) => {
                Err(Error::new(format!("`liveness = on` can't be combined with {with}; leave one of them out")))
            }
            None => Ok(()),
        }
    }

    fn not_covered_by_liveness(&self) -> Option<&'static str> {
        match () {
            () if self.is_dense() => Some("`delay`: which cycles of zones let time go on is not worked out"),
            () if self.checker.duration.is_some() => Some("`duration`: what comes later is not known"),
            () if self.checker.simulation.is_some() => Some("`search = simulate`: it has no states to walk"),
            () => None,
        }
    }

    /// How much is walked after a search; `None`: nothing.
    fn extent_of_walk(&self, Searched { explored, .. }: &Searched) -> Option<Extent> {
        let is_asked_for = self.checker.liveness;
        let is_left_out =
            self.not_covered_by_liveness().is_some() || self.checker.keep != Keep::Exact || self.has_peers();
        match is_asked_for {
            _ if explored.limit.is_some() => None,
            Some(true) => Some(Extent::Whole),
            None if !is_left_out => Some(Extent::Cheap),
            None | Some(false) => None,
        }
    }

    /// An execution that never ends, after a search that has seen everything and found nothing, and what was walked for it.
    pub(super) fn endless(&mut self, searched: &mut Searched) -> Result<(Option<Counterexample>, Option<Walk>), Error> {
        let Some(extent) = self.extent_of_walk(searched) else { return Ok((None, None)) };
        self.progress.begin(Phase::Walking);
        let reduces = self.checker.reduction && self.checker.deadlocks != Deadlocks::Paper;
        let limits = self.limits_of_walk(extent, searched.explored.store.len());
        // Where more has to be known of the programs, they are learned anew.
        let mut knows_all = searched.explored.knows_all();
        let looks_at_daemons = extent == Extent::Whole;
        let (lasso, limit, (states, standing_still)) =
            self.attempt_on(&mut searched.learned, |job, system, initial| {
                let knows_all = std::mem::take(&mut knows_all);
                let bounds = Bounds { limits, knows_all, looks_at_daemons, progress: &job.progress };
                let walked = walk(system, initial, &job.properties, reduces, bounds)?;
                let told = match &walked.lasso {
                    Some(Lasso { stem, cycle, found }) => {
                        Some((script(system, stem)?, script(system, cycle)?, found.clone()))
                    }
                    None => None,
                };
                Ok((told, walked.limit, (walked.states, walked.standing_still)))
            })?;
        let walk = Walk { states, is_given_up: limit.is_some(), standing_still };
        if extent == Extent::Whole {
            searched.explored.limit = limit;
        }
        let Some((stem, cycle, found)) = lasso else { return Ok((None, Some(walk))) };
        let known = Loop { from: stem.len(), units: found.units.clone() };
        let replayed = self.replay_kept(&[stem, cycle].concat(), Some(&known))?;
        Ok((Some(self.confirmed_again(replayed, &found)?), Some(walk)))
    }

    fn limits_of_walk(&self, extent: Extent, states: usize) -> Limits {
        let limits = self.limits();
        let cheap = states.saturating_mul(WALKED_FOR_EACH_STATE).clamp(*WALKED_STATES.start(), *WALKED_STATES.end());
        match extent {
            Extent::Cheap => Limits { states_max: cheap.min(limits.states_max), ..limits },
            Extent::Whole => limits,
        }
    }

    /// Runs an execution again that is kept: one that never ends comes back to where its loop begins.
    pub(super) fn replay_kept(&mut self, steps: &[Step], known: Option<&Loop>) -> Result<Replayed, Error> {
        let Some(known) = known else { return self.replay(steps) };
        // Where calls are traced, each execution of a line is told from the ones before.
        let comes_back = |job: &Job, system: &mut System, initial: &StateVector| {
            comes_back(system, initial, &job.properties, steps, known.from)
        };
        match self.attempt(comes_back)?.0 {
            Ok(true) => {}
            Ok(false) => return self.replay(steps),
            Err(ended) => return Ok(ended),
        }
        let modes = Modes { traces: true, ..self.modes() };
        let endless = |job: &Job, system: &mut System, initial: &StateVector| {
            replay_endless(system, initial, &job.properties, steps, known)
        };
        Ok(self.attempt_in(modes, endless)?.0)
    }
}
