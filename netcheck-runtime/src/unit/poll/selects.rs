//! The `select!`s of a unit that are being polled.

use crate::operation::Operation;
use crate::unit::poll::operations::Fresh;
use std::panic::Location;

/// A `select!` one of whose branches is being polled, or all of whose branches wait. An answer that the branch asks
/// for would not be asked for if another branch had come first: so the order of the branches is settled before.
pub(crate) struct Trying {
    /// The choice of the branch to begin with, if it has not been made and others may win.
    pub(crate) choice: Option<Operation>,
    /// The operations that the branches before it have begun in this poll, by number: after the first, up
    /// to the second.
    pub(crate) begun: (u32, u32),
    pub(crate) location: &'static Location<'static>,
}

impl Trying {
    /// Whether a branch of it has begun an operation.
    pub(super) fn has_begun(&self, fresh: &Fresh) -> bool {
        let (after, until) = self.begun;
        after < fresh.number && fresh.number <= until
    }
}

/// The `select!`s of a step.
#[derive(Default)]
pub(super) struct Selects {
    /// Polls of unbiased `select!`s in this step.
    polls: u32,
    /// The `select!`s one of whose branches is being polled, the outermost first.
    pub(super) rounds: Vec<Trying>,
    /// The unbiased `select!`s all of whose branches wait, though several could be tried.
    pub(super) open: Vec<Trying>,
}

impl Selects {
    pub(super) fn begin_step(&mut self) {
        self.polls = 0;
    }

    pub(super) fn begin_poll(&mut self) {
        self.rounds.clear();
        self.open.clear();
    }

    /// Numbers a poll of an unbiased `select!`.
    pub(super) fn poll(&mut self) -> u32 {
        self.polls += 1;
        self.polls
    }

    /// How many polls of unbiased `select!`s there were in this step.
    pub(super) fn polls(&self) -> u32 {
        self.polls
    }
}
