//! The `select!`s of a unit that are being polled.

use crate::id::TaskId;
use crate::operation::Operation;
use crate::sorted::SortedMap;
use crate::unit::poll::branches::Branches;
use crate::unit::poll::operations::Fresh;
use std::panic::Location;

/// A `select!` of which one branch is being polled, or all branches wait. With another branch first, the branch that is
/// polled might not be reached, and its synchronous calls not be made: so the order of the branches is settled before.
#[derive(Clone)]
pub(crate) struct Trying {
    /// The choice of the first branch, if it is open and other branches may win.
    pub(crate) choice: Option<Operation>,
    /// The operations that the earlier branches have begun in this poll: those with numbers greater than the first of
    /// these, and at most the second.
    pub(crate) begun: (u32, u32),
    pub(crate) location: &'static Location<'static>,
    /// The number of the `select!` in this step and of the branch, if the order of the branches is open.
    pub(crate) branch: Option<(u32, usize)>,
}

/// The branch that a waker is of.
#[derive(Clone, Copy)]
struct BranchOf {
    /// The task whose own waker is called in the end.
    task: TaskId,
    /// The address of the waker that this one calls.
    calls: usize,
    /// The address of the branch: a branch may have had several wakers.
    branch: usize,
}

impl Trying {
    /// Whether one of its branches has begun an operation.
    pub(super) fn has_begun(&self, fresh: &Fresh) -> bool {
        let (after, until) = self.begun;
        after < fresh.number && fresh.number <= until
    }
}

/// The `select!`s of a step.
#[derive(Clone, Default)]
pub(super) struct Selects {
    /// Polls of unbiased `select!`s in this step.
    polls: u32,
    /// The `select!`s of which a branch is being polled, the outermost first.
    pub(super) rounds: Vec<Trying>,
    /// The unbiased `select!`s whose branches all wait, though several of them could be tried.
    pub(super) open: Vec<Trying>,
    /// The wakers of branches, by their addresses, whose tasks' own wakers they call.
    branches: SortedMap<usize, BranchOf>,
}

impl Selects {
    pub(super) fn begin_step(&mut self) {
        self.polls = 0;
    }

    pub(super) fn begin_poll(&mut self) {
        self.rounds.clear();
        self.open.clear();
    }

    /// A waker of a branch, at these addresses, calls another one, and in the end the own waker of a task.
    pub(super) fn add_branch(&mut self, waker: *const (), task: TaskId, [calls, branch]: [*const (); 2]) {
        let of = BranchOf { task, calls: calls.addr(), branch: branch.addr() };
        self.branches.insert(waker.addr(), of);
    }

    /// Whether a waker is of a branch, or of a branch within it.
    pub(super) fn is_within(&self, waker: *const (), branch: usize) -> bool {
        let within = std::iter::successors(self.branches.get(&waker.addr()), |of| self.branches.get(&of.calls));
        within.into_iter().any(|of| of.branch == branch)
    }

    /// A waker of a branch is dropped.
    pub(super) fn remove_branch(&mut self, waker: *const ()) {
        self.branches.remove(&waker.addr());
    }

    /// Whether this is the waker of a branch that calls the own waker of a task.
    pub(super) fn is_branch_of(&self, task: TaskId, waker: *const ()) -> bool {
        self.branches.get(&waker.addr()).is_some_and(|of| of.task == task)
    }

    /// The branches, of `select!`s whose order is open, that are being polled.
    pub(super) fn branches(&self) -> Branches {
        self.rounds.iter().filter_map(|round| round.branch).collect()
    }

    /// Numbers a poll of an unbiased `select!`.
    pub(super) fn poll(&mut self) -> u32 {
        self.polls += 1;
        self.polls
    }

    /// The number of polls of unbiased `select!`s in this step.
    pub(super) fn polls(&self) -> u32 {
        self.polls
    }
}
