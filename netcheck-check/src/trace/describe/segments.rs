//! Segments of connections, where packets take time, in words.

use super::{happenings, of_network};
use crate::trace::asked::Asked;
use crate::trace::step::Step;
use netcheck_models::event::Event;
use netcheck_models::tcp::Segment;
use netcheck_runtime::operation::{Outcome, Side};
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::components::ComponentId;
use netcheck_runtime::world::step::Transition;
use netcheck_runtime::world::system::System;
use std::time::Duration;

/// A segment arrives at the other end of its connection.
pub(super) fn reach(
    system: &System,
    state: &[u32],
    transition: &Transition,
    (connection, from): (ComponentId, Side),
    part: Option<u32>,
) -> Step {
    let (segment, ends) = segment(system, state, (connection, from), Some(part));
    let waits = system.told(transition).iter().any(|happened| happened.events.contains(&Event::Waits));
    let outcome = if waits { "waits: the backlog is full" } else { "done" };
    let to = system.connections.processes(system.view().connection_of(connection))[1 - from as usize];
    Step {
        outcome: outcome.to_owned(),
        peer: Some(system.shared().hosts[to.0 as usize].name.clone()),
        events: happenings(system, state, transition),
        asked: Asked::Reach { from: ends[0].clone(), to: ends[1].clone() },
        ..of_network(format!("deliver {segment}"))
    }
}

/// A segment gets one of the listed delays.
pub(super) fn delay(
    system: &System,
    state: &[u32],
    transition: &Transition,
    (connection, from): (ComponentId, Side),
    (ns, follows): (u64, bool),
) -> Step {
    let (segment, ends) = segment(system, state, (connection, from), None);
    let behind = if follows { ", behind what was sent before" } else { "" };
    Step {
        events: happenings(system, state, transition),
        asked: Asked::Delay { from: ends[0].clone(), to: ends[1].clone(), ns, follows },
        ..of_network(format!("let {segment} take {:?}{behind}", Duration::from_nanos(ns)))
    }
}

/// A segment under way from an end of a connection, in words, with the addresses between which it is: the one that
/// arrives next, or a part of it, or else the first one without a delay.
fn segment(
    system: &System,
    state: &[u32],
    (component, from): (ComponentId, Side),
    arrives: Option<Option<u32>>,
) -> (String, [String; 2]) {
    let shared = system.shared();
    let held = &system.held.get(component.of(state)).connection;
    let under_way = held.under_way(from);
    let place = if arrives.is_some() { 0 } else { under_way.len() - held.undecided(from) };
    let connection = system.view().connection_of(component);
    let mut ends = [Side::Client, Side::Server].map(|side| system.connections.end(connection, side));
    if from == Side::Server {
        ends.reverse();
    }
    let [own, other] = ends.map(|(process, _)| shared.hosts[process.0 as usize].name.clone());
    let what = in_words(system, &under_way[place], arrives.flatten());
    (format!("{what} of {own} to {other}"), ends.map(|(_, address)| wording::address(address, shared)))
}

/// A segment in words, or as many of its bytes as arrive.
pub(super) fn in_words(system: &System, segment: &Segment, part: Option<u32>) -> String {
    match segment {
        Segment::Bytes(bytes) => {
            let length = part.map_or(bytes.len(), |part| part as usize);
            wording::outcome(&Outcome::Bytes(bytes[..length].into()), system.shared())
        }
        Segment::Open => "the connect".to_owned(),
        Segment::Opened => "the answer to the connect".to_owned(),
        Segment::Refused => "the refusal".to_owned(),
        Segment::End | Segment::Broken { .. } => "the end of the stream".to_owned(),
        Segment::Reset(_) => "the reset".to_owned(),
    }
}
