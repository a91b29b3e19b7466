//! Cuts of the network, and their heals, in words.

use super::segments::in_words;
use super::{happenings, lost, of_network};
use crate::trace::asked::{Asked, Sides};
use crate::trace::step::{Doing, Step};
use netcheck_models::host::reach::{Cut, CutName};
use netcheck_runtime::operation::Side;
use netcheck_runtime::world::components::Component;
use netcheck_runtime::world::step::Transition;
use netcheck_runtime::world::system::System;

/// Links are cut, with all that is lost or waits.
pub(super) fn cut(system: &System, state: &[u32], transition: &Transition, cut: CutName) -> Step {
    let sides = sides(system, cut);
    let mut lost: Vec<String> =
        system.told(transition).iter().flat_map(|happened| lost(system, state, transition, happened)).collect();
    let mut waiting = waiting(system, state, transition);
    // Components are numbered as they are met, which differs from run to run.
    lost.sort();
    waiting.sort();
    let lost = lost.into_iter().map(|datagram| Doing::Lost { datagram, sent: None });
    let waiting = waiting.into_iter().map(|what| Doing::HeldUp { what });
    let mut events = happenings(system, state, transition);
    events[1..].sort_by(|one, other| (&one.channel, &one.datagram).cmp(&(&other.channel, &other.datagram)));
    Step {
        network: lost.chain(waiting).collect(),
        events,
        asked: Asked::Cut(sides.clone()),
        ..of_network(format!("cut {sides}"))
    }
}

/// A cut heals.
pub(super) fn heal(system: &System, state: &[u32], transition: &Transition, cut: CutName) -> Step {
    let sides = sides(system, cut);
    Step {
        events: happenings(system, state, transition),
        asked: Asked::Heal(sides.clone()),
        ..of_network(format!("heal {sides}"))
    }
}

/// The hosts on both sides of a cut.
fn sides(system: &System, (of, number): CutName) -> Sides {
    let cut: &Cut = &system.partitions()[of as usize].cuts[number as usize];
    let names =
        |hosts: Vec<u32>| hosts.into_iter().map(|host| system.shared().hosts[host as usize].name.clone()).collect();
    let (one, other) = cut.sides();
    Sides { one: names(one), other: names(other), one_way: !cut.is_both_ways() }
}

/// The segments that have been sent before a cut, and wait on connections from then on.
fn waiting(system: &System, state: &[u32], transition: &Transition) -> Vec<String> {
    let shared = system.shared();
    let mut all = Vec::new();
    for &(id, value) in &transition.writes {
        let Component::Connection(connection) = system.components.component(id) else { continue };
        let (before, after) = (&system.held.get(id.of(state)).connection, &system.held.get(value).connection);
        let names = system.connections.processes(connection).map(|process| &*shared.hosts[process.0 as usize].name);
        for side in [Side::Client, Side::Server] {
            let (from, to) = (names[side as usize], names[1 - side as usize]);
            for segment in after.under_way(side).iter().skip(before.under_way(side).len()) {
                all.push(format!("{} of {from} to {to}", in_words(system, segment, None)));
            }
        }
    }
    all
}
