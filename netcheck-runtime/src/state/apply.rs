//! The state that a step leads to: what the model writes, then the effects of the edge.

use crate::id::{NodeId, SocketId, UnitId};
use crate::operation::{Effect, Missed};
use crate::state::enabled::{Step, Transition};
use crate::state::place::{ArmedTimer, Binding, Place, PlaceId};
use crate::state::system::System;
use crate::unit::automaton::{EdgeId, NodeKind};

impl System {
    /// Writes the successor of `state` by `transition` to `next`.
    pub(crate) fn apply(&mut self, state: &[u32], transition: &Transition, next: &mut Vec<u32>) {
        next.clear();
        next.extend_from_slice(state);
        for &(place, value) in &transition.writes {
            place.set(next, value);
        }
        if transition.faults > 0 && self.is_limited() {
            let place = self.places.id(Place::Faults);
            let used = place.of(next);
            place.set(next, used + transition.faults);
        }
        match &transition.step {
            Step::Unit { unit, place, edge, .. } => self.take(*unit, *place, *edge, next),
            Step::Settle | Step::Hang { .. } => {}
            Step::Park(units) => {
                for &unit in units {
                    // Its streams and listeners stay: others can still connect and write to them.
                    self.release_datagrams(unit, next);
                    let place = self.unit_place(unit);
                    let accepts = self.is_in_accept(NodeId(place.of(state)));
                    place.set(next, if accepts { NodeId::PARKED_IN_ACCEPT.0 } else { NodeId::PARKED.0 });
                }
            }
        }
        trim(next);
    }

    /// The process of a unit that has panicked is gone: the OS closes all that it held.
    pub(crate) fn crash(&mut self, unit: UnitId, next: &mut Vec<u32>) {
        let panicked = self.unit_place(unit).of(next);
        let root = UnitId(self.shared().process_of(unit).0);
        let place = self.unit_place(root);
        place.set(next, panicked);
        self.end(root, place, next);
        trim(next);
    }

    /// Keeps what an observer of the search knows.
    pub(crate) fn observe(&mut self, known: u32, next: &mut Vec<u32>) {
        self.places.id(Place::Observed).set(next, known);
        trim(next);
    }

    fn take(&mut self, unit: UnitId, place: PlaceId, edge: EdgeId, next: &mut Vec<u32>) {
        let target = self.learner.automata.edge(edge).target;
        place.set(next, target.0);
        let effects = &self.learner.automata.edge(edge).effects;
        let timers_only = |effect: &Effect| matches!(effect, Effect::Arm { .. } | Effect::Disarm { .. });
        if !effects.is_empty() && effects.iter().all(timers_only) {
            // The common case, worked out once for each edge and set of timers.
            let timers = self.places.id(Place::Timers(unit));
            let before = timers.of(next);
            if let Some(&after) = self.rearmed.get(&(edge, before)) {
                timers.set(next, after);
            } else {
                self.effects(unit, edge, next);
                self.rearmed.insert((edge, before), timers.of(next));
            }
        } else {
            self.effects(unit, edge, next);
        }
        if matches!(self.learner.automata.node(target).kind, NodeKind::Ended { .. }) {
            self.end(unit, place, next);
        }
    }

    fn effects(&mut self, unit: UnitId, edge: EdgeId, next: &mut Vec<u32>) {
        for index in 0..self.learner.automata.edge(edge).effects.len() {
            let effect = self.learner.automata.edge(edge).effects[index].clone();
            self.effect(unit, edge, &effect, next);
        }
    }

    fn effect(&mut self, unit: UnitId, edge: EdgeId, effect: &Effect, next: &mut Vec<u32>) {
        match *effect {
            Effect::Arm { timer, after_ns, repeats } => {
                let remaining_ns = i64::try_from(after_ns).unwrap_or(i64::MAX);
                self.arm(unit, ArmedTimer { timer, remaining_ns, repeats }, next);
            }
            Effect::ArmAt { timer, at_ns } => {
                let remaining = i128::from(at_ns) - i128::from(self.now_ns(next));
                let remaining_ns = i64::try_from(remaining.max(0)).unwrap_or(i64::MAX);
                self.arm(unit, ArmedTimer { timer, remaining_ns, repeats: false }, next);
            }
            Effect::Rearm { timer, period_ns, missed } => {
                let period = i64::try_from(period_ns).unwrap_or(i64::MAX);
                let late = -self.remaining(unit, timer, next).min(0);
                let remaining_ns = match missed {
                    Missed::Burst => period - late,
                    Missed::Delay => period,
                    Missed::Skip => period - late % period.max(1),
                };
                self.arm(unit, ArmedTimer { timer, remaining_ns, repeats: true }, next);
            }
            Effect::Disarm { timer } => self.change_timers(unit, next, |timers| timers.retain(|t| t.timer != timer)),
            Effect::Close { socket } => self.let_go(socket, unit, next),
            Effect::CloseStream { stream } => self.close_stream(unit, stream, next),
            Effect::Linger { stream, resets } => self.set_linger(unit, stream, resets, next),
            Effect::EndStream { stream } => self.end_stream(unit, stream, next),
            Effect::CloseListener { socket, local } => {
                let process = self.shared().process_of(unit);
                self.close_listener(process, socket, local.port(), next);
            }
            Effect::GiveUp { socket, local, peer } => self.give_up(unit, (socket, local, peer), next),
            Effect::Spawn { child, ref handles, ref streams } => {
                for &stream in streams {
                    self.hand_over(unit, child, stream, next);
                }
                let roots = &self.learner.automata.edge(edge).roots;
                let root = roots.iter().find(|(unit, _)| *unit == child).expect("a spawned task has a program").1;
                let place = self.unit_place(child);
                place.set(next, root.0);
                for &socket in handles {
                    self.change_bindings(next, |binding| {
                        if binding.socket == socket && !binding.holders.contains(&child) {
                            binding.holders.push(child);
                            binding.holders.sort();
                        }
                    });
                }
            }
            Effect::Abort { child } => {
                let place = self.unit_place(child);
                if self.learner.automata.node(NodeId(place.of(next))).kind == NodeKind::Live {
                    self.release(child, next);
                    place.set(next, NodeId::GONE.0);
                }
            }
            Effect::Detach { child } => {
                let place = self.unit_place(child);
                if self.learner.automata.node(NodeId(place.of(next))).kind == NodeKind::Live {
                    self.places.id(Place::Detached(child)).set(next, 1);
                } else {
                    place.set(next, NodeId::GONE.0);
                }
            }
            Effect::Claim { .. } => {}
            Effect::Scope { entered } => {
                let process = self.shared().process_of(unit);
                let place = self.places.id(Place::Scope(process));
                let depth = place.of(next);
                place.set(next, if entered { depth + 1 } else { depth.saturating_sub(1) });
            }
        }
    }

    /// A unit ends: it lets go of its sockets and timers, and a process of all its tasks.
    fn end(&mut self, unit: UnitId, place: PlaceId, next: &mut Vec<u32>) {
        self.release(unit, next);
        if self.shared().unit(unit).parent.is_some() {
            if self.clear(Place::Detached(unit), next) != 0 {
                place.set(next, NodeId::GONE.0);
            }
            return;
        }
        let process = self.shared().process_of(unit);
        for index in 0..self.shared().units() {
            let other = UnitId(index as u32);
            if other == unit || self.shared().process_of(other) != process {
                continue;
            }
            let place = self.unit_place(other);
            if place.of(next) != NodeId::ABSENT.0 {
                self.release(other, next);
                self.clear(Place::Detached(other), next);
                place.set(next, NodeId::GONE.0);
            }
        }
        self.clear(Place::Scope(process), next);
    }

    /// Empties a place that may never have been used; returns what was there.
    fn clear(&self, place: Place, next: &mut Vec<u32>) -> u32 {
        let Some(place) = self.places.find(place) else { return 0 };
        let value = place.of(next);
        place.set(next, 0);
        value
    }

    /// Lets go of everything that a unit holds.
    fn release(&mut self, unit: UnitId, next: &mut Vec<u32>) {
        self.release_streams(unit, next);
        self.release_datagrams(unit, next);
    }

    /// Lets go of timers and UDP sockets.
    fn release_datagrams(&mut self, unit: UnitId, next: &mut Vec<u32>) {
        self.clear(Place::Timers(unit), next);
        let mut held = Vec::new();
        self.change_bindings(next, |binding| {
            if binding.holders.contains(&unit) {
                held.push(binding.socket);
            }
        });
        for socket in held {
            self.let_go(socket, unit, next);
        }
    }

    /// One holder less; the last one closes the socket, and what is under way to it vanishes.
    fn let_go(&mut self, socket: SocketId, unit: UnitId, next: &mut Vec<u32>) {
        let mut closed = false;
        self.change_bindings(next, |binding| {
            if binding.socket == socket {
                binding.holders.retain(|holder| *holder != unit);
                closed = binding.holders.is_empty();
            }
        });
        if closed {
            let into: Vec<PlaceId> = self.inlets_of(socket).iter().map(|channel| channel.place).collect();
            for place in into {
                place.set(next, 0);
            }
            if let Some(head) = self.head_of(socket) {
                head.set(next, 0);
            }
        }
    }

    /// Changes the bindings of all ports; those that nobody holds any more go.
    fn change_bindings(&mut self, next: &mut Vec<u32>, mut change: impl FnMut(&mut Binding)) {
        let bound: Vec<PlaceId> = self
            .places
            .iter()
            .filter(|(id, place)| matches!(place, Place::Port(..)) && id.of(next) != 0)
            .map(|(id, _)| id)
            .collect();
        for place in bound {
            let mut bindings = self.ports.get(place.of(next)).clone();
            bindings.iter_mut().for_each(&mut change);
            bindings.retain(|binding| !binding.holders.is_empty());
            let value = self.ports.intern(&bindings);
            place.set(next, value);
        }
    }

    fn remaining(&mut self, unit: UnitId, timer: u32, next: &[u32]) -> i64 {
        let place = self.places.id(Place::Timers(unit));
        let timers = self.timers.get(place.of(next));
        timers.iter().find(|entry| entry.timer == timer).map_or(0, |entry| entry.remaining_ns)
    }

    fn arm(&mut self, unit: UnitId, armed: ArmedTimer, next: &mut Vec<u32>) {
        self.change_timers(unit, next, |timers| {
            timers.retain(|entry| entry.timer != armed.timer);
            timers.push(armed);
            timers.sort_by_key(|entry| entry.timer);
        });
    }

    fn change_timers(
        &mut self,
        unit: UnitId,
        next: &mut Vec<u32>,
        change: impl FnOnce(&mut crate::state::place::Timers),
    ) {
        let place = self.places.id(Place::Timers(unit));
        let mut timers = self.timers.get(place.of(next)).clone();
        change(&mut timers);
        let value = self.timers.intern(&timers);
        place.set(next, value);
    }
}

/// Equal states are equal vectors: zeros at the end are left out.
fn trim(next: &mut Vec<u32>) {
    while next.last() == Some(&0) {
        next.pop();
    }
}
