//! Liveness: executions that never end, looked for after a search that has found nothing.

use super::fixpoint::Searched;
use super::setup::Job;
use super::{Checker, Deadlocks};
use crate::error::Error;
use crate::replay::{Loop, Replayed, comes_back, replay_endless, script};
use crate::trace::counterexample::Counterexample;
use crate::trace::step::Step;
use netcheck_runtime::liveness::{Bounds, Lasso, walk};
use netcheck_runtime::search::progress::Phase;
use netcheck_runtime::unit::shared::Modes;
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::system::System;

impl Checker {
    /// Whether a process that is no daemon has to end in every *fair* execution, and not only in those that come to rest. If
    /// it need not, the verdict is a violation of the kind
    /// [`Liveness`](netcheck_runtime::ViolationKind::Liveness), whose counterexample ends with steps that are repeated for
    /// ever.
    ///
    /// Fair is an execution in which every task that can go on does so at last, each of the branches of a `select!` that
    /// are ready again and again is taken, a datagram that is sent again and again arrives again and again, and no
    /// call fails for ever. All states are walked without stubborn sets, up to `max_states`.
    ///
    /// Not with packets that take time ([`Udp::delay`](super::Udp::delay)), a [`Checker::duration`] or a
    /// [`Checker::simulation`].
    pub fn liveness(mut self, liveness: bool) -> Self {
        self.liveness = liveness;
        self
    }
}

impl Job {
    /// An error if something was declared with which liveness can't be checked.
    pub(super) fn refuse_what_liveness_does_not_cover(&self) -> Result<(), Error> {
        let with = match () {
            () if self.is_dense() => "`delay`: which cycles of zones let time go on is not worked out",
            () if self.checker.duration.is_some() => "`duration`: what comes later is not known",
            () if self.checker.simulation.is_some() => "`search = simulate`: it has no states to walk",
            () => return Ok(()),
        };
        Err(Error::new(format!("`liveness = on` can't be combined with {with}; leave one of them out")))
    }

    /// An execution that never ends, after a search that has seen everything and found nothing.
    pub(super) fn endless(&mut self, searched: &mut Searched) -> Result<Option<Counterexample>, Error> {
        if !self.checker.liveness || searched.explored.limit.is_some() {
            return Ok(None);
        }
        self.progress.begin(Phase::Walking);
        let splits = self.checker.reduction && self.checker.deadlocks != Deadlocks::Paper;
        let (lasso, limit) = self.attempt_on(&mut searched.learned, |job, system, initial| {
            let bounds = Bounds { limits: job.limits(), progress: &job.progress };
            let walked = walk(system, initial, &job.properties, splits, bounds)?;
            let told = match &walked.lasso {
                Some(Lasso { stem, cycle, found }) => {
                    Some((script(system, stem)?, script(system, cycle)?, found.clone()))
                }
                None => None,
            };
            Ok((told, walked.limit))
        })?;
        searched.explored.limit = limit;
        let Some((stem, cycle, found)) = lasso else { return Ok(None) };
        let known = Loop { from: stem.len(), units: found.units.clone() };
        let replayed = self.replay_kept(&[stem, cycle].concat(), Some(&known))?;
        Ok(Some(self.confirmed_again(replayed, &found)?))
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
