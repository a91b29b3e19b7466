//! Confirming: a violation is reported only if it happens again on fresh futures.

use super::blame::blamed;
use super::fixpoint::Searched;
use super::setup::{Job, Learned, interrupted};
use super::shorten::Shortened;
use crate::error::Error;
use crate::replay::{End, Replayed, perform, replay, script};
use crate::trace::counterexample::Counterexample;
use crate::trace::history::CallHistory;
use crate::trace::situation::Situations;
use crate::trace::source;
use crate::trace::step::Step;
use netcheck_runtime::unit::shared::Modes;
use netcheck_runtime::violation::{Found, ViolationKind};
use netcheck_runtime::world::store::StateId;

impl Job {
    /// The steps to a violation: shortened, and confirmed on fresh futures.
    pub(super) fn counterexample(
        &mut self,
        searched: &mut Searched,
        (at, found): (StateId, Found),
    ) -> Result<Counterexample, Error> {
        let Searched { explored, learned, .. } = searched;
        let system = &mut learned.system;
        let (path_steps, mut found) = match explored.concrete.take() {
            Some(concrete) => concrete,
            None => (explored.path(system, at).map_err(interrupted)?, found),
        };
        let mut steps = script(system, &path_steps).map_err(interrupted)?;
        if let Some(last) = steps.last_mut() {
            last.at_rest = found.at_rest.clone();
        }
        let visited = explored.store.len();
        let Shortened { instead, gave_up } = match self.shortened(learned, (&path_steps, &steps, &found), visited) {
            // A lesser execution was looked for where the search had not been. What it has found is true all the same.
            Err(error) if !error.has_changed_statics => {
                let error = error.to_string();
                let why = error.lines().next().unwrap_or_default();
                Shortened { instead: None, gave_up: Some(format!("at an error: {why}")) }
            }
            shortened => shortened?,
        };
        self.progress.has_shortened();
        if let Some(instead) = instead {
            (steps, found) = instead;
        }
        let confirmed = self.confirmed_as(&steps, &found)?;
        Ok(match gave_up {
            Some(gave_up) => confirmed.perhaps_not_least(gave_up),
            None => confirmed,
        })
    }

    /// Runs the steps to a violation again: the same violation has to happen.
    fn confirmed_as(&mut self, steps: &[Step], found: &Found) -> Result<Counterexample, Error> {
        let replayed = self.replay(steps)?;
        self.confirmed_again(replayed, found)
    }

    /// The steps of a replay, as they were confirmed: each with the program's own source line.
    pub(super) fn confirmed_again(&mut self, replayed: Replayed, found: &Found) -> Result<Counterexample, Error> {
        let Replayed { steps, situations, history, end, loop_from, .. } = replayed;
        let again = match end {
            End::Violated(again) if again.is_again(found) => {
                let again = self.explained(again, &steps)?;
                return Ok(self.confirmed(again, steps, situations, (history, loop_from)));
            }
            End::Diverged { expected, possible } => {
                return Err(Error::diverged(steps.len() + 1, &expected, &possible));
            }
            End::Violated(again) => again.message,
            End::Held => "nothing".to_owned(),
        };
        Err(Error::new(format!(
            "a {} was found that does not happen again on a fresh run of the same execution\n  \
             found: {}\n  again: {again}\n  \
             if the program uses nothing that differs from run to run (random numbers, std HashMap, statics), \
             this is a defect of netcheck",
            found.kind, found.message,
        )))
    }

    /// Runs steps again on fresh futures.
    pub(super) fn replay(&mut self, steps: &[Step]) -> Result<Replayed, Error> {
        let modes = self.modes();
        Ok(self.run_again(modes, steps)?.0)
    }

    /// As `replay`; then takes the steps that are possible once more, each after a call of `show`.
    pub(super) fn perform(&mut self, steps: &[Step], show: impl FnMut(usize, &Step)) -> Result<(), Error> {
        let modes = self.modes();
        let (mut replayed, mut learned) = self.run_again(modes, steps)?;
        source::read_lines(&mut replayed.steps);
        perform(&mut learned.system, &replayed, show).map_err(interrupted)
    }

    /// The execution as it reads now, if it violates something.
    pub(super) fn violated(&mut self, replayed: Replayed) -> Result<Option<Counterexample>, Error> {
        let Replayed { steps, situations, history, end, loop_from, .. } = replayed;
        match end {
            End::Violated(found) => {
                let found = self.explained(found, &steps)?;
                Ok(Some(self.confirmed(found, steps, situations, (history, loop_from))))
            }
            End::Held => Ok(None),
            End::Diverged { expected, possible } => Err(Error::diverged(steps.len() + 1, &expected, &possible)),
        }
    }

    fn confirmed(
        &self,
        found: Found,
        mut steps: Vec<Step>,
        situations: Situations,
        (history, loop_from): (Option<CallHistory>, Option<usize>),
    ) -> Counterexample {
        source::read_lines(&mut steps);
        let counterexample = Counterexample::new(found, self.checker.faults_in_words(), steps, situations);
        counterexample.with_history(history).repeating(loop_from)
    }

    /// The same violation; of a deadlock, it is said for what each task waits, and which is probably to blame.
    ///
    /// To find that out takes wakers that are told from each other. A program can tell them, too: if it does something
    /// else then, the deadlock stays as it was found.
    fn explained(&mut self, found: Found, steps: &[Step]) -> Result<Found, Error> {
        if found.kind != ViolationKind::Deadlock {
            return Ok(found);
        }
        let modes = Modes { explains: true, ..self.modes() };
        let (Replayed { steps, at, end, .. }, Learned { system, .. }) = self.run_again(modes, steps)?;
        match end {
            End::Violated(mut explained) if explained.kind == found.kind => {
                let blamed = at.and_then(|(state, _)| blamed(&system, (&state, &found.at_rest), &steps));
                if let Some(blamed) = blamed {
                    explained.message.push_str(&format!("\n  probably to blame: {blamed}"));
                }
                Ok(explained)
            }
            _ => Ok(found),
        }
    }

    /// Runs steps again on fresh futures, every call traced to its source line.
    fn run_again(&mut self, modes: Modes, steps: &[Step]) -> Result<(Replayed, Learned), Error> {
        let modes = Modes { traces: true, ..modes };
        self.attempt_in(modes, |job, system, initial| replay(system, initial, &job.properties, steps))
    }
}
