//! Resources that operations on tasks, and the ends of units, affect and depend on.

use super::Prepared;
use super::operation::Effect;
use crate::id::{SocketId, UnitId};
use crate::operation::{Effect as AnyEffect, Operation, Outcome, Side, Stream, tasks, tcp};
use crate::unit::automaton::EdgeId;
use crate::world::components::Component;
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches, When};

pub(crate) fn operation(touches: &mut Touches, system: &mut System, unit: UnitId, prepared: &Prepared) {
    match prepared {
        Prepared::Run => {}
        Prepared::Restart => {
            // It may come between the timers of others, as a failure may.
            touches.affects(Resource::Failing);
            if system.declared.has_power_failures() {
                // Old connections are reset, and connects are answered.
                let process = system.process_of(unit);
                touches.tear(process);
                touches.crosses_to_all(system, process);
            }
        }
        Prepared::Start { .. } => {
            if !system.units[unit.0 as usize].is_task {
                let process = system.process_of(unit);
                for before in &system.processes[process.0 as usize].after {
                    for &unit in &system.processes[before.0 as usize].roots {
                        touches.depends_on(Resource::Waited(unit));
                    }
                }
            }
        }
        Prepared::Join { unit: child, waits: true, .. } => {
            touches.depends_on(Resource::Ended(*child));
        }
        Prepared::Join { unit: child, waits: false, .. } | Prepared::IsEnded { unit: child, .. } => {
            touches.affects(Resource::AskedFor(*child)).depends_on(Resource::Ended(*child));
        }
    }
}

/// Never: an operation of this kind depends on the same resources in every state.
pub(crate) fn is_when(_: View<'_>, _: (&[u32], UnitId), _: &Prepared, _: When) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(touches: &mut Touches, system: &mut System, (unit, _): (UnitId, EdgeId), effect: &Effect) {
    match *effect {
        // Everything else is that of an end.
        Effect::Crash { .. } => {
            touches.failure(system, unit);
            touches.tear(system.process_of(unit));
            if system.declared.has_power_failures() {
                touches.affects(Resource::Silenced(system.process_of(unit)));
            }
        }
        Effect::Abort { child } => {
            touches.affects(Resource::Killed(child)).depends_on(Resource::Alive(child));
        }
        Effect::Spawn { .. } | Effect::Detach { .. } => {}
    }
}

impl Touches {
    /// The resources that the end of a unit affects and depends on: the unit releases everything that it holds.
    pub(crate) fn end(&mut self, system: &mut System, unit: UnitId, edge: EdgeId) {
        let process = system.process_of(unit);
        self.affects(Resource::Ended(unit)).depends_on(Resource::AskedFor(unit));
        // When a process ends, no unit of it is left to bind a port.
        if system.units[unit.0 as usize].is_task {
            self.affects(Resource::Releasing(process)).depends_on(Resource::Binding(process));
            self.leaves_groups(process);
            if system.demands.has_regions() {
                self.affects(Resource::Scoped(process)).depends_on(Resource::InScope(process));
            }
        }
        let holdings = Holdings::at(system, edge);
        for stream in holdings.streams {
            let end = system.tell(|view| view.end_of(process, stream));
            self.close(system, end);
        }
        self.hang_up(system, edge);
        self.close_mailboxes(system, process);
        if !holdings.listeners.is_empty() {
            // Connections in a backlog are reset, whoever has made them.
            self.crosses_to_all(system, process);
        }
        for (_, port) in holdings.listeners {
            let port = system.components.id(Component::StreamPort(process, port));
            self.close_listener(port);
        }
        if !system.units[unit.0 as usize].is_task {
            self.affects(Resource::KilledWith(process)).depends_on(Resource::AliveIn(process));
            if !holdings.children.is_empty() {
                self.tear(process);
            }
        }
    }
}

/// The streams, sockets and tasks that a unit holds after a step, found in its history.
#[derive(Default)]
struct Holdings {
    streams: Vec<Stream>,
    /// Listeners and bound sockets, with their ports.
    listeners: Vec<(SocketId, u16)>,
    /// Isolated tasks whose end it has not seen.
    children: Vec<UnitId>,
}

impl Holdings {
    fn at(system: &System, edge: EdgeId) -> Self {
        let automata = &system.learner.automata;
        let root = automata.node(automata.edge(edge).source).root;
        let mut holdings = Holdings { streams: system.learner.streams_of(root), ..Holdings::default() };
        for (node, input) in automata.history_with(edge) {
            let operation = automata.node(node).offer(input).map(|offer| offer.operation.itself());
            if let Some(operation) = operation {
                holdings.take(operation, automata.outcome(input.outcome));
            }
            let edge = automata.find(node, input).expect("a history consists of edges");
            automata.edge(edge).effects.iter().for_each(|effect| holdings.leave(effect));
        }
        holdings
    }

    fn take(&mut self, operation: &Operation, outcome: &Outcome) {
        match (operation, outcome) {
            (Operation::Tcp(tcp::Operation::Open { socket, peer, .. }), Outcome::Connected { local }) => {
                self.listeners.retain(|(bound, _)| bound != socket);
                self.streams.push(Stream { local: *local, peer: *peer, side: Side::Client });
            }
            (Operation::Tcp(tcp::Operation::Accept { .. }), Outcome::Accepted { local, peer }) => {
                self.streams.push(Stream { local: *local, peer: *peer, side: Side::Server });
            }
            (
                Operation::Tcp(tcp::Operation::BindStream { socket, .. })
                | Operation::Tcp(tcp::Operation::Listen { socket, .. }),
                Outcome::Bound(local),
            ) => {
                self.listeners.retain(|(bound, _)| bound != socket);
                self.listeners.push((*socket, local.port()));
            }
            (Operation::Tasks(tasks::Operation::Join { child, .. }), Outcome::Ended { .. } | Outcome::Cancelled) => {
                self.children.retain(|spawned| spawned != child)
            }
            _ => {}
        }
    }

    fn leave(&mut self, effect: &AnyEffect) {
        match effect {
            AnyEffect::Tcp(tcp::Effect::Pair { sockets }) => self.streams.extend(tcp::paired(*sockets)),
            AnyEffect::Tcp(tcp::Effect::CloseStream { stream }) => self.streams.retain(|held| held != stream),
            AnyEffect::Tcp(tcp::Effect::CloseListener { socket, .. }) => {
                self.listeners.retain(|(held, _)| held != socket)
            }
            AnyEffect::Tasks(tasks::Effect::Spawn { child, streams, .. }) => {
                self.streams.retain(|held| !streams.contains(held));
                self.children.push(*child);
            }
            _ => {}
        }
    }
}
