//! An execution that is known, run again on the real code.

use super::Checker;
use super::registered;
use crate::error::Error;
use crate::network::Network;
use crate::replay::Loop;
use crate::trace::counterexample::Counterexample;
use crate::trace::step::Step;
use std::io::Write;
use std::time::Duration;

impl Checker {
    /// Runs one given execution again on the real code. Returns what was violated.
    ///
    /// # Errors
    /// If a step is not possible any more, or the program can't be checked.
    pub fn replay(
        &self,
        network: impl FnOnce(&mut Network),
        counterexample: &Counterexample,
    ) -> Result<Option<String>, Error> {
        let again = self.run_again(network, counterexample)?;
        Ok(again.map(|again| format!("{}: {}", again.kind(), again.message())))
    }

    /// As [`Checker::replay`]; the execution as it reads now if it violates something.
    pub(crate) fn run_again(
        &self,
        network: impl FnOnce(&mut Network),
        counterexample: &Counterexample,
    ) -> Result<Option<Counterexample>, Error> {
        let (steps, repeated) = (counterexample.steps().to_vec(), repeated(counterexample));
        let again = self.run_aloud(registered(network), move |mut job| {
            let replayed = job.replay_kept(&steps, repeated.as_ref())?;
            job.violated(replayed)
        })?;
        whole(again, counterexample)
    }

    /// As [`Checker::run_again`], to be watched: `show` is called before each step, and between two calls the programs
    /// do only what belongs to the first one's step.
    pub(crate) fn perform(
        &self,
        network: impl FnOnce(&mut Network),
        counterexample: &Counterexample,
        show: impl FnMut(usize, &Step) + Send + 'static,
    ) -> Result<Option<Counterexample>, Error> {
        let (steps, repeated) = (counterexample.steps().to_vec(), repeated(counterexample));
        // A program that is stopped in a debugger is not stuck.
        let patient = self.clone().max_poll_duration(Duration::MAX);
        let again = patient.run_aloud(registered(network), move |mut job| {
            // First: it runs the programs, which print something.
            let replayed = job.replay_kept(&steps, repeated.as_ref())?;
            let again = job.violated(replayed);
            job.perform(&steps, show)?;
            again
        })?;
        whole(again, counterexample)
    }

    /// The output of the programs in an execution, by the number of the step, from 1; none where it can't be kept.
    pub(crate) fn printed(
        &self,
        network: impl FnOnce(&mut Network),
        counterexample: &Counterexample,
    ) -> Result<Vec<(usize, String)>, Error> {
        let steps = counterexample.steps().to_vec();
        self.run(registered(network), move |mut job| {
            let mut printed = Vec::new();
            let mut keep = |number: usize| {
                // Begun lines belong to the step that began them. That they can't be written is no loss.
                let _ = std::io::stdout().flush();
                let text = String::from_utf8_lossy(&netcheck_memory::take_output()).into_owned();
                // Output before the first step was printed while the steps were looked up.
                if number > 0 && !text.is_empty() {
                    printed.push((number, text));
                }
            };
            job.perform(&steps, |number, _| keep(number - 1))?;
            keep(steps.len());
            Ok(printed)
        })
    }

    /// With the faults of an execution, unless faults are declared.
    pub(crate) fn or_faults_of(self, counterexample: &Counterexample) -> Result<Checker, Error> {
        let falls_apart = !self.crashes.is_empty() || !self.partitions.is_empty();
        if !self.udp.is_empty() || self.tcp.is_some() || falls_apart || self.files.is_some() {
            return Ok(self);
        }
        let of: Checker = counterexample.faults().unwrap_or_default().parse()?;
        let Checker { udp, tcp, crashes, partitions, files, at_most, duration, deviations, .. } = of;
        let (duration, deviations) = (self.duration.or(duration), self.deviations.or(deviations));
        Ok(Checker { udp, tcp, crashes, partitions, files, at_most, duration, deviations, ..self })
    }
}

/// The loop of an execution that never ends.
fn repeated(counterexample: &Counterexample) -> Option<Loop> {
    let units = counterexample.units().to_vec();
    counterexample.loop_from().map(|from| Loop { from, units })
}

/// The violation of a replay, if it has found one. A replay without a violation is an error unless it has taken all steps.
fn whole(again: Option<Counterexample>, replayed: &Counterexample) -> Result<Option<Counterexample>, Error> {
    match (again, replayed.cut_off()) {
        (None, Some(why)) => Err(Error::new(why)),
        (again, _) => Ok(again),
    }
}
