//! The horizon of a check: what happens later is not explored.
//!
//! Each unit keeps the time that is left until then beside its timers, as one that counts down with them. Units that share
//! a clock have shared it from the start: parts of a state only fall into smaller ones, and a task begins with what is
//! left to its parent. So whichever units share a clock have the same time left, and no time passes for them beyond it.
//! A unit that waits for a later time is cut off there: it has not come to rest. A datagram under way to an address at which
//! nobody takes it cuts nothing off.
//!
//! Nor is it known then what a unit would do later, and whom it would reach. That a part of a state waits for ever,
//! *whatever the others do*, is read off what they have been seen to do. So a unit that was cut off may meet every other one
//! ([`Resource::Later`]), and its state is not split. Not so a unit that waits for the timer of a loop, which has fired in
//! the same local state before, and that never reads the clock: nothing new follows.
//!
//! [`Resource::Later`]: crate::world::touches::Resource::Later

use super::names::{component_of, horizon_event, is_copy, timer_event};
use crate::id::{Mover, NodeId, UnitId};
use crate::operation::{Operation, OperationKey, time};
use crate::world::components::Component;
use crate::world::tables::{Lookup, View};
use netcheck_models::time::{Countdowns, Moment, Scheduled};

impl<'a> View<'a> {
    /// The time in nanoseconds that may pass for the movers for which `timed` holds; `None`: there is no horizon.
    pub(super) fn horizon_ns(self, state: &[u32], timed: &dyn Fn(Mover) -> bool) -> Option<u64> {
        self.declared.duration_ns?;
        let units = self.live_units(state).filter(|&(unit, _)| self.shares_clock(state, unit, timed));
        units.filter_map(|(unit, _)| self.countdowns(state, unit)?.horizon_ns()).min()
    }

    /// Whether time passes for some mover of a unit where it does for those for which `timed` holds.
    pub(super) fn shares_clock(self, state: &[u32], unit: UnitId, timed: &dyn Fn(Mover) -> bool) -> bool {
        if !self.modes.tracks {
            return timed(Mover { unit, task: None });
        }
        self.automata.movers(NodeId(self.unit_component(unit).of(state))).into_iter().any(timed)
    }

    /// An isolated task begins when its parent has so much time left.
    pub(in crate::world) fn hand_over_horizon(self, parent: UnitId, child: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        if self.has_delay() {
            return Ok(());
        }
        if let Some(horizon_ns) = self.countdowns(next, parent).and_then(Countdowns::horizon_ns) {
            let timers = self.timers(Countdowns::until_horizon(horizon_ns))?;
            self.component(Component::Timers(child))?.set(next, timers);
        }
        Ok(())
    }

    /// Whether something that is to come lies beyond the horizon, in a state in which no step is possible: a unit for which
    /// `is_own` holds waits for a timer, or a datagram or segment is under way.
    pub(crate) fn is_cut_off(self, state: &'a [u32], is_own: &dyn Fn(UnitId) -> bool) -> bool {
        if self.declared.duration_ns.is_none() {
            return false;
        }
        let waits = |(unit, node)| self.awaited_timers(state, unit, node).next().is_some();
        self.live_units(state).filter(|&(unit, _)| is_own(unit)).any(waits) || self.is_under_way(state)
    }

    /// In a state in which no step is possible, the local states of the units that are cut off, and whether what they wait
    /// for has come in these before.
    pub(crate) fn cut_off(self, state: &'a [u32]) -> impl Iterator<Item = (NodeId, bool)> + 'a {
        let is_under_way = self.is_under_way(state);
        let has_fired = move |node: NodeId, key: OperationKey| {
            self.automata.node(node).edges().any(|edge| self.automata.edge(edge).input.key == key)
        };
        self.live_units(state).filter_map(move |(unit, node)| {
            let mut timers = self.awaited_timers(state, unit, node).peekable();
            let is_cut_off = is_under_way || timers.peek().is_some();
            is_cut_off.then(|| (node, !is_under_way && timers.all(|key| has_fired(node, key))))
        })
    }

    /// In dense time: whether a segment is under way that takes some time, or such a datagram to a socket that takes it. A
    /// datagram that nobody takes changes nothing: nobody can bind its address any more but after something else.
    fn is_under_way(self, state: &[u32]) -> bool {
        let is_one = |&event: &Scheduled| {
            is_copy(event) && (self.is_connection(component_of(event)) || self.is_heard(state, event))
        };
        self.has_delay() && self.zone_at(state).events().iter().any(is_one)
    }

    /// The timers that a unit waits for and that are due later than the horizon. (One that is due before, in a state in which
    /// no step is possible, is refused by its program: a tick that was given up.)
    fn awaited_timers(self, state: &'a [u32], unit: UnitId, node: NodeId) -> impl Iterator<Item = OperationKey> + 'a {
        let offers = self.automata.node(node).offers.iter();
        offers
            .filter(move |offer| match *offer.operation.itself() {
                Operation::Time(time::Operation::Timer { timer, .. }) => self.is_late(state, unit, timer),
                _ => false,
            })
            .map(|offer| offer.key)
    }

    fn is_late(self, state: &[u32], unit: UnitId, timer: u32) -> bool {
        if self.has_delay() {
            let (zone, event) = (self.zone_at(state), timer_event(unit, timer));
            let horizon = Moment::of(horizon_event(self.process_of(unit)));
            return zone.is_scheduled(event) && zone.at_most(Moment::of(event), horizon).is_none();
        }
        // Where time has passed for some units alone, no more passes for all together than is left to each.
        let horizon_ns = self.horizon_ns(state, &|_| true);
        let is_late = |timers: &Countdowns| {
            let remaining_ns = timers.get(timer)?.remaining_ns;
            Some(remaining_ns > 0 && remaining_ns.unsigned_abs() > horizon_ns?)
        };
        self.countdowns(state, unit).and_then(is_late).unwrap_or(false)
    }

    pub(in crate::world) fn countdowns(&self, state: &[u32], unit: UnitId) -> Option<&Countdowns> {
        let timers = self.components.find(Component::Timers(unit))?;
        Some(self.timers.get(timers.of(state)))
    }
}
