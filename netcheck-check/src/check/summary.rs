//! The summary of a check: the verdict, with the figures and findings of its search.

use super::Checker;
use super::advice;
use super::automata::{automata, monitors};
use super::coverage::Coverage;
use super::fixpoint::Searched;
use super::setup::{Job, Learned, interrupted};
use crate::alone::is_alone;
use crate::error::{Error, shared_statics};
use crate::report::{Figures, Report, Verdict, Walk};
use crate::trace::counterexample::Counterexample;
use netcheck_peer::PeerCounts;
use netcheck_runtime::search::audit::audit;
use netcheck_runtime::search::explored::Explored;
use netcheck_runtime::search::progress::Phase;
use netcheck_runtime::world::system::{Interrupt, System};
use std::collections::BTreeSet;

impl Job {
    /// The report of a check.
    pub(super) fn summary(
        self,
        searched: Searched,
        figures: Figures,
        (counterexample, walk): (Option<Counterexample>, Option<Walk>),
    ) -> Result<Report, Error> {
        let Searched { explored, learned: Learned { mut system, .. }, simulated, apart, .. } = searched;
        let coverage = Coverage::of(&system, &explored.taken, &self.registered);
        let vacuous =
            coverage.vacuous(self.checker.duration).filter(|_| counterexample.is_none() && explored.limit.is_none());
        let verdict = match (&counterexample, explored.limit) {
            (Some(_), _) => Verdict::Violated,
            (None, None) if vacuous.is_none() => Verdict::Verified,
            (None, _) => Verdict::Inconclusive,
        };
        let limit = explored.limit.map(|limit| self.limit_in_words(limit));
        let limit = limit.map(|limit| match simulated {
            Some(simulated) => simulated.in_words(&limit),
            None => limit,
        });
        if verdict == Verdict::Verified {
            self.audit(&mut system, &explored)?;
        }
        let unheld = coverage.unheld(explored.limit.is_some());
        let Coverage { claims, never_completed, .. } = coverage;
        let (like_processes, asymmetries) = self.symmetry();
        let left_out = self.left_out(&system);
        let is_too_big = explored.limit.is_some() && simulated.is_none();
        let mut profile = self.profile(&system, &explored.store, is_too_big);
        profile.differences = self.why(&mut system, is_too_big)?;
        let about_buffers = profile.differences.as_ref().and_then(advice::about_buffers);
        profile.advice.splice(..0, about_buffers);
        let checkpoints = system.shared().checkpoints.borrow();
        let uncaptured = checkpoints.all_uncaptured().map(|(line, why)| format!("{line}: {why}")).collect();
        drop(checkpoints);
        Ok(Report {
            verdict,
            limit: limit.or(vacuous),
            duration: self.checker.duration,
            deviations: self.checker.deviations,
            figures,
            simulated,
            counterexample,
            walk,
            outputs: self.outputs(&system, &explored),
            uncaptured,
            claims: claims.into_iter().collect(),
            unheld,
            never_completed,
            peers: self.peers(),
            automata: automata(&system, &explored.taken),
            monitors: monitors(&system),
            profile,
            like_processes,
            asymmetries,
            left_out,
            warnings: self.checker.warnings(&self.registered),
            is_forgetful: system.shared().lacks_arenas(),
            leaking_runs: netcheck_memory::Arena::retired(),
            has_own_statics: is_alone() && !system.shared().changed_statics().is_empty(),
            is_given_up: false,
            has_printed: false,
            dense: self.is_dense().then(|| self.reduced_in_dense_time(&system, apart)),
        })
    }

    /// The reductions that were asked for and can't be argued with these programs and monitors, and what no local state has.
    fn left_out(&self, system: &System) -> Vec<String> {
        let mut left_out = Vec::new();
        left_out.extend(self.unreduced.map(|why| format!("without reduction: {why}")));
        if self.checker.subsumption && system.demands.losses != 0 {
            left_out.push("without subsumption: a monitor sees that datagrams are lost".to_owned());
        }
        let statics = system.shared().changed_statics();
        if !is_alone() && !statics.is_empty() {
            left_out.push(shared_statics(&statics));
        }
        left_out
    }

    /// The reduction in dense time; `apart`: whether some processes were seen never to meet others.
    fn reduced_in_dense_time(&self, system: &System, apart: bool) -> &'static str {
        match apart {
            true => "processes that never meet, each by itself",
            false if !self.checker.reduction || self.checker.simulation.is_some() => "without reduction",
            false if system.demands.clock => "without reduction, because a program reads the clock",
            false if system.has_segments() => "without reduction, because segments of TCP take delays",
            false if system.monitors.has_timed() => "without reduction, because a monitor has clocks",
            false => "without reduction, because all processes meet or let no time pass",
        }
    }

    /// Explores some of the states again, without reduction; an error if that finds a step or a violation that the
    /// search should have seen.
    fn audit(&self, system: &mut System, explored: &Explored) -> Result<(), Error> {
        let Checker { reduction, symmetry, audit: is_asked_for, .. } = self.checker;
        // With symmetry, a state stands for others whose steps have not all been taken.
        if !is_asked_for || !reduction || symmetry {
            return Ok(());
        }
        // Nothing was left out but what zones cover: a state whose zone includes another's may tell instants by marks where
        // that one has numbers.
        if self.is_dense() && explored.split == 0 {
            return Ok(());
        }
        self.progress.begin(Phase::Auditing);
        let missed = match audit(system, &self.properties, explored, &self.progress) {
            Ok(missed) => missed,
            Err(Interrupt::Demands(_)) => Some(
                "that a program reads the clock, uses `faults::scope` or `faults::with`, or is given a port that others prefer"
                    .to_owned(),
            ),
            Err(interrupt) => return Err(interrupted(interrupt)),
        };
        match missed {
            None => Ok(()),
            Some(missed) => Err(Error::new(format!(
                "the reduction has missed something, which is a defect of netcheck: please report it\n  \
                 missed: {missed}\n  \
                 until it is mended, check with `reduction = false`"
            ))),
        }
    }

    /// How much was asked of each real peer.
    fn peers(&self) -> Vec<(String, PeerCounts)> {
        let peers = self.registered.processes.iter().filter_map(|process| process.peer.as_ref());
        peers.map(|peer| (peer.name().to_owned(), peer.counts())).collect()
    }

    /// Every value that each process ended with.
    fn outputs(&self, system: &System, explored: &Explored) -> Vec<(String, Vec<String>)> {
        let of_unit = |index: usize| {
            let outputs = explored.outputs.iter().filter(|(unit, _)| system.is_root(*unit, index));
            let texts: BTreeSet<String> =
                outputs.map(|&(_, output)| system.shared().output(output).text.to_string()).collect();
            texts.into_iter().collect()
        };
        let names = self.registered.processes.iter().enumerate();
        names.map(|(index, process)| (process.name.clone(), of_unit(index))).collect()
    }
}
