//! Simulation: what is declared of it, and how a check becomes one.

use super::Checker;
use super::fixpoint::Searched;
use super::setup::Job;
use crate::error::Error;
use crate::search::plan::Plan;
use crate::search::progress::Phase;
use crate::search::simulate::simulate;
use crate::world::store::Keep;
use std::time::{Duration, Instant};

/// Executions, unless it is said how many.
const RUNS: u64 = 10_000;

/// When a simulation ends without a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    Runs(u64),
    Time(Duration),
}

/// Many whole random executions instead of a search: see [`Checker::simulation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Simulation {
    pub(super) seed: u64,
    pub(super) until: Until,
}

impl Simulation {
    /// 10,000 executions; the same seed gives the same ones.
    pub fn new(seed: u64) -> Simulation {
        Simulation { seed, until: Until::Runs(RUNS) }
    }

    pub(super) fn seeded(self, seed: u64) -> Simulation {
        Simulation { seed, ..self }
    }

    /// So many executions.
    ///
    /// # Panics
    /// If `runs` is 0.
    #[track_caller]
    pub fn runs(self, runs: u64) -> Simulation {
        assert!(runs > 0, "a simulation runs executions: `runs` is at least 1");
        Simulation { until: Until::Runs(runs), ..self }
    }

    /// Executions for so long; how many they are depends on the machine.
    ///
    /// # Panics
    /// If `time` is 0.
    #[track_caller]
    pub fn time(self, time: Duration) -> Simulation {
        assert!(!time.is_zero(), "a simulation takes time: `time` is more than 0");
        Simulation { until: Until::Time(time), ..self }
    }
}

impl Checker {
    /// Runs whole random executions from the start instead of a search, for systems that no search comes to the end
    /// of: with the declared faults, without visited states and without reduction. The first execution that violates a
    /// property is shortened, confirmed and shown as always. Without one the verdict is `Inconclusive`, and
    /// [`Report::simulated`](crate::report::Report::simulated) says what was covered: nothing is proven.
    ///
    /// Half of the executions draw the unit that moves next, half let random priorities decide
    /// ([`Search::Pct`](crate::search::frontier::Search::Pct)); in half of each, faults are seldom. The n-th execution
    /// depends on the seed and on n alone, and so does the first violation. An execution is cut off after 10,000 steps,
    /// or `max_depth`. The order, the other limits, `reduction`, `subsumption`, `symmetry`, `store` and `threads` mean
    /// nothing here. [`Checker::search`] and [`Checker::best_first`] replace it.
    pub fn simulation(mut self, simulation: Simulation) -> Self {
        self.simulation = Some(simulation);
        self
    }
}

impl Job {
    /// Draws executions until one violates a property, or there are enough of them.
    pub(super) fn simulate(&mut self, Simulation { seed, until }: Simulation) -> Result<Searched, Error> {
        self.progress.begin(Phase::Simulating);
        let started = Instant::now();
        let is_enough = move |executions| match until {
            Until::Runs(runs) => executions >= runs,
            Until::Time(time) => started.elapsed() >= time,
        };
        let ((explored, simulated), system) = self.attempt(|job, system, initial| {
            let plan = Plan {
                search: job.checker.order(),
                score: None,
                keep: Keep::Exact,
                subsumes: false,
                compares_channels: false,
                symmetry: None,
                patience: u64::MAX,
                link_bytes_max: None,
                limits: job.limits(),
                threads: 1,
                progress: &job.progress,
                advisor: job,
            };
            simulate(system, initial, plan, &job.properties, (seed, &is_enough))
        })?;
        Ok(Searched { explored, rounds: 1, simulated: Some(simulated), system })
    }
}
