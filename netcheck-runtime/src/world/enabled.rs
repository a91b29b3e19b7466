//! The steps that a state offers, before it is checked which of them must wait for the network to be quiet.

use super::components::{ABORTED, Component, ComponentId};
use super::prepared::{Prepared, PreparedOffer, Waking};
use super::step::{Change, Class, Move, Transition, Writes};
use super::tables::{AllLost, Lookup, View};
use super::{tasks, time};
use crate::id::{Mover, NodeId, OutcomeId, SocketId, TaskId, UnitId};
use crate::operation::{Input, Offer, Operation, OperationKey, Outcome, choices};
use crate::unit::automaton::EdgeId;
use smallvec::SmallVec;

/// All steps that a state offers, whether or not they must wait for the network to be quiet.
#[derive(Default)]
pub(crate) struct Enabled {
    /// Immediate steps and deliveries.
    pub(crate) moves: Vec<Transition>,
    /// Connects that were just begun: their first steps come before all others.
    pub(super) begun: Vec<Transition>,
    /// Timers that units wait for, with their deadlines.
    pub(crate) timers: Vec<Waiting>,
    /// The sockets on which a unit waits with an empty buffer, where each arrival is a step.
    pub(super) listening: SmallVec<[SocketId; 4]>,
    /// Calls that are known to complete, beside others of their units.
    pub(super) known: SmallVec<[(UnitId, OperationKey); 4]>,
    /// Channels to sockets on which a unit waits; the datagrams in flight on each may be lost together.
    pub(super) losable: Vec<Losable>,
    /// The number of outcomes that programs refused.
    refused: usize,
}

/// A unit that waits for an operation, the unit's local state, and the operation's key there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker {
    pub(crate) unit: UnitId,
    pub(crate) component: ComponentId,
    pub(crate) node: NodeId,
    pub(crate) key: OperationKey,
    pub(super) waking: Waking,
}

/// The time until the next timers fire, and these timers, with the edges that their units take.
pub(crate) type Due<'e> = (i64, Vec<(&'e Waiting, Input, EdgeId)>);

/// A timer that a unit waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) mover: Mover,
    pub(super) asker: Asker,
    pub(super) timer: u32,
    pub(super) armed: ComponentId,
    pub(crate) remaining_ns: i64,
    pub(super) repeats: bool,
}

pub(super) struct Losable {
    pub(super) mover: Mover,
    pub(super) channel: ComponentId,
    pub(super) lost: AllLost,
}

impl Enabled {
    fn clear(&mut self) {
        self.moves.clear();
        self.begun.clear();
        self.timers.clear();
        self.losable.clear();
        self.listening.clear();
        self.known.clear();
        self.refused = 0;
    }
}

impl View<'_> {
    /// Collects what `state` offers. Steps that the program refuses are left out.
    pub(crate) fn enabled(self, state: &[u32], enabled: &mut Enabled) -> Lookup<()> {
        self.enabled_of(state, self.live_units(state), enabled)
    }

    /// Collects what `state` offers to some live units.
    pub(crate) fn enabled_of(
        self,
        state: &[u32],
        units: impl Iterator<Item = (UnitId, NodeId)>,
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        enabled.clear();
        for (unit, node) in units {
            let component = self.unit_component(unit);
            let asker = |key: OperationKey, waking: Waking| Asker { unit, component, node, key, waking };
            if self.is_cancelled(state, unit, node) {
                let asker = asker(OperationKey::CANCEL, Waking::Given);
                self.immediate(enabled, asker, self.known.done, Writes::new())?;
                continue;
            }
            let offers = self.prepared_offers(node)?;
            let first = enabled.moves.len();
            if self.modes.queues {
                self.in_order(state, offers, asker, enabled)?;
                self.complete_at_once(state, (unit, offers), first, enabled)?;
                self.crashes(state, (unit, node), enabled)?;
                self.cuts_and_heals(state, (unit, node), enabled)?;
                continue;
            }
            for offer in offers {
                let before = enabled.moves.len();
                self.offers(state, asker(offer.key, offer.waking), &offer.prepared, enabled)?;
                if offer.waking == Waking::Again {
                    self.wait_only_for_nothing(enabled, before);
                }
            }
            self.complete_at_once(state, (unit, offers), first, enabled)?;
            self.crashes(state, (unit, node), enabled)?;
            self.cuts_and_heals(state, (unit, node), enabled)?;
        }
        Ok(())
    }

    /// Removes the outcome that a call would block, where it is tried again and can complete.
    fn wait_only_for_nothing(self, enabled: &mut Enabled, before: usize) {
        let blocks = |step: &Transition| matches!(step.step, Move::Unit { input, .. } if input.outcome == self.known.would_block);
        if enabled.moves[before..].iter().any(|step| !blocks(step) && !step.is_failure()) {
            let mut tried = enabled.moves.split_off(before);
            tried.retain(|step| !blocks(step));
            enabled.moves.append(&mut tried);
        }
    }

    /// Collects what a unit is offered whose menu is in tokio's order: the timers that are due fire before a task is
    /// polled that stands behind them in the menu, and those of one task before those of another. A task that was woken
    /// for something else is polled in its place if it does not take the timer, and also if it may take either, in a
    /// `select!`.
    fn in_order(
        self,
        state: &[u32],
        offers: &[PreparedOffer],
        asker: impl Fn(OperationKey, Waking) -> Asker,
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        // The task whose timer is due, and whether it does not take the timer.
        let mut due: Option<(TaskId, bool)> = None;
        // A timer that was due already when its wait began comes first: tokio would not have waited.
        let at_once = offers.iter().find(|offer| self.is_due_at_once(state, &offer.prepared));
        if let Some(offer) = at_once {
            let before = enabled.moves.len();
            self.offers(state, asker(offer.key, offer.waking), &offer.prepared, enabled)?;
            due = (enabled.moves.len() > before).then_some((offer.task, false));
        }
        let first = due.and(at_once).map(|offer| offer.key);
        let mut refusing: SmallVec<[TaskId; 2]> = SmallVec::new();
        for offer in offers.iter().filter(|offer| first != Some(offer.key)) {
            let is_timer = matches!(offer.prepared, Prepared::Time(time::Prepared::Timer { .. }));
            let is_run = matches!(offer.prepared, Prepared::Tasks(tasks::Prepared::Run));
            let is_out_of_turn = match due {
                _ if offer.key.is_early() && !refusing.contains(&offer.task) => true,
                Some(due) if is_run => due != (offer.task, true) || !offer.key.is_early(),
                Some((task, _)) if is_timer => task != offer.task,
                _ => false,
            };
            if is_out_of_turn {
                continue;
            }
            let before = (enabled.moves.len(), enabled.refused);
            self.offers(state, asker(offer.key, offer.waking), &offer.prepared, enabled)?;
            if offer.waking == Waking::Again {
                self.wait_only_for_nothing(enabled, before.0);
            }
            if enabled.refused > before.1 {
                refusing.push(offer.task);
            }
            if !is_timer {
                continue;
            }
            let (is_taken, is_refused) = (enabled.moves.len() > before.0, enabled.refused > before.1);
            let runs_early = offers.iter().any(|run| run.key.is_early() && run.task == offer.task);
            let is_open = runs_early && enabled.moves[before.0..].iter().any(|step| self.comes_to_select(step));
            if is_open {
                refusing.push(offer.task);
            }
            if is_taken || is_refused && runs_early {
                due = Some((offer.task, !is_taken || is_open));
            }
        }
        Ok(())
    }

    /// Whether a step comes to a `select!` of which several branches may be taken.
    fn comes_to_select(self, step: &Transition) -> bool {
        let Move::Unit { edge, .. } = step.step else { return false };
        let is_open = |offer: &Offer| matches!(offer.operation, Operation::Choices(choices::Operation::Select { .. }));
        edge != EdgeId::POSTPONED && self.automata.node(self.automata.edge(edge).target).offers.iter().any(is_open)
    }

    fn is_due_at_once(self, state: &[u32], prepared: &Prepared) -> bool {
        let Prepared::Time(time::Prepared::Timer { timer, armed, .. }) = prepared else { return false };
        self.timers.get(armed.of(state)).get(*timer).is_some_and(|countdown| countdown.at_once)
    }

    /// Whether an isolated task was aborted and is not in the middle of a poll: its only step is then to end.
    pub(crate) fn is_cancelled(self, state: &[u32], unit: UnitId, node: NodeId) -> bool {
        self.units[unit.0 as usize].is_task
            && self.components.find(Component::Handle(unit)).is_some_and(|component| component.of(state) & ABORTED != 0)
            && !self.automata.node(node).is_synchronous()
    }

    /// Adds a step by one outcome, unless the program refuses the outcome. Returns whether the step was added.
    pub(super) fn offer(
        self,
        enabled: &mut Enabled,
        asker: Asker,
        outcome: OutcomeId,
        class: Class,
        Change { writes, faults, events }: Change,
    ) -> Lookup<bool> {
        let Asker { unit, component, node, key, waking } = asker;
        // A failure happens at an instant, whether or not a poll looks at it.
        let fails = class == Class::Failure;
        if waking == Waking::Called && !fails {
            return self.wake(enabled, asker, class);
        }
        let input = Input { key, outcome };
        let edge = self.edge(node, input)?;
        if self.is_refused(edge) {
            enabled.refused += 1;
            return if waking == Waking::Offered && !fails { self.wake(enabled, asker, class) } else { Ok(false) };
        }
        let step = Move::Unit { unit, component, node, input, edge, class };
        enabled.moves.push(Transition { step, writes, faults, events, watched: None });
        Ok(true)
    }

    /// Adds a step that calls the waker of an operation which could complete. Returns whether there is such a step.
    fn wake(self, enabled: &mut Enabled, asker: Asker, class: Class) -> Lookup<bool> {
        let Asker { unit, component, node, key, .. } = asker;
        let input = Input { key, outcome: self.known.woken };
        let is_it = |step: &Transition| matches!(step.step, Move::Unit { unit: of, input: by, .. } if of == unit && by == input);
        if enabled.moves.iter().any(is_it) {
            return Ok(true);
        }
        let edge = self.edge(node, input)?;
        if self.is_refused(edge) {
            return Ok(false);
        }
        let Change { writes, faults, events } = Change::quiet(Writes::new());
        let step = Move::Unit { unit, component, node, input, edge, class };
        enabled.moves.push(Transition { step, writes, faults, events, watched: None });
        Ok(true)
    }

    /// Adds an immediate step without events of the network.
    pub(super) fn immediate(
        self,
        enabled: &mut Enabled,
        asker: Asker,
        outcome: OutcomeId,
        writes: Writes,
    ) -> Lookup<()> {
        self.offer(enabled, asker, outcome, Class::Immediate, Change::quiet(writes)).map(|_| ())
    }

    /// As [`View::immediate`], with an outcome that may not be interned yet.
    pub(super) fn answer(self, enabled: &mut Enabled, asker: Asker, outcome: Outcome, writes: Writes) -> Lookup<()> {
        self.immediate(enabled, asker, self.outcome(outcome)?, writes)
    }
}
