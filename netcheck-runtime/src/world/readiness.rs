//! Readiness: a call that can complete does so in the poll that begins it.
//!
//! tokio tries a call when it is polled for the first time. If the OS has what it asks for, the poll goes on: nothing else
//! of the task comes between, no other branch of a `biased` select and no time-out. A run that learns a step does not know
//! the state of the world, and lets each call wait; so what would have been different is set right here, where the state
//! is known, for the calls that the last poll of the step has begun ([`Begun`]).
//!
//! Whether a call completes ([`Readiness`]): tokio tries it only if its driver has told that there is something. What has
//! come since the driver was asked may be seen or not; when time passes, the process has had nothing to run, and its
//! driver was asked. A read that fills its buffer, and a connect, leave a socket as one of which the driver has told.
//!
//! - A call with the waker of its own task is the next step of the task ([`View::complete_at_once`]). The poll of that step
//!   finds it complete, and all of the task as it was: so it does what the poll that began the call would have done. Other
//!   tasks may move in between, as on a runtime of several threads; with `tasks = fifo` they don't. Of several calls, the
//!   first that was begun is next, or one before it that may have something by now; any of them where their order is that
//!   of an unbiased `select!`.
//! - A call with another waker is polled by the program itself, which sees that it waits. There, the step ends at the
//!   call ([`View::attempt`]): it is tried as a synchronous call is, and the poll goes on with the answer.
//!
//! If somebody else has a handle of the socket and is faster, nothing is offered for the call, and the task goes on as if
//! it waited.

use super::components::Component;
use super::enabled::{Asker, Enabled};
use super::prepared::{Prepared, PreparedOffer, Waking};
use super::step::{Move, Transition};
use super::tables::{Lookup, Missing, View};
use super::{tcp, time, udp};
use crate::id::{TaskId, UnitId};
use crate::operation::OperationKey;
use crate::unit::automaton::{Begun, Edge, EdgeId};
use smallvec::SmallVec;

/// Whether a call can complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    Waits,
    /// What it asks for is under way, and may have arrived.
    MayBe,
    Ready,
}

/// The bit of a call among those of its task; 0 for what is no call, and for a call that is told apart no more, and may
/// wait.
fn bit(key: OperationKey) -> u32 {
    let is_call = key.task_to_run().is_none() && key < OperationKey::CANCEL;
    if is_call { 1_u32.checked_shl(TaskId::own_number(key.0)).unwrap_or(0) } else { 0 }
}

impl View<'_> {
    fn readiness(self, state: &[u32], prepared: &Prepared) -> Lookup<Readiness> {
        match prepared {
            Prepared::Tcp(prepared) => Ok(tcp::offers::readiness(self, state, prepared)),
            Prepared::Udp(prepared) => udp::offers::readiness(self, state, prepared),
            _ => Ok(Readiness::Waits),
        }
    }

    /// Collects what is offered to tasks that have calls which complete at once. Returns these tasks: they do nothing else.
    pub(super) fn complete_at_once(
        self,
        state: &[u32],
        unit: UnitId,
        offers: &[PreparedOffer],
        asker: impl Fn(OperationKey, Waking) -> Asker,
        enabled: &mut Enabled,
    ) -> Lookup<SmallVec<[TaskId; 2]>> {
        let mut held = SmallVec::new();
        for (task, component) in self.components.ready(unit) {
            let ready = component.of(state);
            let before = enabled.moves.len();
            for offer in offers.iter().filter(|offer| offer.task == task && ready & bit(offer.key) != 0) {
                self.offers(state, asker(offer.key, offer.waking), &offer.prepared, enabled)?;
            }
            if enabled.moves.len() > before {
                held.push(task);
            }
        }
        Ok(held)
    }

    /// Notes the calls that complete at once after a step: those of the task that was polled.
    pub(super) fn note_ready(self, unit: UnitId, edge: EdgeId, next: &mut Vec<u32>) -> Lookup<()> {
        let ready = self.ready_after(unit, edge, next)?;
        let Edge { source, input, .. } = *self.automata.edge(edge);
        let Some(offer) = self.automata.node(source).offer(input) else { return Ok(()) };
        if ready != 0 {
            self.component(Component::Ready(unit, offer.task))?.set(next, ready);
        } else if !offer.is_called
            && let Some(component) = self.components.find(Component::Ready(unit, offer.task))
        {
            component.set(next, 0);
        }
        Ok(())
    }

    fn ready_after(self, unit: UnitId, edge: EdgeId, state: &[u32]) -> Lookup<u32> {
        let edge = self.automata.edge(edge);
        let Begun { calls, is_unordered, .. } = &edge.begun;
        if calls.iter().all(|call| call.is_called) {
            return Ok(0);
        }
        let (mut ready, mut completes) = (0, false);
        let offers = self.prepared_offers(edge.target)?;
        for call in calls.iter().filter(|call| !call.is_called) {
            let Some(offer) = offers.iter().find(|offer| offer.key == call.key) else { continue };
            match self.readiness(state, &offer.prepared)? {
                Readiness::Waits => continue,
                Readiness::MayBe => {}
                Readiness::Ready => completes = true,
            }
            ready |= bit(call.key);
            if completes && !is_unordered {
                break;
            }
        }
        let mut others = offers.iter().filter(|offer| ready & bit(offer.key) == 0);
        let has_more = completes && others.any(|offer| self.may_come_first(state, unit, &offer.prepared));
        Ok(if has_more { ready } else { 0 })
    }

    /// Whether something might complete while a call is due: a timer does not before its time.
    fn may_come_first(self, state: &[u32], unit: UnitId, prepared: &Prepared) -> bool {
        let Prepared::Time(time::Prepared::Timer { timer, .. }) = prepared else { return true };
        if self.has_delay() {
            return true;
        }
        let armed = self.components.find(Component::Timers(unit)).map_or(0, |component| component.of(state));
        self.timers.get(armed).remaining_ns(*timer) <= 0
    }

    /// Lets each step end at the first call of its last poll that the program itself polls, and that may complete.
    pub(super) fn attempt(self, state: &[u32], steps: &mut [Transition]) -> Lookup<()> {
        let mut next = Vec::new();
        for step in steps {
            let Move::Unit { edge, .. } = step.step else { continue };
            if self.automata.edge(edge).begun.calls.iter().all(|call| !call.is_called) {
                continue;
            }
            self.apply(state, step, &mut next)?;
            if let Some(number) = self.first_to_complete(edge, &next)? {
                let Move::Unit { edge, .. } = &mut step.step else { continue };
                let attempt = self.automata.attempt(*edge, number);
                *edge = attempt.ok_or(Missing::Attempt { edge: *edge, number })?;
            }
        }
        Ok(())
    }

    /// The number of the first call of a step that the program itself polls, and that may complete after the step.
    fn first_to_complete(self, edge: EdgeId, state: &[u32]) -> Lookup<Option<u32>> {
        let edge = self.automata.edge(edge);
        let offers = self.prepared_offers(edge.target)?;
        for call in edge.begun.calls.iter().filter(|call| call.is_called) {
            let Some(offer) = offers.iter().find(|offer| offer.key == call.key) else { continue };
            if self.readiness(state, &offer.prepared)? != Readiness::Waits {
                return Ok(Some(call.number));
            }
        }
        Ok(None)
    }
}
