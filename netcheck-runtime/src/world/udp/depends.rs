//! The resources that operations on UDP sockets affect and depend on.

use super::Prepared;
use super::operation::{Effect, Operation};
use super::prepared::{Send, SendToGroup};
use crate::id::{NodeId, ProcessId, SocketId, UnitId};
use crate::operation::{Input, Operation as AnyOperation, Outcome};
use crate::unit::automaton::{Edge, EdgeId};
use crate::world::components::{Component, ComponentId};
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches, When};

pub(crate) fn operation(touches: &mut Touches, system: &mut System, unit: UnitId, prepared: &Prepared) {
    let process = system.process_of(unit);
    let port =
        |system: &mut System, process: ProcessId, port: u16| system.components.id(Component::Port(process, port));
    match prepared {
        Prepared::Bind { socket, address } => {
            let number = if address.port() == 0 { system.first_ephemeral_port(*socket) } else { address.port() };
            touches.asks_for_port(system, *socket, address.port());
            let port = port(system, process, number);
            touches.affects(Resource::Bound(port)).depends_on(Resource::Bound(port)).depends_on(Resource::Routed(port));
            touches
                .affects(Resource::Binding(process))
                .depends_on(Resource::Releasing(process))
                .depends_on(Resource::Freed(port));
            if system.has_delay() {
                // Datagrams that arrived before the bind are lost.
                touches.seen_losses(system);
            }
            if system.has_delay() && system.is_limited() {
                // The datagrams that arrived before the bind may have been out of order.
                touches.affects(Resource::Budget).depends_on(Resource::Budget);
            }
        }
        Prepared::Connect { local, .. } => {
            let port = port(system, process, local.port());
            touches.affects(Resource::Bound(port)).depends_on(Resource::Bound(port)).depends_on(Resource::Routed(port));
        }
        Prepared::Send(Send { socket, host, port, .. }) => {
            touches.sends_datagram(system, *socket);
            if let (Some(host), Some(port)) = (host, port) {
                touches.crosses(system, process, (process, *host));
                touches.sends_to_port(system, *port, [process, *host]);
            }
        }
        Prepared::SendToGroup(SendToGroup { socket, hosts, .. }) => {
            touches.sends_datagram(system, *socket);
            for (host, port) in hosts {
                touches.crosses(system, process, (process, *host));
                touches.sends_to_port(system, *port, [process, *host]);
                touches.affects(Resource::ToGroup(*host)).depends_on(Resource::Joined(*host));
            }
        }
        Prepared::Join { .. } | Prepared::Leave { .. } => {
            let joined = Resource::Joined(process);
            touches.affects(joined).depends_on(joined).depends_on(Resource::ToGroup(process));
        }
        Prepared::Receive { socket, port: number, .. } => {
            let receiver = system.process_of(socket.unit);
            let port = port(system, receiver, *number);
            touches
                .affects(Resource::Taken(port))
                .depends_on(Resource::Taken(port))
                .depends_on(Resource::Appended(port));
            touches.takes_from_all(system, receiver);
            touches.seen_losses(system);
            let is_perturbed = !system.declared.udp.is_empty() || system.demands.regions.is_some();
            if system.is_limited() && is_perturbed {
                touches.affects(Resource::Budget).depends_on(Resource::Budget);
            }
        }
    }
}

/// Never: an operation of this kind depends on the same resources in every state.
pub(crate) fn is_when(_: View<'_>, _: (&[u32], UnitId), _: &Prepared, _: When) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(
    touches: &mut Touches,
    system: &mut System,
    (unit, edge): (UnitId, EdgeId),
    &Effect::Close { socket }: &Effect,
) {
    let process = system.process_of(unit);
    touches.leaves_groups(process);
    match port_of(system, edge, socket) {
        Some(port) => _ = touches.affects(Resource::Freed(port)).depends_on(Resource::Bound(port)),
        None => _ = touches.affects(Resource::Releasing(process)).depends_on(Resource::Binding(process)),
    }
}

impl Touches {
    /// A datagram leaves a socket.
    fn sends_datagram(&mut self, system: &mut System, socket: SocketId) {
        if system.has_delay() {
            // How many copies there are is decided when the datagram is sent, and that there is none is seen.
            self.seen_losses(system);
            if system.is_limited() {
                self.affects(Resource::Budget).depends_on(Resource::Budget);
            }
        }
        self.affects(Resource::Dispatched(socket)).depends_on(Resource::Dispatched(socket));
    }

    /// A datagram is sent to a port, between two processes.
    fn sends_to_port(&mut self, system: &System, port: ComponentId, processes: [ProcessId; 2]) {
        self.affects(Resource::Routed(port)).affects(Resource::Appended(port)).depends_on(Resource::Bound(port));
        if system.demands.has_regions() {
            for process in processes {
                self.affects(Resource::InScope(process)).depends_on(Resource::Scoped(process));
            }
        }
    }

    /// Sockets of a process are closed, which may have joined groups: others of its sockets receive what is sent to these.
    pub(in crate::world) fn leaves_groups(&mut self, process: ProcessId) {
        self.affects(Resource::Joined(process)).depends_on(Resource::ToGroup(process));
    }
}

/// The port that a socket is bound to, if its unit bound it itself.
fn port_of(system: &mut System, edge: EdgeId, socket: SocketId) -> Option<ComponentId> {
    let automata = &system.learner.automata;
    let Edge { source, input, .. } = *automata.edge(edge);
    let bound = |node: NodeId, input: Input| match (
        &automata.node(node).offer(input)?.operation,
        automata.outcome(input.outcome),
    ) {
        (AnyOperation::Udp(Operation::Bind { socket: bound, .. }), Outcome::Bound(local)) if *bound == socket => {
            Some(local.port())
        }
        _ => None,
    };
    let number =
        bound(source, input).or_else(|| automata.backwards(source).find_map(|(node, input)| bound(node, input)))?;
    let process = system.process_of(socket.unit);
    Some(system.components.id(Component::Port(process, number)))
}
