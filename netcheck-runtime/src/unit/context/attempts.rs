//! What a poll tries at once: operations that it begins and does not wait for, and the branches of
//! `select!`s.
//!
//! A branch that asks something does so only if no other has come first. So the order of the branches
//! is chosen, and what earlier ones have begun is tried, before anything is asked inside of a later one:
//! the answers of a poll stand in the order in which it will ask for them again.

use super::{Context, State};
use crate::operation::{Offer, Operation, OperationKey, Outcome};
use std::panic::Location;

/// An operation that was begun in the poll that is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh {
    pub(super) key: OperationKey,
    /// Its number among the operations that the step has begun.
    pub(crate) number: u32,
    /// How many effects there were before it.
    pub(super) effects: usize,
}

/// A `select!` one of whose branches is being polled. What the branch asks would not be asked if
/// another one had come first: that is settled before.
pub(crate) struct Trying {
    /// The choice of the branch to begin with, if it has not been made and others may win.
    pub(crate) choice: Option<Operation>,
    /// The operations that the branches before it have begun in this poll, by number: after the first, up
    /// to the second.
    pub(crate) begun: (u32, u32),
    pub(crate) location: &'static Location<'static>,
}

impl State {
    /// Whether an operation that was begun in this poll could have been done at once.
    fn can_be_tried(&self, fresh: &Fresh) -> bool {
        let pending = self.operations.get(&fresh.key);
        pending.is_some_and(|pending| pending.offer.operation.tried().is_some())
    }
}

impl Context {
    /// What the history says of the operation that is begun now, if it was tried at once.
    pub(super) fn tried(&self, operation: &Operation) -> Option<Outcome> {
        let mut state = self.state();
        state.begun += 1;
        let begun = state.begun;
        let is_this = |call: &Operation| matches!(call, Operation::AtOnce { number, .. } if *number == begun);
        let index = state.script.iter().position(|(call, _)| is_this(call))?;
        let is_the_same = operation.tried().is_some_and(|tried| tried == *state.script[index].0.itself());
        if !is_the_same {
            drop(state);
            // Another order of the branches begins others.
            self.refuse()
        }
        let (call, outcome) = state.script.remove(index)?;
        state.position.answered(call, outcome.clone());
        let effects = state.effects.len();
        state.marks.push(effects);
        Some(outcome)
    }

    /// An operation that was begun in this poll will not be waited for. The OS would have tried
    /// it by now: the poll is abandoned, and taken again with the answer at hand.
    pub(crate) fn try_at_once(&self, which: impl Fn(&Fresh) -> bool) {
        if self.discarded.get() || std::thread::panicking() {
            return;
        }
        if self.to_be_tried(&which).is_some() {
            self.settle_rounds();
            self.try_now(which);
        }
    }

    /// Before something is asked inside of branches of `select!`s: which branches come first, and
    /// whether what those have begun is there.
    pub(super) fn settle_rounds(&self) {
        let mut state = self.state();
        let rounds: Vec<Trying> = std::mem::take(&mut state.rounds);
        drop(state);
        for round in &rounds {
            if let Some(choice) = &round.choice {
                self.give_up_asking(choice.clone(), round.location);
            }
            let (after, until) = round.begun;
            self.try_now(|fresh| after < fresh.number && fresh.number <= until);
        }
        self.state().rounds = rounds;
    }

    /// Leaves the poll, if there is an operation to be tried.
    fn try_now(&self, which: impl Fn(&Fresh) -> bool) {
        let Some((fresh, pending, tried)) = self.to_be_tried(which) else { return };
        let is_in = |round: &&Trying| round.begun.0 < fresh.number && fresh.number <= round.begun.1;
        let choice_of = |round: &Trying| Some((round.choice.clone()?, round.location));
        let open = self.state().open.iter().find(is_in).and_then(choice_of);
        if let Some((choice, location)) = open {
            self.give_up_asking(choice, location)
        }
        let mut state = self.state();
        let operation = Operation::AtOnce { number: fresh.number, operation: Box::new(tried) };
        let asked = Offer { key: OperationKey::ANSWER, operation, ..pending };
        // What has happened since then happens after it.
        state.effects.truncate(fresh.effects);
        state.asked = Some(asked);
        drop(state);
        self.discard()
    }

    /// The first of some operations that can be tried: what it waits for, and how it is tried.
    fn to_be_tried(&self, which: impl Fn(&Fresh) -> bool) -> Option<(Fresh, Offer, Operation)> {
        let state = self.state();
        state.fresh.iter().filter(|fresh| which(fresh)).find_map(|fresh| {
            let offer = &state.operations.get(&fresh.key)?.offer;
            Some((*fresh, offer.clone(), offer.operation.tried()?))
        })
    }

    /// Whether an operation was begun in this poll that could have been done at once, after so
    /// many others and not after more than `until`.
    pub(crate) fn has_begun(&self, after: u32, until: u32) -> bool {
        let state = self.state();
        let is_between = |fresh: &&Fresh| after < fresh.number && fresh.number <= until;
        state.fresh.iter().filter(is_between).any(|fresh| state.can_be_tried(fresh))
    }

    /// How many operations were begun in this step.
    pub(crate) fn begun(&self) -> u32 {
        self.state().begun
    }

    /// Numbers the polls of unbiased `select!`s.
    pub(crate) fn next_select(&self) -> u32 {
        let mut state = self.state();
        state.selects += 1;
        state.selects
    }

    /// The branch that the history starts this `select!` with, if it says so.
    pub(crate) fn scripted_select(&self, sequence: u32) -> Option<usize> {
        let mut state = self.state();
        // What is tried at once finds its answer by its number, wherever that stands.
        let index = state.script.iter().position(|(call, _)| !matches!(call, Operation::AtOnce { .. }))?;
        let scripted = match &state.script[index] {
            (Operation::Select { sequence: s, .. }, Outcome::Alternative(branch)) if *s == sequence => *branch,
            _ => return None,
        };
        if let Some((call, outcome)) = state.script.remove(index) {
            state.position.answered(call, outcome);
        }
        let effects = state.effects.len();
        state.marks.push(effects);
        Some(scripted)
    }
}
