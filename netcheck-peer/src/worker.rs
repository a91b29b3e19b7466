//! The thread that talks to a peer: it feeds what is asked for, and keeps some runs for what comes next.
//!
//! A thread of its own, since clocks and random numbers of a thread that polls programs under check are not real.

use crate::branches::{Branch, Branches, Step};
use crate::error::Error;
use crate::exchange::{Input, Output, in_words};
use crate::external::{External, Service, Source};
use crate::instance::{Answered, Instance, Patience};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most runs that are kept.
const INSTANCES_MAX: usize = 12;

/// One history among so many that are learned is fed to a fresh instance once more.
const SAMPLE: u64 = 16;

/// How often a history is fed to a peer that answers in several ways.
const WAYS: usize = 4;

/// How often such a peer is asked until it takes the way of a history.
const ATTEMPTS: usize = 50;

/// The work of a peer's thread.
pub(crate) struct Worker {
    name: String,
    external: External,
    services: Vec<Service>,
    branches: Arc<Mutex<Branches>>,
    /// Runs, the one that was used last at the end.
    instances: VecDeque<Instance>,
    /// Instances that were started.
    pub(crate) runs: Arc<AtomicU64>,
    learned: u64,
}

impl Worker {
    pub(crate) fn new(
        name: String,
        external: External,
        services: Vec<Service>,
        branches: Arc<Mutex<Branches>>,
        runs: Arc<AtomicU64>,
    ) -> Self {
        Worker { name, external, services, branches, instances: VecDeque::new(), runs, learned: 0 }
    }

    /// Feeds an input after a history; adds the answers to the branches.
    pub(crate) fn learn(&mut self, before: Branch, input: &Input) -> Result<(), Error> {
        let ways = if self.external.is_nondeterministic { WAYS } else { 1 };
        for _ in 0..ways {
            let (mut instance, outputs, before, input) = self.asked(before, input)?;
            instance.at = self.branches().add(before, &input, &outputs);
            self.learned += 1;
            let (learned, at) = (self.learned, instance.at);
            self.keep(instance);
            if ways == 1 && learned.is_multiple_of(SAMPLE) {
                self.verify(at)?;
            }
        }
        Ok(())
    }

    /// Asks a run; the question may be a longer one that contains it: bytes in one piece.
    fn asked(&mut self, at: Branch, input: &Input) -> Result<(Instance, Vec<Output>, Branch, Input), Error> {
        if self.external.is_nondeterministic || self.external.minds_pieces {
            let mut instance = self.instance_at(at, !self.external.is_nondeterministic)?;
            let outputs = self.fed(&mut instance, at, input)?;
            return Ok((instance, outputs, at, input.clone()));
        }
        let (before, whole) = self.branches().in_one_piece(at, input);
        let (mut instance, piece) = match self.take_at(at) {
            Some(instance) => (instance, input),
            None => (self.instance_at(before, true)?, &whole),
        };
        let outputs = self.fed(&mut instance, before, piece)?;
        Ok((instance, outputs, before, whole))
    }

    fn fed(&self, instance: &mut Instance, before: Branch, input: &Input) -> Result<Vec<Output>, Error> {
        let fed = instance.feed(&self.external, input, Patience::Silence);
        fed.map_err(|error| self.blamed(&error, before))
    }

    /// An error of the peer, with its name and the history that led there.
    fn blamed(&self, error: &Error, before: Branch) -> Error {
        Error::new(format!("external \"{}\": {error}{}", self.name, self.told(before)))
    }

    /// Feeds a whole history to a fresh instance, which waits for silence at each step, and compares.
    fn verify(&mut self, branch: Branch) -> Result<(), Error> {
        self.make_room();
        let mut instance = self.start()?;
        let history = self.branches().history(branch);
        for next in history {
            let step = self.branches().step(next).clone();
            let outputs = self.fed(&mut instance, step.before, &step.input)?;
            if self.external.masked(&outputs) != self.external.masked(&step.answer) {
                return Err(self.differs(&step, &outputs));
            }
        }
        Ok(())
    }

    /// A run that was fed a history: one that is kept, as it is or fed the rest, or a fresh one.
    fn instance_at(&mut self, branch: Branch, may_be_kept: bool) -> Result<Instance, Error> {
        let history = self.branches().history(branch);
        for attempt in 0..ATTEMPTS {
            let kept = if may_be_kept { self.take(&history) } else { None };
            let mut instance = match kept {
                Some(kept) => kept,
                None => {
                    self.make_room();
                    self.start()?
                }
            };
            let from = history.iter().position(|&branch| branch == instance.at).map_or(0, |index| index + 1);
            match self.follow(&mut instance, &history[from..])? {
                None => return Ok(instance),
                Some(_) if self.external.is_nondeterministic => {}
                // An instance that was kept may have done something of itself meanwhile: a fresh one decides.
                Some(_) if may_be_kept && from > 0 && attempt == 0 => self.instances.clear(),
                Some(error) => return Err(error),
            }
        }
        Err(Error::new(format!(
            "external \"{}\" answers in several ways, and was asked {ATTEMPTS} times without taking the way of a history{}",
            self.name,
            self.told(branch)
        )))
    }

    /// Feeds an instance known steps; the difference if it answers one of them otherwise, which is added if the peer may
    /// answer in several ways.
    fn follow(&mut self, instance: &mut Instance, steps: &[Branch]) -> Result<Option<Error>, Error> {
        for &next in steps {
            let step = self.branches().step(next).clone();
            let followed = instance.follow(&self.external, &step, next);
            match followed.map_err(|error| self.blamed(&error, step.before))? {
                Answered::AsKnown => {}
                Answered::Otherwise(outputs) => {
                    if self.external.is_nondeterministic {
                        self.branches().add(step.before, &step.input, &outputs);
                    }
                    return Ok(Some(self.differs(&step, &outputs)));
                }
            }
        }
        Ok(None)
    }

    fn start(&mut self) -> Result<Instance, Error> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let started = Instance::start(&self.external, &self.services);
        started.map_err(|error| Error::new(format!("external \"{}\": {error}", self.name)))
    }

    /// The kept run that was fed most of a history, and nothing else.
    fn take(&mut self, history: &[Branch]) -> Option<Instance> {
        history.iter().rev().chain([&Branch::START]).find_map(|&branch| self.take_at(branch))
    }

    /// A kept run that was fed just this.
    fn take_at(&mut self, branch: Branch) -> Option<Instance> {
        while let Some(index) = self.instances.iter().position(|instance| instance.at == branch) {
            let mut instance = self.instances.remove(index).expect("it was found there");
            if instance.is_silent() {
                return Some(instance);
            }
        }
        None
    }

    fn keep(&mut self, instance: Instance) {
        self.instances.push_back(instance);
    }

    /// Ends the run that was not used for longest if there are too many; of a peer that is there already, there is one.
    fn make_room(&mut self) {
        let most = match self.external.source {
            Source::Command(_) => INSTANCES_MAX - 1,
            Source::At { .. } => 0,
        };
        while self.instances.len() > most {
            self.instances.pop_front();
        }
    }

    fn branches(&self) -> MutexGuard<'_, Branches> {
        self.branches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn differs(&self, step: &Step, outputs: &[Output]) -> Error {
        Error::new(format!(
            "external \"{}\" answered the same history in two ways{}\n  \
             then:   {}\n  \
             first:  {}\n  \
             again:  {}\n  \
             if parts of its answers are different each time, such as dates, replace them by `.mask(…)`; if it is slower \
             than 50 ms, give it more time by `.settle(…)`; if it may answer either way, say `.nondeterministic()`\n  \
             if its file of answers is of another version of it, record it anew: NETCHECK_PEERS=record",
            self.name,
            self.told(step.before),
            step.input,
            in_words(&self.external.masked(&step.answer)),
            in_words(&self.external.masked(outputs)),
        ))
    }

    /// A history in words.
    fn told(&self, branch: Branch) -> String {
        let branches = self.branches();
        let steps = branches.history(branch).into_iter().map(|branch| branches.step(branch));
        let lines: Vec<String> =
            steps.map(|step| format!("\n  after:  {} -> {}", step.input, in_words(&step.answer))).collect();
        lines.concat()
    }
}
