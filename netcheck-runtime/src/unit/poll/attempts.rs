//! Operations that a poll tries at once: they are begun and then given up, or are in branches of `select!`s.
//!
//! A branch makes a synchronous call only if no earlier branch is ready. So before a branch makes one, the order of the
//! branches is chosen, and the operations that earlier branches have begun are tried: the answers of a poll are in the
//! order in which the poll will ask for them again.

use crate::operation::choices;
use crate::operation::{Offer, Operation, OperationKey, Outcome};
use crate::unit::poll::context::Context;
use crate::unit::poll::operations::Fresh;
use crate::unit::poll::selects::Trying;
use netcheck_memory::engine;
use std::panic::Location;

impl Context {
    /// The recorded answer for the operation that is begun now, if the operation was tried at once.
    pub(super) fn tried(&self, operation: &Operation) -> Option<Outcome> {
        let mut state = self.state();
        let begun = state.operations.begin();
        let is_this = |call: &Operation| matches!(call, Operation::AtOnce { number, .. } if *number == begun);
        let (index, call) = state.script.answers().map(|(call, _)| call).enumerate().find(|(_, call)| is_this(call))?;
        let is_the_same = operation.tried().is_some_and(|tried| tried == *call.itself());
        if !is_the_same {
            drop(state);
            // With another order of the branches, other operations are begun.
            self.refuse()
        }
        Some(state.take_answer(index))
    }

    /// An operation that was begun in this poll is given up. The OS would have tried it by now: the poll is abandoned,
    /// and repeated with the answer at hand.
    pub(crate) fn try_at_once(&self, which: impl Fn(&Fresh) -> bool) {
        engine(|| {
            if self.is_discarded() || std::thread::panicking() {
                return;
            }
            if self.to_be_tried(&which).is_some() {
                self.settle_rounds();
                self.try_now(which);
            }
        })
    }

    /// Settles the `select!`s that are being polled, before a branch makes a synchronous call: their orders are chosen,
    /// and the operations that earlier branches have begun are tried.
    pub(super) fn settle_rounds(&self) {
        let rounds = std::mem::take(&mut self.state().selects.rounds);
        for round in &rounds {
            if let Some(choice) = &round.choice {
                self.give_up_asking(choice.clone(), round.location);
            }
            self.try_now(|fresh| round.has_begun(fresh));
        }
        self.state().selects.rounds = rounds;
    }

    /// Abandons the poll if there is an operation to be tried.
    fn try_now(&self, which: impl Fn(&Fresh) -> bool) {
        let Some((fresh, pending, tried)) = self.to_be_tried(which) else { return };
        let choice_of = |round: &Trying| Some((round.choice.clone()?, round.location));
        let open = self.state().selects.open.iter().find(|round| round.has_begun(&fresh)).and_then(choice_of);
        if let Some((choice, location)) = open {
            self.give_up_asking(choice, location)
        }
        let mut state = self.state();
        let operation = Operation::AtOnce { number: fresh.number, operation: Box::new(self.detached(tried)) };
        let asked = Offer { key: OperationKey::ANSWER, is_called: false, operation, ..pending };
        // The later effects are recorded after the attempt.
        state.script.go_back_to(fresh.place);
        state.script.asked = Some(asked);
        drop(state);
        self.discard()
    }

    /// Abandons the poll until there is an answer to a synchronous call.
    pub(super) fn give_up_asking(&self, operation: Operation, location: &'static Location<'static>) -> ! {
        let (caller, execution) = self.execution(location);
        let mut state = self.state();
        let operation = self.detached(operation);
        let task = state.tasks.running;
        let is_called = false;
        let asked = Offer { key: OperationKey::ANSWER, task, is_called, operation, location, caller, execution };
        state.script.asked = Some(asked);
        drop(state);
        self.discard()
    }

    /// The first of some fresh operations that can be tried: its offer, and the operation that tries it. Of a timer, and of a
    /// call that the program polls itself, it was decided before the next answer whether it completes (`world::readiness`).
    fn to_be_tried(&self, which: impl Fn(&Fresh) -> bool) -> Option<(Fresh, Offer, Operation)> {
        let state = self.state();
        let answered = state.script.answered();
        let is_settled = |fresh: &Fresh| fresh.answered < answered && state.operations.is_at_once(fresh);
        state.operations.to_be_tried(|fresh| which(fresh) && !is_settled(fresh))
    }

    /// Whether this poll began an operation that can be tried, with a number greater than `after` and at most `until`.
    pub(crate) fn has_begun(&self, after: u32, until: u32) -> bool {
        engine(|| self.to_be_tried(|fresh| after < fresh.number && fresh.number <= until).is_some())
    }

    /// The number of operations that this step has begun.
    pub(crate) fn begun(&self) -> u32 {
        engine(|| self.state().operations.begun())
    }

    /// Numbers the polls of unbiased `select!`s.
    pub(crate) fn next_select(&self) -> u32 {
        engine(|| self.state().selects.poll())
    }

    /// The branch with which this `select!` begins in the history, if the history has a choice for it.
    pub(crate) fn scripted_select(&self, sequence: u32) -> Option<usize> {
        engine(|| {
            let mut state = self.state();
            // The answer of an operation that is tried at once is found by the operation's number, at any place.
            let mut answers = state.script.answers().enumerate();
            let (index, answer) = answers.find(|(_, (call, _))| !matches!(call, Operation::AtOnce { .. }))?;
            let scripted = match answer {
                (Operation::Choices(choices::Operation::Select { sequence: s, .. }), Outcome::Alternative(branch))
                    if *s == sequence =>
                {
                    *branch
                }
                _ => return None,
            };
            drop(answers);
            state.take_answer(index);
            Some(scripted)
        })
    }

    /// A `select!` has a branch that is ready.
    pub(crate) fn note_winner(&self) {
        engine(|| self.state().operations.act());
    }

    /// A branch of a `select!` is about to be polled.
    pub(crate) fn enter_branch(&self, round: Trying) {
        engine(|| self.state().selects.rounds.push(round));
    }

    /// The branch has been polled.
    pub(crate) fn leave_branch(&self) {
        engine(|| _ = self.state().selects.rounds.pop());
    }

    /// All branches of an unbiased `select!` wait, and several of them could be tried.
    pub(crate) fn keep_open(&self, round: Trying) {
        engine(|| self.state().selects.open.push(round));
    }
}
