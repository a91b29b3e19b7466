//! A check that is explored by hand: its system answers the requests of a page.

use super::setup::Job;
use super::{Checker, registered};
use crate::error::Error;
use crate::explore::page::page;
use crate::explore::server::Server;
use crate::explore::view::Explorer;
use crate::network::Network;
use crate::trace::counterexample::Counterexample;
use netcheck_runtime::search::progress::Phase;
use netcheck_runtime::unit::shared::Modes;
use netcheck_runtime::world::system::Interrupt;
use std::sync::Arc;

/// Why a system answers no more requests.
enum Served {
    /// The explorer has ended.
    Ended,
    /// The automata that it has learned can't be relied on.
    Broken,
}

impl Checker {
    /// Serves a page on loopback on which an execution is taken step by step: the steps that could come next, a way to
    /// a state that is wanted, the path as a diagram and as a file. `from` is an execution to begin with; `opened` gets
    /// the address of the page. Returns when the page ends it, or at Ctrl-C. Checks nothing.
    ///
    /// # Errors
    /// If the program can't be checked, or nothing can be served.
    pub fn explore(
        &self,
        network: impl FnOnce(&mut Network),
        from: Option<&Counterexample>,
        opened: impl FnOnce(&str),
    ) -> Result<(), Error> {
        self.explore_as("a check", network, from, opened)
    }

    /// As [`Checker::explore`], with a name for the page.
    pub(crate) fn explore_as(
        &self,
        name: &str,
        network: impl FnOnce(&mut Network),
        from: Option<&Counterexample>,
        opened: impl FnOnce(&str),
    ) -> Result<(), Error> {
        let mut server = Server::open(page(name, from))?;
        opened(&server.url());
        // It takes as long as somebody looks at it.
        let checker = Checker { duration_max: None, ..self.clone() };
        checker.run(registered(network), move |mut job| job.serve(&mut server))
    }
}

impl Job {
    /// Answers requests until the explorer ends.
    fn serve(&mut self, server: &mut Server) -> Result<(), Error> {
        self.progress.begin(Phase::Serving);
        let modes = Modes { traces: true, ..self.modes() };
        let progress = Arc::clone(&self.progress);
        let is_over = || progress.is_over();
        let faults = self.checker.faults_in_words();
        // A request that a system could not answer is answered by the next one.
        let mut asked = None;
        loop {
            let (served, _) = self.attempt_in(modes, |job, system, initial| {
                let explorer = Explorer { properties: &job.properties, faults: faults.clone(), is_over: &is_over };
                loop {
                    let Some(next) = asked.take().or_else(|| server.next(is_over)) else { return Ok(Served::Ended) };
                    match explorer.answer(system, initial, &next.query) {
                        Ok(answer) => next.reply(answer),
                        Err(Interrupt::Diagnostic(diagnostic)) => {
                            next.refuse(diagnostic.0);
                            return Ok(Served::Broken);
                        }
                        Err(interrupt) => {
                            asked = Some(next);
                            return Err(interrupt);
                        }
                    }
                }
            })?;
            match served {
                Served::Ended => return Ok(()),
                Served::Broken => {}
            }
        }
    }
}
