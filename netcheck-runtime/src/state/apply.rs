//! The state that a step leads to: what the model writes, then the effects of the edge.

use crate::id::{NodeId, SocketId, UnitId};
use crate::operation::{Effect, Missed};
use crate::state::enabled::{Step, Transition};
use crate::state::place::{ABORTED, ArmedTimer, Binding, HANDLE_GONE, Place, PlaceId};
use crate::state::tables::{Lookup, Missing, View};
use crate::unit::automaton::{EdgeId, NodeKind};
use smallvec::SmallVec;
use std::net::IpAddr;

impl View<'_> {
    /// Writes the successor of `state` by `transition` to `next`.
    pub(crate) fn apply(self, state: &[u32], transition: &Transition, next: &mut Vec<u32>) -> Lookup<()> {
        next.clear();
        next.extend_from_slice(state);
        for &(place, value) in &transition.writes {
            place.set(next, value);
        }
        if transition.faults > 0 && self.is_limited() {
            let place = self.place(Place::Faults)?;
            let used = place.of(next);
            place.set(next, used + transition.faults);
        }
        match &transition.step {
            Step::Unit { unit, place, edge, .. } => self.take(*unit, *place, *edge, next)?,
            Step::Settle | Step::Hang { .. } => {}
            Step::Park(units) => {
                for &unit in units {
                    let place = self.unit_place(unit);
                    let accepts = self.is_in_accept(NodeId(place.of(state)));
                    place.set(next, if accepts { NodeId::PARKED_IN_ACCEPT.0 } else { NodeId::PARKED.0 });
                }
                for &unit in units {
                    self.forget_datagrams(unit, next);
                }
            }
        }
        trim(next);
        Ok(())
    }

    /// The process of a unit that has panicked is gone: the OS closes all that it held.
    pub(crate) fn crash(self, unit: UnitId, state: &[u32], next: &mut Vec<u32>) -> Lookup<()> {
        next.clear();
        next.extend_from_slice(state);
        let panicked = self.unit_place(unit).of(next);
        let root = UnitId(self.process_of(unit).0);
        let place = self.unit_place(root);
        place.set(next, panicked);
        self.end(root, place, next)?;
        trim(next);
        Ok(())
    }

    fn take(self, unit: UnitId, place: PlaceId, edge: EdgeId, next: &mut Vec<u32>) -> Lookup<()> {
        let target = self.automata.edge(edge).target;
        place.set(next, target.0);
        let effects = &self.automata.edge(edge).effects;
        let timers_only = |effect: &Effect| matches!(effect, Effect::Arm { .. } | Effect::Disarm { .. });
        if !effects.is_empty() && effects.iter().all(timers_only) {
            // The common case, worked out once for each edge and set of timers.
            let timers = self.place(Place::Timers(unit))?;
            let before = timers.of(next);
            let Some(&after) = self.rearmed.get(&(edge, before)) else {
                self.effects(unit, edge, next)?;
                return Err(Missing::Rearmed { edge, before, after: timers.of(next) }.into());
            };
            timers.set(next, after);
        } else {
            self.effects(unit, edge, next)?;
        }
        match self.automata.node(target).kind {
            NodeKind::Ended { .. } | NodeKind::Gone => self.end(unit, place, next),
            _ => Ok(()),
        }
    }

    fn effects(self, unit: UnitId, edge: EdgeId, next: &mut Vec<u32>) -> Lookup<()> {
        let effects = &self.automata.edge(edge).effects;
        effects.iter().try_for_each(|effect| self.effect(unit, edge, effect, next))
    }

    fn effect(self, unit: UnitId, edge: EdgeId, effect: &Effect, next: &mut Vec<u32>) -> Lookup<()> {
        match *effect {
            Effect::Arm { timer, after_ns, repeats } => {
                let remaining_ns = i64::try_from(after_ns).unwrap_or(i64::MAX);
                self.arm(unit, ArmedTimer { timer, remaining_ns, repeats }, next)?;
            }
            Effect::ArmAt { timer, at_ns } => {
                let remaining = i128::from(at_ns) - i128::from(self.now_ns(next));
                let remaining_ns = i64::try_from(remaining.max(0)).unwrap_or(i64::MAX);
                self.arm(unit, ArmedTimer { timer, remaining_ns, repeats: false }, next)?;
            }
            Effect::Rearm { timer, period_ns, missed } => {
                let period = i64::try_from(period_ns).unwrap_or(i64::MAX);
                let late = -self.remaining(unit, timer, next)?.min(0);
                let remaining_ns = match missed {
                    Missed::Burst => period - late,
                    Missed::Delay => period,
                    Missed::Skip => period - late % period.max(1),
                };
                self.arm(unit, ArmedTimer { timer, remaining_ns, repeats: true }, next)?;
            }
            Effect::Disarm { timer } => {
                self.change_timers(unit, next, |timers| timers.retain(|t| t.timer != timer))?;
            }
            Effect::Close { socket } => self.let_go_of(|other| other == socket, unit, next)?,
            Effect::CloseStream { stream } => self.close_stream(unit, stream, next)?,
            Effect::Linger { stream, resets } => self.set_linger(unit, stream, resets, next)?,
            Effect::EndStream { stream } => self.end_stream(unit, stream, next)?,
            Effect::CloseListener { socket, local } => {
                let process = self.process_of(unit);
                self.close_listener(process, socket, local.port(), next)?;
            }
            Effect::GiveUp { socket, local, peer } => self.give_up(unit, (socket, local, peer), next)?,
            Effect::Spawn { child, ref handles, ref streams } => {
                for &stream in streams {
                    self.hand_over(unit, child, stream, next)?;
                }
                let roots = &self.automata.edge(edge).roots;
                let root = roots.iter().find(|(unit, _)| *unit == child).expect("a spawned task has a program").1;
                let place = self.unit_place(child);
                place.set(next, root.0);
                for &socket in handles {
                    let lacks = |binding: &Binding| binding.socket == socket && !binding.holders.contains(&child);
                    self.change_bindings(next, lacks, |_, binding| {
                        binding.holders.push(child);
                        binding.holders.sort();
                    })?;
                }
            }
            Effect::Abort { child } => {
                if self.automata.node(NodeId(self.unit_place(child).of(next))).kind == NodeKind::Live {
                    self.tell_of_handle(child, ABORTED, next)?;
                }
            }
            Effect::Detach { child } => {
                let place = self.unit_place(child);
                match self.automata.node(NodeId(place.of(next))).kind {
                    NodeKind::Live => self.tell_of_handle(child, HANDLE_GONE, next)?,
                    // It never ends, and goes on to hold what it holds.
                    NodeKind::Parked { .. } => {}
                    NodeKind::Ended { .. } | NodeKind::Panicked(_) | NodeKind::Gone => {
                        place.set(next, NodeId::GONE.0);
                    }
                }
            }
            Effect::Claim { .. } => {}
            Effect::Scope { entered } => {
                let place = self.place(Place::Scope(unit))?;
                let depth = place.of(next);
                place.set(next, if entered { depth + 1 } else { depth.saturating_sub(1) });
            }
        }
        Ok(())
    }

    fn tell_of_handle(self, unit: UnitId, what: u32, next: &mut Vec<u32>) -> Lookup<()> {
        let place = self.place(Place::Handle(unit))?;
        place.set(next, place.of(next) | what);
        Ok(())
    }

    /// A unit ends: it lets go of its sockets and timers, and a process of all its tasks.
    fn end(self, unit: UnitId, place: PlaceId, next: &mut Vec<u32>) -> Lookup<()> {
        self.release(unit, next)?;
        if self.units[unit.0 as usize].is_task {
            if self.clear(Place::Handle(unit), next) & HANDLE_GONE != 0 {
                place.set(next, NodeId::GONE.0);
            }
            return Ok(());
        }
        let process = self.process_of(unit);
        self.drop_astray(process, next);
        for other in (0..self.units.len() as u32).map(UnitId) {
            if other == unit || self.process_of(other) != process {
                continue;
            }
            let place = self.unit_place(other);
            if place.of(next) != NodeId::ABSENT.0 {
                self.release(other, next)?;
                self.clear(Place::Handle(other), next);
                place.set(next, NodeId::GONE.0);
            }
        }
        Ok(())
    }

    /// Empties a place that may never have been used; returns what was there.
    fn clear(self, place: Place, next: &mut Vec<u32>) -> u32 {
        let Some(place) = self.places.find(place) else { return 0 };
        let value = place.of(next);
        place.set(next, 0);
        value
    }

    /// Lets go of everything that a unit holds.
    fn release(self, unit: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        self.clear(Place::Scope(unit), next);
        self.release_streams(unit, next)?;
        self.release_datagrams(unit, next)
    }

    /// What a daemon that is finished would never look at again. Its sockets, streams and listeners stay, for others may
    /// bind a port, connect and write.
    fn forget_datagrams(self, unit: UnitId, next: &mut Vec<u32>) {
        self.clear(Place::Timers(unit), next);
        for &port in self.places.ports() {
            for binding in self.ports.get(port.of(next)) {
                if !self.is_deaf(next, binding) {
                    continue;
                }
                let into = self.inlets_of(binding.socket).iter().map(|channel| channel.place);
                into.chain(self.head_of(binding.socket)).for_each(|place| place.set(next, 0));
            }
        }
    }

    /// Lets go of timers and UDP sockets.
    fn release_datagrams(self, unit: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        self.clear(Place::Timers(unit), next);
        self.let_go_of(|_| true, unit, next)
    }

    /// One holder less of some sockets; the last one closes a socket, and what is under way to it vanishes, unless
    /// where it goes is decided when it arrives.
    fn let_go_of(self, which: impl Fn(SocketId) -> bool, unit: UnitId, next: &mut Vec<u32>) -> Lookup<()> {
        let mut closed: SmallVec<[(SocketId, (PlaceId, IpAddr)); 4]> = SmallVec::new();
        let is_held = |binding: &Binding| which(binding.socket) && binding.holders.contains(&unit);
        self.change_bindings(next, is_held, |port, binding| {
            binding.holders.retain(|holder| *holder != unit);
            if binding.holders.is_empty() {
                closed.push((binding.socket, (port, binding.ip)));
            }
        })?;
        for (socket, bound) in closed {
            self.lead_astray(socket, bound, next)?;
            let into = self.inlets_of(socket).iter().map(|channel| channel.place);
            into.chain(self.head_of(socket)).for_each(|place| place.set(next, 0));
        }
        Ok(())
    }

    /// Changes those bindings of all ports that are concerned; bindings that nobody holds any more go.
    fn change_bindings(
        self,
        next: &mut Vec<u32>,
        is_concerned: impl Fn(&Binding) -> bool,
        mut change: impl FnMut(PlaceId, &mut Binding),
    ) -> Lookup<()> {
        for place in self.tables.places.ports() {
            let known = self.tables.ports.get(place.of(next));
            if !known.iter().any(&is_concerned) {
                continue;
            }
            let mut bindings = known.clone();
            bindings.iter_mut().filter(|binding| is_concerned(binding)).for_each(|binding| change(*place, binding));
            bindings.retain(|binding| !binding.holders.is_empty());
            place.set(next, self.bindings(bindings)?);
        }
        Ok(())
    }

    fn remaining(self, unit: UnitId, timer: u32, next: &[u32]) -> Lookup<i64> {
        let place = self.place(Place::Timers(unit))?;
        let timers = self.timers.get(place.of(next));
        Ok(timers.iter().find(|entry| entry.timer == timer).map_or(0, |entry| entry.remaining_ns))
    }

    fn arm(self, unit: UnitId, armed: ArmedTimer, next: &mut Vec<u32>) -> Lookup<()> {
        self.change_timers(unit, next, |timers| {
            timers.retain(|entry| entry.timer != armed.timer);
            timers.push(armed);
            timers.sort_by_key(|entry| entry.timer);
        })
    }

    fn change_timers(
        self,
        unit: UnitId,
        next: &mut Vec<u32>,
        change: impl FnOnce(&mut crate::state::place::Timers),
    ) -> Lookup<()> {
        let place = self.place(Place::Timers(unit))?;
        let mut timers = self.timers.get(place.of(next)).clone();
        change(&mut timers);
        place.set(next, self.timers(timers)?);
        Ok(())
    }
}

/// Equal states are equal vectors: zeros at the end are left out.
pub(crate) fn trim(next: &mut Vec<u32>) {
    while next.last() == Some(&0) {
        next.pop();
    }
}
