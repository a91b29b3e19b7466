//! Simulation: what is declared of it, and how a check becomes one.

use super::fixpoint::Searched;
use super::setup::Job;
use super::{Checker, Udp};
use crate::error::Error;
use netcheck_runtime::search::drawn::Delays;
use netcheck_runtime::search::plan::Plan;
use netcheck_runtime::search::progress::Phase;
use netcheck_runtime::search::simulate::{Executions, simulate};
use netcheck_runtime::world::store::Keep;
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
    pub(super) in_order: bool,
}

impl Simulation {
    /// 10,000 executions; the same seed gives the same ones.
    pub fn new(seed: u64) -> Simulation {
        Simulation { seed, until: Until::Runs(RUNS), in_order: false }
    }

    pub(super) fn seeded(self, seed: u64) -> Simulation {
        Simulation { seed, ..self }
    }

    /// All executions one after the other, depth-first, in place of those that are drawn; the seed means nothing then.
    /// Steps that two of them have in common are run in both, and no state is known again: that is how tools explore that work
    /// on programs as they are, and what a search saves is seen beside it. A program with more than a few choices has more
    /// executions than can be run, and those that come first differ at their ends only.
    ///
    /// If there are no other executions than those that were run, the report says so; the verdict stays `Inconclusive`.
    pub fn depth_first(self) -> Simulation {
        Simulation { in_order: true, ..self }
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
    /// ([`Search::Pct`](netcheck_runtime::search::frontier::Search::Pct)); in half of each, faults are seldom. The same
    /// seed draws the same executions, and finds the same first violation.
    ///
    /// Half of the executions end where all processes that are no daemons have ended, as soon as nothing more happens
    /// without time passing; the others go on. An execution is cut off after 200 steps, every other one after 400, every
    /// fourth one after 800, and so on to 10,000 or `max_depth`; and none before twice as many as any has needed that was
    /// not cut off.
    ///
    /// The order, the other limits, `reduction`, `subsumption`, `symmetry`, `store` and `threads` mean nothing here.
    /// [`Checker::search`] and [`Checker::best_first`] replace it.
    pub fn simulation(mut self, simulation: Simulation) -> Self {
        self.simulation = Some(simulation);
        self
    }

    /// In a simulation, each copy of a datagram takes the time that `draw` says; `None`: it never arrives. Without this,
    /// what happens next is drawn, and not when: that a packet comes after a time-out is as likely as that it comes
    /// before. With it, executions are as likely as a network makes them whose delays are known.
    ///
    /// `draw` gets a random number, another one for each copy, from which it seeds what draws from its distribution. It
    /// has to give the same delay for the same number. A delay that [`Udp::delay`](super::Udp::delay) does not
    /// allow becomes the nearest one that it does; delays that are listed stay as they are. A copy that
    /// never arrives, and has no longest delay, arrives after nine years.
    ///
    /// Time has to be dense: some datagram has a `delay`. Programs that read the clock are refused, as what they read
    /// would be a number here, and is none where all delays are possible.
    pub fn drawn_delays(mut self, draw: impl Fn(u64) -> Option<Duration> + Send + Sync + 'static) -> Self {
        self.delays = Some(Delays::new(draw));
        self
    }
}

impl Checker {
    pub(super) fn has_drawn_delays(&self) -> bool {
        self.simulation.is_some() && self.delays.is_some()
    }
}

impl Job {
    /// Draws executions until one violates a property, or there are enough of them.
    pub(super) fn simulate(&mut self, Simulation { seed, until, in_order }: Simulation) -> Result<Searched, Error> {
        let has_drawn_delays = self.checker.has_drawn_delays();
        if has_drawn_delays && !self.checker.udp.iter().any(Udp::has_delay) {
            return Err(Error::new("delays of datagrams are drawn, but no datagram takes any time".to_owned())
                .with_advice("declare `udp(delay)`, or leave `drawn_delays` out"));
        }
        self.progress.begin(Phase::Simulating);
        let started = Instant::now();
        let is_enough = move |executions| match until {
            Until::Runs(runs) => executions >= runs,
            Until::Time(time) => started.elapsed() >= time,
        };
        let ((explored, simulated), learned) = self.attempt(|job, system, initial| {
            let plan = Plan {
                search: job.order(),
                score: None,
                keep: Keep::Exact,
                subsumes: false,
                compares_channels: false,
                symmetry: None,
                patience: u64::MAX,
                limits: job.limits(),
                threads: 1,
                progress: &job.progress,
                advisor: job,
            };
            let delays = job.checker.delays.as_ref();
            let executions = Executions { seed, in_order, delays, is_enough: &is_enough };
            simulate(system, initial, plan, &job.properties, &executions)
        })?;
        if has_drawn_delays && learned.system.demands.clock {
            return Err(Error::new("delays of datagrams are drawn, and a program reads the clock".to_owned()).with_advice(
                "leave `drawn_delays` out: then what happens next is drawn, and instants that are no numbers can be read",
            ));
        }
        Ok(Searched { explored, rounds: 1, apart: false, simulated: Some(simulated), learned })
    }
}
