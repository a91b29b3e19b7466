//! The sightings of a step, in their order.

use super::operation::Effect;
use super::sighting::{Peer, Place, Sighting};
use crate::id::{ProcessId, SocketId, UnitId};
use crate::operation::{
    Effect as AnyEffect, Failure, Operation, Outcome, ReceiveMode, Side, Stream, storage, tasks, tcp, time, udp,
};
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::world::components::Component;
use crate::world::step::{Move, Transition};
use crate::world::tables::View;
use netcheck_models::event::Event;
use netcheck_models::host::{is_local, unix};
use smallvec::{SmallVec, smallvec};
use std::net::SocketAddr;
use std::sync::Arc;

/// The sightings of a step.
pub(super) type Sightings = SmallVec<[Sighting; 4]>;

impl View<'_> {
    /// The sightings of a step from a state. A step that ends in a panic shows none: it is a violation itself.
    pub(super) fn sightings(self, state: &[u32], transition: &Transition) -> Sightings {
        match transition.step {
            Move::Unit { unit, edge, class, .. } => {
                let target = self.automata.edge(edge).target;
                if matches!(self.automata.node(target).kind, NodeKind::Panicked(_)) {
                    return Sightings::new();
                }
                let advance_ns = class.advance_ns();
                let mut seen: Sightings = time_before(self).into_iter().collect();
                if advance_ns > 0 {
                    seen.push(Sighting::Passed { ns: advance_ns.unsigned_abs() });
                }
                let now_ns = self.instant_after(state, unit, advance_ns, 0).ns();
                // A datagram is lost before the one that overtook it arrives.
                let losses = self.losses(state, transition);
                match self.is_send(edge) {
                    true => {
                        self.see_edge(unit, edge, now_ns, &mut seen);
                        let first = seen.iter().position(|one| matches!(one, Sighting::Departed { .. }));
                        let index = first.map_or(seen.len(), |departed| departed + 1);
                        seen.insert_many(index, losses);
                    }
                    false => {
                        seen.extend(losses);
                        self.see_edge(unit, edge, now_ns, &mut seen);
                    }
                }
                seen
            }
            Move::LoseInFlight | Move::Arrive { .. } | Move::Reach { .. } => {
                time_before(self).into_iter().chain(self.losses(state, transition)).collect()
            }
            Move::Cut { cut, .. } => {
                let seen = time_before(self).into_iter().chain([Sighting::Cut(cut)]);
                seen.chain(self.losses(state, transition)).collect()
            }
            Move::Heal { cut, .. } => time_before(self).into_iter().chain([Sighting::Healed(cut)]).collect(),
            Move::Pass { ns } => smallvec![Sighting::Passed { ns }],
            Move::Hang { .. } => time_before(self).into_iter().collect(),
            Move::Park(_)
            | Move::Part { .. }
            | Move::Forget
            | Move::Settle { .. }
            | Move::Dial { .. }
            | Move::Delay { .. } => Sightings::new(),
        }
    }

    fn is_send(self, edge: EdgeId) -> bool {
        let edge = self.automata.edge(edge);
        let offer = self.automata.node(edge.source).offer(edge.input);
        offer.is_some_and(|offer| matches!(offer.operation.itself(), Operation::Udp(udp::Operation::Send { .. })))
    }

    /// Adds the sightings of an edge in every state from which it is taken; but an absolute deadline depends on the present time.
    pub(super) fn see_edge(self, unit: UnitId, edge: EdgeId, now_ns: i64, seen: &mut Sightings) {
        let edge = self.automata.edge(edge);
        let process = self.process_of(unit);
        let outcome = self.automata.outcome(edge.input.outcome);
        if let Some(offer) = self.automata.node(edge.source).offer(edge.input) {
            seen.extend(self.outcome_of(unit, offer.operation.itself(), outcome));
        }
        for effect in &edge.effects {
            seen.extend(self.effect_of((process, unit), effect, now_ns));
        }
        if let NodeKind::Ended { output } = self.automata.node(edge.target).kind
            && !self.units[unit.0 as usize].is_task
        {
            seen.push(Sighting::Ended { process, output });
        }
    }

    /// The sighting of an operation's outcome.
    fn outcome_of(self, unit: UnitId, operation: &Operation, outcome: &Outcome) -> Option<Sighting> {
        let process = self.process_of(unit);
        if is_unix(operation, outcome) {
            return None;
        }
        if *outcome == Outcome::Failed(Failure::ConnectionReset) {
            return Some(Sighting::Reset { process });
        }
        match (operation, outcome) {
            (Operation::Tasks(tasks::Operation::Start), _) => {
                (!self.units[unit.0 as usize].is_task).then_some(Sighting::Started { process })
            }
            (Operation::Tasks(tasks::Operation::Restart), _) => Some(Sighting::Restarted { process }),
            (Operation::Tasks(tasks::Operation::Crash), _) => Some(Sighting::Crashed { process }),
            (Operation::Udp(udp::Operation::Send { to, payload, .. }), Outcome::Done) => {
                let to = self.place(process, *to, to.port());
                Some(Sighting::Departed { process, to, payload: Arc::clone(payload) })
            }
            (
                Operation::Udp(
                    udp::Operation::Receive { port, mode: ReceiveMode::Take, .. }
                    | udp::Operation::TryReceive { port, mode: ReceiveMode::Take, .. },
                ),
                Outcome::Datagram { from, payload },
            ) => {
                let from = self.place(process, *from, *port);
                Some(Sighting::Arrived { process, from, payload: Arc::clone(payload) })
            }
            (Operation::Tcp(tcp::Operation::Open { peer, .. }), Outcome::Connected { .. }) => {
                Some(Sighting::Connected { process, to: self.place(process, *peer, peer.port()) })
            }
            (Operation::Tcp(tcp::Operation::Accept { .. }), Outcome::Accepted { local, peer }) => {
                Some(Sighting::Accepted { process, from: self.place(process, *peer, local.port()) })
            }
            (Operation::Time(time::Operation::Timer { .. } | time::Operation::Try { .. }), Outcome::Elapsed { .. }) => {
                Some(Sighting::Fired { process })
            }
            _ => None,
        }
    }

    fn effect_of(self, (process, unit): (ProcessId, UnitId), effect: &AnyEffect, now_ns: i64) -> Option<Sighting> {
        match effect {
            AnyEffect::Monitors(Effect::Emit(emission)) => {
                Some(Sighting::Emitted { process, emission: emission.clone() })
            }
            AnyEffect::Monitors(Effect::Invoke(invocation)) => {
                Some(Sighting::Invoked { process, unit, invocation: invocation.clone() })
            }
            AnyEffect::Monitors(Effect::Conclude(conclusion)) => {
                Some(Sighting::Concluded { process, unit, conclusion: conclusion.clone() })
            }
            AnyEffect::Storage(storage::Effect(operation)) => {
                Some(Sighting::Changed { process, operation: operation.clone() })
            }
            AnyEffect::Tcp(tcp::Effect::CloseStream { stream }) if unix::is_unix(stream.local.ip()) => None,
            AnyEffect::Tcp(tcp::Effect::CloseStream { stream: Stream { local, peer, side } }) => {
                let port = if *side == Side::Client { peer.port() } else { local.port() };
                Some(Sighting::Closed { process, other: self.place(process, *peer, port) })
            }
            AnyEffect::Time(time::Effect::Arm { after_ns, .. }) => {
                Some(Sighting::Armed { process, after_ns: *after_ns })
            }
            AnyEffect::Time(time::Effect::ArmAt { at, .. }) => {
                // In dense time, the present is an interval.
                let after_ns = if self.has_delay() { 0 } else { at.ns().saturating_sub(now_ns) };
                Some(Sighting::Armed { process, after_ns: u64::try_from(after_ns).unwrap_or(0) })
            }
            AnyEffect::Time(time::Effect::Rearm { period_ns, .. }) => {
                Some(Sighting::Armed { process, after_ns: *period_ns })
            }
            _ => None,
        }
    }

    /// The datagrams that are lost with a step.
    fn losses(self, state: &[u32], transition: &Transition) -> Sightings {
        let mut lost = Sightings::new();
        for happened in self.told(transition) {
            for event in &happened.events {
                match *event {
                    Event::Lost { position, .. } | Event::Unheard { position } => {
                        let Some(component) = happened.component(&transition.writes) else { continue };
                        let link = self.links.get(component.of(state));
                        let Some(packet) = link.packets().nth(position as usize) else { continue };
                        lost.extend(self.lost(self.components.component(component), packet));
                    }
                    // The network drops the datagram when it is sent.
                    Event::Unbound | Event::CutOff | Event::Multiplied { copies: 0, .. } => {
                        lost.extend(self.unbound(transition))
                    }
                    _ => {}
                }
            }
        }
        lost
    }

    /// A datagram that was in flight in a channel, and is lost.
    fn lost(self, channel: Component, datagram: u32) -> Option<Sighting> {
        let Outcome::Datagram { payload, .. } = self.automata.outcome(crate::id::OutcomeId(datagram)) else {
            return None;
        };
        let (from, receiver): (SocketId, ProcessId) = match channel {
            Component::Channel { from, to } => (from, self.process_of(to.unit)),
            Component::Astray { from, to: (receiver, _) } => (from, receiver),
            _ => return None,
        };
        let to = Place { peer: Peer::Process(receiver), port: 0 };
        Some(Sighting::Lost { process: self.process_of(from.unit), to, payload: Arc::clone(payload) })
    }

    /// A datagram that is sent to an address at which no socket is bound.
    fn unbound(self, transition: &Transition) -> Option<Sighting> {
        let Move::Unit { unit, node, input, .. } = transition.step else { return None };
        self.loss_of_send(unit, self.automata.node(node).offer(input)?.operation.itself())
    }

    /// The loss of the datagram that an operation sends.
    pub(super) fn loss_of_send(self, unit: UnitId, operation: &Operation) -> Option<Sighting> {
        let Operation::Udp(udp::Operation::Send { to, payload, .. }) = operation else { return None };
        let process = self.process_of(unit);
        let to = Place { port: 0, ..self.place(process, *to, 0) };
        Some(Sighting::Lost { process, to, payload: Arc::clone(payload) })
    }

    /// A peer, as a process sees its address.
    fn place(self, own: ProcessId, address: SocketAddr, port: u16) -> Place {
        let process = match is_local(address.ip()) {
            true => Some(own),
            false => self.process_at(own, address),
        };
        Place { peer: process.map_or(Peer::Unknown(address.ip()), Peer::Process), port }
    }
}

/// Whether a call is one on a Unix domain socket, which no monitor of the network sees.
fn is_unix(operation: &Operation, outcome: &Outcome) -> bool {
    let address = match (operation, outcome) {
        (Operation::Udp(udp::Operation::Send { to, .. }), _) => *to,
        (_, Outcome::Datagram { from, .. }) => *from,
        (Operation::Tcp(tcp::Operation::Open { peer, .. }), _) => *peer,
        (Operation::Tcp(tcp::Operation::Accept { local, .. }), _) => *local,
        (
            Operation::Tcp(
                tcp::Operation::Read { stream, .. }
                | tcp::Operation::Write { stream, .. }
                | tcp::Operation::TakeError { stream },
            ),
            _,
        ) => stream.local,
        _ => return false,
    };
    unix::is_unix(address.ip())
}

/// The sighting of time before a step.
fn time_before(view: View<'_>) -> Option<Sighting> {
    (view.has_delay() && view.monitors.has_timed()).then_some(Sighting::SomeTime)
}
