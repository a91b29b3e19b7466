//! What operations on UDP sockets affect and depend on.

use super::Prepared;
use super::operation::{Effect, Operation};
use crate::id::{NodeId, ProcessId, SocketId, UnitId};
use crate::operation::{Input, Operation as AnyOperation, Outcome};
use crate::unit::automaton::{Edge, EdgeId};
use crate::world::place::{Place, PlaceId};
use crate::world::system::System;
use crate::world::tables::{Lookup, View};
use crate::world::touches::{Resource, Touches};

pub(crate) fn operation(touches: &mut Touches, system: &mut System, unit: UnitId, prepared: &Prepared) {
    let process = system.process_of(unit);
    let port = |system: &mut System, process: ProcessId, port: u16| system.places.id(Place::Port(process, port));
    match prepared {
        Prepared::Bind { socket, address } => {
            let number = if address.port() == 0 { system.first_ephemeral_port(*socket) } else { address.port() };
            touches.asks_for_port(system, *socket, address.port() == 0);
            let port = port(system, process, number);
            touches.does(Resource::Bound(port)).minds(Resource::Bound(port)).minds(Resource::Routed(port));
            touches.does(Resource::Binding(process)).minds(Resource::Releasing(process)).minds(Resource::Freed(port));
            if system.has_delay() && system.is_limited() {
                // What has arrived before may have been out of order.
                touches.does(Resource::Budget).minds(Resource::Budget);
            }
        }
        Prepared::Connect { local, .. } => {
            let port = port(system, process, local.port());
            touches.does(Resource::Bound(port)).minds(Resource::Bound(port)).minds(Resource::Routed(port));
        }
        Prepared::Send { socket, host, port, .. } => {
            touches.does(Resource::Dispatched(*socket)).minds(Resource::Dispatched(*socket));
            if let (Some(host), Some(port)) = (host, port) {
                touches.does(Resource::Routed(*port)).does(Resource::Appended(*port)).minds(Resource::Bound(*port));
                if system.demands.scope {
                    for process in [process, *host] {
                        touches.does(Resource::InScope(process)).minds(Resource::Scoped(process));
                    }
                }
            }
        }
        Prepared::Receive { socket, port: number, .. } => {
            let receiver = system.process_of(socket.unit);
            let port = port(system, receiver, *number);
            touches.does(Resource::Taken(port)).minds(Resource::Taken(port)).minds(Resource::Appended(port));
            if system.is_limited() && system.declared.udp.is_some() {
                touches.does(Resource::Budget).minds(Resource::Budget);
            }
        }
    }
}

/// What others do never changes more than an operation depends on.
pub(crate) fn is_contended(_view: View<'_>, _state: &[u32], _unit: UnitId, _prepared: &Prepared) -> Lookup<bool> {
    Ok(false)
}

pub(crate) fn effect(
    touches: &mut Touches,
    system: &mut System,
    (unit, edge): (UnitId, EdgeId),
    &Effect::Close { socket }: &Effect,
) {
    let process = system.process_of(unit);
    match port_of(system, edge, socket) {
        Some(port) => _ = touches.does(Resource::Freed(port)).minds(Resource::Bound(port)),
        None => _ = touches.does(Resource::Releasing(process)).minds(Resource::Binding(process)),
    }
}

/// The port that a datagram socket is bound to, if its unit has bound it itself.
fn port_of(system: &mut System, edge: EdgeId, socket: SocketId) -> Option<PlaceId> {
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
    Some(system.places.id(Place::Port(process, number)))
}
