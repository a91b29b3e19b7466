//! Readiness: a call that can complete does so in the poll that begins it.
//!
//! tokio tries a call in each poll in which it is reached, if its driver has told that there is something. So nothing else
//! of the task comes before a call that is *known* to complete, no later branch of a `biased` select and no time-out. A run
//! that learns a step does not know the state of the world, and lets each call wait; what would have been different is set
//! right here, where the state is known.
//!
//! Known ([`Readiness`]) is what was there when time passed: the process has had nothing to run then, and its driver was
//! asked. A read that fills its buffer and leaves bytes, and a connect, leave a socket as one of which the driver has told.
//! A packet that has come since may be seen or not.
//!
//! - *With the waker of its own task*: a step does not exist whose poll finds such a call to wait ([`View::complete_at_once`]),
//!   before the outcome that the step takes, or at all if it takes none: the poll would have gone on with the call, and
//!   that is another step, the one in which the call completes. Where the order is that of an unbiased `select!`, it might
//!   have come to the other branch first, and the step exists. Of the calls that are known, the step of the one which
//!   polls reach first finds none of the others, so there is always one. Other tasks may move before, as on a runtime of
//!   several threads.
//! - *With another waker*, the program itself polls the call, and sees that it waits. There, a step that begins a call which
//!   may complete ends at the call ([`View::attempt`]): it is tried as a synchronous call is, and the poll goes on with
//!   the answer. A step also ends where a poll makes a synchronous call. So the state after a step is the one in which
//!   the poll has begun all calls since the last answer, and there it is decided which of them complete; after the next
//!   answer, a call that has waited is not asked again. (That others act in the midst of such a poll is not explored: a
//!   call that completes then wakes its task, which comes back to it.)
//! - *A timer*, with whatever waker: the driver fires all timers that are due before it polls a task, so one whose deadline
//!   is over is ready when a poll comes to it, be it begun there or waited for since long (a `tick` in the branch of a
//!   `select!` that was given up while another branch was handled). So a step that comes to such a timer ends there, and the
//!   poll goes on with the answer ([`View::attempt`]). Whether it is over is known before the step, once the time until the
//!   step has passed, unless the step sets the timer: then it is known after the step. One that is set for so much time from
//!   now is not over in that step, not even for no time, since tokio counts milliseconds and rounds up. For the same reason
//!   both answers are explored at the very instant of a deadline, unless the poll does nothing more that anybody sees, and
//!   waits for the timer in a `select!` or a time-out: then it fires in the next step.
//! - *With a waker that wakes nobody* (`now_or_never`), nobody comes back to it, so the call is a synchronous one: others
//!   may act before each poll, which chooses an outcome, and nothing waits between two of them (`unit::poll::calls`).
//!
//! The calls that a process knows to complete change by its own steps and by time alone: others take none away. If
//! somebody else has a handle of the socket and is faster, nothing is offered for the call, and the task goes on as if it
//! waited.

use super::enabled::Enabled;
use super::prepared::{Prepared, PreparedCall, PreparedOffer, Waking};
use super::step::{Move, Transition};
use super::tables::{Lookup, Missing, View};
use super::{mailboxes, tcp, time, udp};
use crate::id::UnitId;
use crate::operation::{Decided, OperationKey};
use crate::unit::automaton::EdgeId;

/// Whether a call can complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    Waits,
    /// The datagram, bytes or connection that it asks for may have arrived.
    MayBe,
    Ready,
}

impl View<'_> {
    fn readiness(self, state: &[u32], unit: UnitId, prepared: &Prepared) -> Lookup<Readiness> {
        match prepared {
            Prepared::Time(prepared) => Ok(time::readiness::after(self, state, unit, prepared)),
            Prepared::Tcp(prepared) => Ok(tcp::readiness::of(self, state, prepared)),
            Prepared::Udp(prepared) => udp::readiness::of(self, state, prepared),
            Prepared::Mailboxes(prepared) => Ok(mailboxes::readiness::of(self, state, prepared)),
            _ => Ok(Readiness::Waits),
        }
    }

    /// Of the steps from `first` on, which are those of one unit, keeps the ones whose polls find no call to wait that is
    /// known to complete.
    pub(super) fn complete_at_once(
        self,
        state: &[u32],
        (unit, offers): (UnitId, &[PreparedOffer]),
        first: usize,
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        if offers.len() == 1 || enabled.moves.len() == first {
            return Ok(());
        }
        let is_taken = |key: OperationKey, steps: &[Transition]| {
            steps.iter().any(|step| matches!(step.step, Move::Unit { input, .. } if input.key == key))
        };
        let before = enabled.known.len();
        for offer in offers {
            // A timer that is offered here is due.
            let is_known = match (&offer.prepared, offer.waking) {
                (Prepared::Time(_), _) => true,
                (prepared, Waking::Offered) => self.readiness(state, unit, prepared)? == Readiness::Ready,
                _ => false,
            };
            if is_known && is_taken(offer.key, &enabled.moves[first..]) {
                enabled.known.push((unit, offer.key));
            }
        }
        if enabled.known.len() > before {
            let mut steps = enabled.moves.split_off(first);
            steps.retain(|step| match step.step {
                Move::Unit { edge, .. } => !self.has_passed(edge, |key| enabled.known.contains(&(unit, key))),
                _ => true,
            });
            enabled.moves.append(&mut steps);
        }
        Ok(())
    }

    /// Whether the poll of a step finds an operation to wait for which this holds, before what it takes.
    pub(super) fn has_passed(self, edge: EdgeId, completes: impl Fn(OperationKey) -> bool) -> bool {
        edge != EdgeId::POSTPONED && self.automata.edge(edge).begun.passed.iter().any(|&key| completes(key))
    }

    /// Lets each step end at the first call that completes at once if it can, and that may complete.
    pub(super) fn attempt(self, state: &[u32], steps: &mut [Transition]) -> Lookup<()> {
        let mut next = Vec::new();
        for step in steps {
            let Move::Unit { edge, .. } = step.step else { continue };
            if edge == EdgeId::POSTPONED || self.automata.edge(edge).begun.calls.is_empty() {
                continue;
            }
            if let Some(number) = self.first_to_complete(state, step, &mut next)? {
                let Move::Unit { edge, .. } = &mut step.step else { continue };
                let attempt = self.automata.attempt(*edge, number);
                *edge = attempt.ok_or(Missing::Attempt(*edge, number))?;
            }
        }
        Ok(())
    }

    /// The number of the first call of a step that completes at once if it can, and that may complete.
    fn first_to_complete(self, state: &[u32], step: &Transition, next: &mut Vec<u32>) -> Lookup<Option<u32>> {
        let Move::Unit { unit, edge, .. } = step.step else { return Ok(None) };
        let calls = self.tables.begun.get(&edge).ok_or(Missing::Begun(edge))?;
        next.clear();
        let mut open = None;
        for PreparedCall { number, decided, goes_on, prepared } in &**calls {
            let readiness = match (decided, prepared) {
                (Decided::Before, Prepared::Time(prepared)) => time::readiness::before(self, state, step, prepared),
                _ => {
                    if next.is_empty() {
                        self.apply(state, step, next)?;
                    }
                    self.readiness(next, unit, prepared)?
                }
            };
            match readiness {
                Readiness::Waits => {}
                Readiness::MayBe if *goes_on => open = open.or(Some(*number)),
                // It does not go on to wait if the poll ends at another call.
                _ => return Ok(open.or(Some(*number))),
            }
        }
        Ok(None)
    }
}
