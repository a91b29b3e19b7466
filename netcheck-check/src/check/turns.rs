//! A bound on the steps of an execution that come out of turn.

use super::Checker;
use super::setup::Job;
use crate::error::Error;

/// The most that are counted.
pub(super) const DEVIATIONS_MAX: usize = u8::MAX as usize;

/// The values that `deviations` may have, as text.
pub(super) fn deviations_meaning() -> String {
    format!("`deviations` is how many steps of an execution may come out of turn, from 0 to {DEVIATIONS_MAX}")
}

impl Checker {
    /// Only executions in which at most so many steps come out of turn: of large programs, whose tasks and packets may go on in
    /// more orders than can be explored.
    ///
    /// All operations that could go on take turns: each process or isolated task in the order in which it was registered or
    /// spawned, and within it each of the calls that it waits in. To go on with another call than the one in turn is a deviation
    /// (Emmi, Qadeer, Rakamarić, "Delay-bounded scheduling", POPL 2011). With 0 there is one order, with 1 there are about as
    /// many as an execution has steps times the calls that could go on, and so on. What calls give, what is chosen, faults,
    /// crashes and cuts are no matter of order, and are explored as ever. The report says `verified with at most 1 deviation`.
    ///
    /// Such a check goes without reduction and without symmetry: that a process waits for ever beside others that go on is seen as
    /// an execution that never ends ([`Checker::liveness`]), and not as a deadlock.
    ///
    /// # Panics
    /// If `steps` is more than 255. The check is refused beside [`Udp::delay`](super::Udp::delay) and
    /// [`Tcp::delay`](super::Tcp::delay), where time decides what comes next, and beside [`Tasks::Tracked`](super::Tasks).
    #[track_caller]
    pub fn deviations(mut self, steps: usize) -> Self {
        assert!(steps <= DEVIATIONS_MAX, "{}", deviations_meaning());
        self.deviations = Some(steps);
        self
    }
}

impl Job {
    /// Leaves out what is not argued for beside a bound on orders, or says what can't be combined with it.
    pub(super) fn leave_reductions_out_beside_turns(&mut self) -> Result<(), Error> {
        if self.checker.deviations.is_none() {
            return Ok(());
        }
        let refused = match () {
            () if self.is_dense() => Some("`delay`: time decides there what comes next"),
            () if self.checker.tasks == super::Tasks::Tracked => Some("`tasks = tracked`: say `tasks = fifo`"),
            () => None,
        };
        if let Some(with) = refused {
            return Err(Error::new(format!("`deviations` can't be combined with {with}; leave one of them out")));
        }
        self.checker.symmetry = false;
        self.leave_reduction_out("`deviations` bounds the orders of steps");
        Ok(())
    }
}
