//! Random executions beside a search that takes long.
//!
//! Breadth-first, what lies deep comes late, however likely it is. So a search whose order nobody has chosen stands still
//! after four seconds, or in the middle of the time that it has, for two seconds of [simulation](super::simulation), and
//! later for longer: a third of the time goes there. The executions are those of a check of its own, on a thread of its own.
//! If one of them violates a property, it is shortened and confirmed there, and that check's report is this one's; else the
//! search goes on as if nothing had been.

use super::setup::Job;
use super::simulation::Simulation;
use super::{Checker, check};
use netcheck_runtime::search::progress::Phase;

/// For which part of the time so far they are drawn.
const PART: u32 = 2;

impl Job {
    /// Draws executions for a while; says whether one has violated a property. Then the check is over.
    pub(super) fn hunt(&self) -> bool {
        let time = self.spent.time() / PART;
        let Checker { search, score, simulation, .. } = &self.checker;
        let is_chosen = search.is_some() || score.is_some() || simulation.is_some();
        let explores = self.progress.phase() == Phase::Exploring;
        if is_chosen || self.has_peers() || !explores || self.spent.left().is_some_and(|left| left < time) {
            return false;
        }
        let before = self.progress.begin(Phase::Hunting);
        // The next time, others are drawn.
        self.hunts.set(self.hunts.get() + 1);
        let simulation = Simulation::new(self.hunts.get()).time(time);
        let checker = Checker { duration_max: self.spent.left(), ..self.checker.clone() };
        let checker = checker.simulation(simulation).liveness(false);
        let report = self.beside(&checker, self.properties.finally.clone(), check);
        self.progress.begin(before);
        let found = report.filter(|report| report.counterexample().is_some());
        let is_found = found.is_some();
        if is_found {
            self.progress.end();
            self.hunted.replace(found);
        }
        is_found
    }
}
