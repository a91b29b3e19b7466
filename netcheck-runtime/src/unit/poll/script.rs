//! The recorded answers to the calls of a step, and the effects of the step between them, with remarks for readers.

use crate::operation::{Effect, Offer, Operation, Outcome};
use crate::unit::remark::Remark;
use std::collections::VecDeque;

/// The calls and effects of one step.
#[derive(Clone, Default)]
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
    /// Remarks for readers on the step, if calls are traced.
    remarks: Vec<Remark>,
    /// For each answer that was taken: the place before it.
    marks: Vec<Place>,
    /// The number of the operation of the next step that is tried as soon as it is begun.
    pub(super) attempt: Option<u32>,
}

/// A place in a step: the numbers of effects and remarks before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    effects: usize,
    remarks: usize,
}

impl Script {
    /// Begins a step with these answers.
    pub(super) fn begin_step(&mut self, answers: impl IntoIterator<Item = (Operation, Outcome)>) {
        self.answers.extend(answers);
        self.effects.clear();
        self.remarks.clear();
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
        self.marks.push(self.place());
        self.answers.remove(index).expect("the answer was found there")
    }

    pub(super) fn affect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(super) fn remark(&mut self, remark: Remark) {
        self.remarks.push(remark);
    }

    /// The place that the step has come to.
    pub(super) fn place(&self) -> Place {
        Place { effects: self.effects.len(), remarks: self.remarks.len() }
    }

    /// The number of answers that the step has taken.
    pub(super) fn answered(&self) -> usize {
        self.marks.len()
    }

    /// The number of effects in this step.
    pub(super) fn effects(&self) -> usize {
        self.effects.len()
    }

    /// Removes the effects and remarks after a place.
    pub(super) fn go_back_to(&mut self, place: Place) {
        self.effects.truncate(place.effects);
        self.remarks.truncate(place.remarks);
    }

    /// The effects since the last answer.
    pub(super) fn last_effects(&mut self) -> Vec<Effect> {
        let from = self.marks.last().copied().unwrap_or_default();
        self.effects.drain(..).skip(from.effects).collect()
    }

    /// The remarks since the last answer.
    pub(super) fn last_remarks(&mut self) -> Vec<Remark> {
        let from = self.marks.last().copied().unwrap_or_default();
        self.remarks.drain(..).skip(from.remarks).collect()
    }
}
