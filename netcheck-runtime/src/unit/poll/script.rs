//! The recorded answers to the calls of a step, and the effects of the step between them.

use crate::operation::{Effect, Offer, Operation, Outcome};
use std::collections::VecDeque;

/// The calls and effects of one step.
#[derive(Default)]
pub(super) struct Script {
    /// Answers to the synchronous calls that the step will make.
    answers: VecDeque<(Operation, Outcome)>,
    /// The synchronous call at which the poll was abandoned.
    pub(super) asked: Option<Offer>,
    /// The difference between a replay and the record.
    pub(super) mismatch: Option<String>,
    /// Why the check can't go on.
    pub(super) failure: Option<String>,
    effects: Vec<Effect>,
    /// For each answer that was taken: the number of effects before it.
    marks: Vec<usize>,
}

impl Script {
    /// Begins a step with these answers.
    pub(super) fn begin_step(&mut self, answers: impl IntoIterator<Item = (Operation, Outcome)>) {
        self.answers.extend(answers);
        self.effects.clear();
        self.marks.clear();
    }

    /// The call that the next answer is for.
    pub(super) fn answer(&self) -> Option<&Operation> {
        self.answers.front().map(|(call, _)| call)
    }

    /// The answers that are left.
    pub(super) fn answers(&self) -> impl Iterator<Item = &(Operation, Outcome)> {
        self.answers.iter()
    }

    /// Takes an answer. The next effects come after it.
    pub(super) fn take(&mut self, index: usize) -> (Operation, Outcome) {
        self.marks.push(self.effects.len());
        self.answers.remove(index).expect("the answer was found there")
    }

    pub(super) fn affect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// The number of effects in this step.
    pub(super) fn effects(&self) -> usize {
        self.effects.len()
    }

    /// Removes all but the first `count` effects.
    pub(super) fn keep_effects(&mut self, count: usize) {
        self.effects.truncate(count);
    }

    /// The effects since the last answer.
    pub(super) fn last_effects(&mut self) -> Vec<Effect> {
        let from = self.marks.last().copied().unwrap_or(0);
        self.effects.drain(..).skip(from).collect()
    }
}
