//! Datagrams that nobody will receive.
//!
//! A socket may outlive its last receive: that of a client which only sends, or one that a test binds to be sent to. What comes
//! to it stays in its buffer, so that a loop which goes on sending there never comes back to a state.
//!
//! *What is forgotten.* Only a receive tells what a buffer holds, also one that only looks or does not wait, and it depends on
//! what is sent to the port ([`Resource::Appended`]). Let no unit of a state depend on that any more in all that it may still do.
//! Then the state and the one without these datagrams have the same steps, and those lead to states that differ in these
//! datagrams alone, of which the same is true. So the one is explored in place of the other.
//!
//! *Rule 3* (`search/proviso.rs`) wants that no step is put off on a way that never ends. A way that goes on by forgetting may lead
//! back to a state that was expanded before. That state is expanded once more then, as a whole. So each cycle has a state that
//! puts nothing off: where it leads back by forgetting, the one to which it leads; elsewhere as before.
//!
//! With fingerprints, nothing is forgotten: a state that was expanded is not kept.
//!
//! A few datagrams are left where they are. Most executions end before there are more, and forgetting is a state more.
//!
//! In dense time, a copy in flight with a place in the zone arrives first.

use super::footprint::{Footprints, Row};
use super::parts;
use crate::id::NodeId;
use crate::world::components::{Component, ComponentId, StateVector, trim};
use crate::world::prepared::{Prepared, PreparedOffer};
use crate::world::step::{Move, Transition, Writes};
use crate::world::system::System;
use crate::world::tables::View;
use crate::world::touches::Resource;
use crate::world::udp;

/// So many datagrams at one port are forgotten.
const DATAGRAMS_MIN: usize = 8;

/// The writes by which a state forgets datagrams that nobody will receive, and the footprints that say so.
pub(super) fn forgotten(view: View<'_>, footprints: &Footprints, state: &[u32]) -> Option<(Writes, Vec<Row>)> {
    let mut writes = Writes::new();
    let mut rows: Vec<Row> = Vec::new();
    for &port in view.components.ports() {
        let held = view.held_at(state, port);
        let count = |component: &ComponentId| match view.components.component(*component) {
            Component::Head(_) => 1,
            _ => view.links.get(component.of(state)).packets().count(),
        };
        if held.iter().map(count).sum::<usize>() < DATAGRAMS_MIN {
            continue;
        }
        if rows.is_empty() {
            rows = parts::only(view, footprints, state).1;
        }
        let receives = |row: &Row| {
            let footprint = footprints.get(*row);
            let future = [&footprint.future_depends_on, &footprint.future_waits, &footprint.future_races];
            future.into_iter().any(|future| footprints.is_in(future, Resource::Appended(port)))
        };
        if !rows.iter().any(receives) {
            writes.extend(held.into_iter().map(|component| (component, 0)));
        }
    }
    (!writes.is_empty()).then_some((writes, rows))
}

/// A state without the datagrams at ports at which nobody receives while a loop of `steps` leads back to it: none of the local
/// states on the way. If the rest of the state comes back, these steps can be taken for ever.
pub fn without_unread<'a>(
    system: &mut System,
    state: &StateVector,
    steps: impl IntoIterator<Item = &'a Transition>,
) -> StateVector {
    let left = steps.into_iter().filter_map(|step| match step.step {
        Move::Unit { node, .. } | Move::Hang { node, .. } | Move::Dial { node, .. } => Some(node),
        _ => None,
    });
    let nodes: Vec<NodeId> = system.view().live_units(state).map(|(_, node)| node).chain(left).collect();
    let offers: Vec<_> = nodes.into_iter().map(|node| system.prepared_offers(node)).collect();
    let received_at = |offer: &PreparedOffer| match offer.prepared {
        Prepared::Udp(udp::Prepared::Receive { socket, port, .. }) => {
            system.components.find(Component::Port(system.process_of(socket.unit), port))
        }
        _ => None,
    };
    let received: Vec<ComponentId> = offers.iter().flat_map(|menu| menu.iter()).filter_map(received_at).collect();
    let view = system.view();
    let mut rest = state.to_vec();
    for port in view.components.ports().iter().filter(|port| !received.contains(port)) {
        view.held_at(state, *port).into_iter().for_each(|component| component.set(&mut rest, 0));
    }
    trim(&mut rest);
    StateVector::from_vec(rest)
}
