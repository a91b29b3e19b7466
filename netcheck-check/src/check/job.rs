//! One check: it is searched to the fixpoint, unless an execution that was drawn meanwhile has violated a property; a
//! violation is shortened, and confirmed; where there is none, executions that never end are looked for; then all is summed up.

use super::fixpoint::Searched;
use super::setup::Job;
use crate::error::Error;
use crate::report::Report;
use netcheck_runtime::coverage::claimed_at_last;

impl Job {
    /// Checks the registered programs.
    pub(super) fn check(mut self) -> Result<Report, Error> {
        let (searched, figures, counterexample, walk) = loop {
            let mut searched = match self.checker.simulation {
                Some(simulation) => self.simulate(simulation)?,
                None => self.search()?,
            };
            if let Some(report) = self.hunted.take() {
                return Ok(report);
            }
            // The figures of the search: a counterexample is made of the same system, and learns more.
            let figures = searched.figures();
            let explored = &searched.explored;
            let Some((at, found)) = explored.found.clone() else {
                self.refuse_unnamed_claims(&searched)?;
                let (endless, walk) = self.endless(&mut searched)?;
                break (searched, figures, endless, walk);
            };
            // In the full semantics the execution may come to another finding first.
            let first = explored.concrete.as_ref().map_or(&found, |(_, first)| first);
            if first.is_error {
                return Err(Error::new(first.message.clone()));
            }
            let demands = self.demands;
            match self.counterexample(&mut searched, (at, found)) {
                // The demands of the programs were seen only on the way to the least execution.
                _ if self.demands != demands => {}
                counterexample => break (searched, figures, Some(counterexample?), None),
            }
        };
        self.summary(searched, figures, (counterexample, walk))
    }

    /// An error if a program claims with `eventually!` what the check does not name: nobody would watch it.
    fn refuse_unnamed_claims(&self, searched: &Searched) -> Result<(), Error> {
        let named = |name: &&str| self.registered.at_last.iter().any(|named| named == name);
        match claimed_at_last(&searched.learned.system.learner.automata).into_iter().find(|name| !named(name)) {
            Some(name) => Err(Error::new(format!(
                "`eventually!` \"{name}\" is watched by nobody: say `net.eventually(\"{name}\")` in the check"
            ))),
            None => Ok(()),
        }
    }
}
