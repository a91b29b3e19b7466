//! Error propagation: two searches of the full space, first without faults, then with them.

mod first_fault;

use super::setup::Job;
use crate::error::Error;
use crate::propagation::{Propagation, Reference};
use first_fault::FirstFaults;
use netcheck_runtime::search::explore::observe;
use netcheck_runtime::search::explored::Explored;
use netcheck_runtime::search::plan::{Limit, Plan};
use netcheck_runtime::unit::shared::Modes;
use netcheck_runtime::world::store::Keep;

/// Faults in one execution, unless the checker says how many: the effects of two faults can't be told apart.
const FAULTS_MAX: usize = 1;

impl Job {
    /// Which fault is seen at the ends of which processes.
    pub(super) fn propagation(mut self) -> Result<Propagation, Error> {
        if self.declared.udp.iter().any(|udp| udp.delays.is_some() && !udp.is_ordered) {
            return Err(Error::new(
                "the propagation of faults is not explored where packets take time: leave `delay` out, or bound their \
                 order, as in `udp(loss, delay, window = 1)`"
                    .to_owned(),
            ));
        }
        let at_most = self.checker.at_most.unwrap_or(FAULTS_MAX);
        self.declared.observers.clear();
        self.properties.monitors_judge = false;
        // A failure is an end like others here.
        self.registered.processes.iter_mut().for_each(|process| process.may_fail = true);
        let faults = self.checker.clone().at_most(at_most).faults_in_words();
        let (reference, explored) = self.observe(0, Vec::new())?;
        let registered = self.registered.processes.iter();
        let processes = registered.map(|process| (process.name.clone(), process.daemon));
        let processes = reference.without_faults(processes);
        if let Some(limit) = explored.limit {
            let limit = format!("{}; it was reached without any fault", self.reached(limit));
            return Ok(Propagation::new(faults, Some(limit), explored.store.len(), processes));
        }
        let (seen, explored) = self.observe(at_most, processes.clone())?;
        let limit = explored.limit.map(|limit| self.reached(limit));
        let mut table = Propagation::new(faults, limit, explored.store.len(), processes);
        table.rows = seen.rows(table.is_complete());
        Ok(table)
    }

    /// Which limit was reached, and what to do. States are always kept whole here.
    fn reached(&self, limit: Limit) -> String {
        match limit {
            Limit::Memory => format!(
                "max_memory = {} bytes was reached; raise it, or declare fewer faults or smaller bounds",
                self.checker.memory_bytes_max
            ),
            limit => self.limit_in_words(limit),
        }
    }

    /// Explores everything with at most so many faults in one execution.
    fn observe(&mut self, at_most: usize, reference: Vec<Reference>) -> Result<(FirstFaults, Explored), Error> {
        self.declared.at_most = Some(u32::try_from(at_most).unwrap_or(u32::MAX));
        // Faults are named by the program's own lines.
        let mut modes = Modes { traces: true, ..self.modes() };
        if self.declared.tcp.first.is_none() {
            modes.executions_max = 0;
        }
        let (result, _) = self.attempt_in(modes, |job, system, initial| {
            let (search, threads) = (job.order(), job.checker.threads);
            let limits = job.limits();
            let (keep, progress) = (Keep::Exact, &job.progress);
            let (subsumes, symmetry, patience) = (false, None, u64::MAX);
            let plan = Plan {
                search,
                score: None,
                keep,
                subsumes,
                compares_channels: false,
                symmetry,
                patience,
                limits,
                threads,
                progress,
                advisor: job,
            };
            let mut seen = FirstFaults::new(system, reference.clone());
            let explored = observe(system, initial, plan, &job.properties, &mut seen)?;
            Ok((seen, explored))
        })?;
        Ok(result)
    }
}
