//! Which of the offered steps may come next.
//!
//! As long as an immediate step is possible, no datagram is lost in flight and no timer fires. Datagrams in flight are
//! lost together only if no delivery is required. A timer fires only if no other steps are possible than failures, and
//! those that may take any time. In dense time, `time::dense` says which steps may come next. A bound on orders leaves some of
//! them out ([`turns`]).

use super::enabled::Enabled;
use super::step::{Class, Move, Transition, Writes};
use super::tables::{Lookup, View};
use super::turns;
use crate::id::{Mover, NodeId, UnitId};
use crate::operation::Input;

impl View<'_> {
    /// Moves the steps that may come next to `chosen`, with what monitors make of them, if only the movers for which
    /// `moving` holds take steps and the movers for which `timed` holds share a clock.
    pub(crate) fn within(
        self,
        state: &[u32],
        enabled: &mut Enabled,
        moving: &dyn Fn(Mover) -> bool,
        timed: &dyn Fn(Mover) -> bool,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        if self.has_delay() {
            self.within_dense(state, enabled, moving, chosen)?;
            self.attempt(state, chosen)?;
            return self.watch(state, chosen);
        }
        std::mem::swap(chosen, &mut enabled.moves);
        enabled.moves.clear();
        chosen.retain(|transition| self.mover(transition).is_some_and(moving));
        self.add_quiet(state, enabled, moving, timed, chosen)?;
        self.forgo_copies(state, chosen)?;
        self.attempt(state, chosen)?;
        turns::keep(self, state, chosen)?;
        self.watch(state, chosen)
    }

    /// Adds the steps for which the network has to be quiet, if it is.
    fn add_quiet(
        self,
        state: &[u32],
        enabled: &Enabled,
        moving: &dyn Fn(Mover) -> bool,
        timed: &dyn Fn(Mover) -> bool,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        if chosen.iter().any(|transition| transition.class() == Some(Class::Immediate)) {
            return Ok(());
        }
        let quiet = chosen.iter().all(Transition::holds_nothing_up);
        self.lose_in_flight(state, enabled, moving, chosen)?;
        // Computing takes no time.
        if quiet && !self.is_dead_end(state, timed, chosen) {
            let may_wait = chosen.iter().any(Transition::holds_nothing_up);
            self.deadlines(state, enabled, timed, may_wait, chosen)?;
        }
        Ok(())
    }

    /// Adds the loss of all datagrams in flight to movers for which `moving` holds, if none of them must arrive.
    pub(super) fn lose_in_flight(
        self,
        state: &[u32],
        enabled: &Enabled,
        moving: &dyn Fn(Mover) -> bool,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        if chosen.iter().any(|step| matches!(step.class(), Some(Class::Delivery { required: true, may_wait: false }))) {
            return Ok(());
        }
        let losable = enabled.losable.iter().filter(|losable| moving(losable.mover));
        let faults = losable.clone().map(|losable| losable.lost.faults).sum();
        let writes: Writes = losable.clone().map(|losable| (losable.channel, 0)).collect();
        if !writes.is_empty() && self.budget(state).allows(faults) {
            let events = self.together(losable.map(|losable| losable.lost.events).collect())?;
            chosen.push(Transition { step: Move::LoseInFlight, writes, faults, events, watched: None });
        }
        Ok(())
    }

    /// Whether a mover for which `timed` holds is in the middle of a poll and has none of the `possible` steps but
    /// failures, and what may take any time. Such a mover tries an operation that cannot complete yet; its poll then leads to a state to which
    /// another alternative of the same `select!` leads as well, so no observer sees the mover in this state.
    pub(super) fn is_dead_end(self, state: &[u32], timed: &dyn Fn(Mover) -> bool, possible: &[Transition]) -> bool {
        // Reads few nodes, because this function is called for every state.
        let may_be_timed = |unit: UnitId| self.modes.tracks || timed(Mover { unit, task: None });
        let units = (0..).map(UnitId).zip(&self.units).filter(|&(unit, _)| may_be_timed(unit));
        let nodes = units.map(|(_, unit)| NodeId(unit.component.of(state))).filter(|&node| self.automata.is_live(node));
        nodes.filter_map(|node| self.automata.polled(node)).filter(|mover| timed(*mover)).any(|polled| {
            let mut own = possible.iter().filter(|step| self.mover(step) == Some(polled));
            own.all(Transition::holds_nothing_up)
        })
    }

    /// The mover of a step; `None` for a step of the network.
    pub(crate) fn mover(&self, transition: &Transition) -> Option<Mover> {
        match transition.step {
            // Reads no node, because this function is called for every step.
            Move::Unit { unit, .. } | Move::Hang { unit, .. } | Move::Dial { unit, .. } if !self.modes.tracks => {
                Some(Mover { unit, task: None })
            }
            Move::Cut { unit, .. } | Move::Heal { unit, .. } if !self.modes.tracks => Some(Mover { unit, task: None }),
            Move::Unit { node, input: Input { key, .. }, .. }
            | Move::Hang { node, key, .. }
            | Move::Cut { node, key, .. }
            | Move::Heal { node, key, .. }
            | Move::Dial { node, key, .. } => Some(self.automata.mover(node, key)),
            Move::LoseInFlight
            | Move::Pass { .. }
            | Move::Park(_)
            | Move::Part { .. }
            | Move::Forget
            | Move::Arrive { .. }
            | Move::Reach { .. }
            | Move::Delay { .. }
            | Move::Settle { .. } => None,
        }
    }
}
