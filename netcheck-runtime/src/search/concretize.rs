//! A reduced execution as one that needs no reduction to be believed.
//!
//! The reduced search explores connected components one after the other, each with a clock of its own, and relies on
//! footprints that may still grow. A violation that it meets is therefore taken through the full semantics, in which
//! timers wait for all units: the steps of each unit (or tracked task) stay in their order, those of different units
//! are interleaved as it becomes possible, and a unit without steps left on the path is run on where others wait. A loss
//! in flight takes its turn among the steps of its component, since only those depend on it; in the full semantics it
//! waits for all units, and loses what is in flight to any of them, so it comes after the moves that can be taken before.

use super::again::{Remaining, is_next, is_same};
use super::filling::Filling;
use super::progress::Progress;
use super::timed;
use crate::id::Mover;
use crate::property::Properties;
use crate::reduction::stubborn::StubbornSet;
use crate::reduction::successors::{PathStep, Successors};
use crate::reduction::unread::without_unread;
use crate::rest::deadlock_of_part;
use crate::violation::Found;
use crate::world::components::StateVector;
use crate::world::step::Transition;
use crate::world::system::{Interrupt, System};
use smallvec::SmallVec;
use std::sync::Arc;

/// Steps of other units that are tried at the most before the time of a stubborn set passes for it alone, or a part is seen
/// to have come to rest: others may go on for ever.
const FILLING_AT_ONCE: usize = 64;

/// After so many steps the search asks whether the check is to end.
const LOOKS_UP_EVERY: usize = 16;

/// The path steps in the full semantics, if they can be taken there and lead to a violation. `filling` says how
/// many steps of other units may go between them, and is counted down. `trusts`: the footprints are those of the
/// fixpoint, so that time may pass for a stubborn set alone, and the units `at_rest` wait for ever whatever the others do.
pub(super) fn concretize(
    system: &mut System,
    properties: &Properties,
    (path_steps, at_rest): (&[PathStep], &[String]),
    filling: &mut Filling,
    (progress, trusts): (&Progress, bool),
) -> Result<Option<(Vec<PathStep>, Found)>, Interrupt> {
    let Some(first) = path_steps.first() else { return Ok(None) };
    if path_steps.iter().all(|path_step| path_step.scope.is_none() && !path_step.transition.is_of_search())
        && let Some(same) = in_full(system, properties, path_steps)?
    {
        return Ok(Some(same));
    }
    if system.has_delay()
        && let Some(timed) = timed::concretize(system, properties, path_steps, filling, progress)?
    {
        return Ok(Some(timed));
    }
    let remaining = path_steps.iter().filter(|path_step| !path_step.transition.is_of_search());
    let taking = Taking {
        properties,
        at_rest,
        remaining: remaining
            .map(|PathStep { transition, scope, .. }| Remaining { transition, scope: scope.as_deref() })
            .collect(),
        state: first.state.clone(),
        trusts,
        polls_max: if trusts { u64::MAX } else { filling.polls_max(system.learner.polls) },
        taken: Vec::new(),
        filled: 0,
        rested: None,
    };
    let polls = system.learner.polls;
    let taken = taking.all(system, filling, progress);
    if !trusts {
        filling.count(system.learner.polls - polls);
    }
    taken
}

/// An execution of the full semantics, as far as it has come.
struct Taking<'a> {
    properties: &'a Properties,
    /// The names of the units that wait for ever at the end; none: all of them.
    at_rest: &'a [String],
    /// The steps of the path that are still to be taken.
    remaining: Vec<Remaining<'a>>,
    state: StateVector,
    /// Whether footprints are believed: time may pass for a stubborn set alone, and a part be at rest beside others.
    trusts: bool,
    /// No steps of others are taken once programs have been polled so often.
    polls_max: u64,
    taken: Vec<PathStep>,
    /// Steps of others since the last one of the path.
    filled: usize,
    /// How many steps had been taken when none of the path was left, and the state then.
    rested: Option<(usize, StateVector)>,
}

/// The next step of a path.
enum Next {
    /// A step; with the stubborn set for which alone time passes.
    Step(Transition, Option<Arc<StubbornSet>>),
    /// All has come to rest.
    End,
    /// Nothing that leads further.
    Nothing,
}

impl Taking<'_> {
    /// Takes all steps; returns the execution and what it violates, if it does.
    fn all(
        mut self,
        system: &mut System,
        filling: &mut Filling,
        progress: &Progress,
    ) -> Result<Option<(Vec<PathStep>, Found)>, Interrupt> {
        loop {
            if self.taken.len().is_multiple_of(LOOKS_UP_EVERY) && progress.is_over() {
                return Ok(None);
            }
            match self.next(system, filling)? {
                Next::Step(transition, scope) => {
                    if let Some(found) = self.take(system, transition, scope)? {
                        return Ok(Some((self.taken, found)));
                    }
                }
                Next::End => {
                    let found = self.properties.violated_at_end(system, &self.state);
                    return Ok(found.map(|found| (self.taken, found)));
                }
                Next::Nothing => return self.has_come_to_rest(system),
            }
        }
    }

    fn next(&mut self, system: &mut System, filling: &mut Filling) -> Result<Next, Interrupt> {
        while let Some(happened) = next_that_happened(system, &self.remaining, &self.state) {
            self.remaining.remove(happened);
        }
        let mut successors = Successors::default();
        let possible = successors.within(system, &self.state, None)?.to_vec();
        let is_over = self.remaining.is_empty() && possible.iter().all(Transition::is_failure);
        if is_over {
            return Ok(Next::End);
        }
        if self.remaining.is_empty() {
            self.rested.get_or_insert_with(|| (self.taken.len(), self.state.clone()));
        }
        let offered =
            |index: usize| possible.iter().find(|step| is_same(system, step, self.remaining[index].transition));
        let of_movers = |&index: &usize| system.mover(self.remaining[index].transition).is_some();
        let next_steps: SmallVec<[usize; 8]> =
            (0..self.remaining.len()).filter(|&index| is_next(system, &self.remaining, index)).collect();
        let in_turn = next_steps.iter().filter(|index| of_movers(index)).chain(&next_steps);
        let next_step = in_turn.into_iter().find_map(|&index| Some((index, offered(index)?)));
        if let Some((index, transition)) = next_step {
            self.remaining.remove(index);
            self.filled = 0;
            return Ok(Next::Step(transition.clone(), None));
        }
        if (self.filled < FILLING_AT_ONCE || !self.trusts)
            && system.learner.polls < self.polls_max
            && !self.goes_round(system)
            && let Some(other) = possible.iter().find(|step| self.fills(system, step))
            && filling.take()
        {
            self.filled += 1;
            return Ok(Next::Step(other.clone(), None));
        }
        for index in next_steps.into_iter().filter(|_| self.trusts) {
            let Remaining { transition, scope: Some(scope) } = self.remaining[index] else { continue };
            let alone = successors.within(system, &self.state, Some(scope))?;
            if let Some(step) = alone.iter().find(|step| is_same(system, step, transition)).cloned() {
                let scope = Arc::new(scope.clone());
                self.remaining.remove(index);
                self.filled = 0;
                return Ok(Next::Step(step, Some(scope)));
            }
        }
        Ok(Next::Nothing)
    }

    /// Whether the others have come back to a state in which they were, but for datagrams that pile up where they never
    /// receive: their steps lead nowhere. Which step of them is taken is decided by the state. It is compared with that after
    /// the last power of two of steps (R. Brent, "An improved Monte Carlo factorization algorithm", 1980).
    fn goes_round(&self, system: &mut System) -> bool {
        let since = match self.filled.checked_ilog2() {
            Some(power) => self.filled - (1 << power),
            None => return false,
        };
        let round = &self.taken[self.taken.len() - since..];
        let Some(PathStep { state: before, .. }) = round.first() else { return false };
        let units = |state: &StateVector| system.view().live_units(state).collect::<SmallVec<[_; 8]>>();
        if units(before) != units(&self.state) {
            return false;
        }
        let [before, now] =
            [before, &self.state].map(|state| without_unread(system, state, round.iter().map(|step| &step.transition)));
        before == now
    }

    /// Whether a step may go between those of the path. A mover that has no steps left is at rest in each stubborn set that
    /// it is in.
    fn fills(&self, system: &System, step: &Transition) -> bool {
        let foreign = |mover: Mover| {
            let needs = |step: &Remaining<'_>| {
                system.mover(step.transition) == Some(mover) || step.scope.is_some_and(|scope| scope.concerns(mover))
            };
            !self.remaining.iter().any(needs)
        };
        !step.holds_nothing_up() && system.mover(step).is_some_and(foreign)
    }

    /// Takes a step; returns what it violates.
    fn take(
        &mut self,
        system: &mut System,
        transition: Transition,
        scope: Option<Arc<StubbornSet>>,
    ) -> Result<Option<Found>, Interrupt> {
        let mut next = Vec::new();
        system.apply(&self.state, &transition, &mut next)?;
        let state = std::mem::replace(&mut self.state, StateVector::from_vec(next));
        let found = self.properties.step(system, &transition);
        self.taken.push(PathStep { state, transition, scope });
        Ok(found)
    }

    /// The part that the path ends in may have come to rest, whatever the others do.
    fn has_come_to_rest(mut self, system: &mut System) -> Result<Option<(Vec<PathStep>, Found)>, Interrupt> {
        let is_meant = self.trusts && !self.at_rest.is_empty();
        let Some((taken, state)) = self.rested.take().filter(|_| is_meant) else { return Ok(None) };
        let found = deadlock_of_part(system, self.properties, &state, self.at_rest)?;
        self.taken.truncate(taken);
        Ok(found.map(|found| (self.taken, found)))
    }
}

/// The path itself, which relies on no stubborn set, if it ends with a violation.
fn in_full(
    system: &mut System,
    properties: &Properties,
    path_steps: &[PathStep],
) -> Result<Option<(Vec<PathStep>, Found)>, Interrupt> {
    let Some(last) = path_steps.last() else { return Ok(None) };
    let mut found = properties.step(system, &last.transition);
    if found.is_none() {
        let mut end = Vec::new();
        system.apply(&last.state, &last.transition, &mut end)?;
        let possible = Successors::default().within(system, &end, None)?.to_vec();
        let is_over = possible.iter().all(Transition::is_failure);
        found = is_over.then(|| properties.violated_at_end(system, &end)).flatten();
    }
    let step = |PathStep { state, transition, .. }: &PathStep| PathStep {
        state: state.clone(),
        transition: transition.clone(),
        scope: None,
    };
    Ok(found.map(|found| (path_steps.iter().map(step).collect(), found)))
}

/// A loss whose turn it is and that has happened already.
fn next_that_happened(system: &System, remaining: &[Remaining<'_>], state: &[u32]) -> Option<usize> {
    (0..remaining.len()).find(|&index| remaining[index].has_happened(state) && is_next(system, remaining, index))
}
