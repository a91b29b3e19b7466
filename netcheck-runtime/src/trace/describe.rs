//! A transition, and the states around it, as a step in words.

use crate::id::{OutcomeId, ProcessId, SocketId, UnitId};
use crate::operation::{Failure, Operation, Outcome, ReceiveMode};
use crate::state::enabled::{Class, Step as Taken, Transition};
use crate::state::menu::Action;
use crate::state::place::{Place, PlaceId};
use crate::state::system::System;
use crate::state::tables::Channel;
use crate::trace::step::{Doing, Kind, Step};
use crate::unit::wording;
use netcheck_models::udp::Note;
use std::time::Duration;

/// Bytes of a payload that are kept beside the words.
const PAYLOAD_BYTES_MAX: usize = 1024;

/// Puts a transition from `state` into words. What arrives is not traced to who sent it:
/// that takes the whole execution.
pub(crate) fn describe(system: &mut System, state: &[u32], transition: &Transition) -> Option<Step> {
    match &transition.step {
        // A step of the reduction, not of any process.
        Taken::Park(_) => None,
        Taken::Settle => Some(settle(system, state, transition)),
        Taken::Hang { unit, node, key } => {
            let name = system.shared().unit(*unit).name;
            let offer = system.learner.automata.node(*node).offers.iter().find(|offer| offer.key == *key)?;
            let operation = wording::operation_of(&offer.operation, system.shared());
            let peer = peer(system, system.shared().process_of(*unit), &offer.operation, &Outcome::Done);
            Some(Step {
                location: Some(wording::line(offer, system.shared())),
                peer,
                network: vec![Doing::Hung],
                ..of_network(format!("never answer {operation} of {name}"))
            })
        }
        Taken::Unit { .. } => of_unit(system, state, transition),
    }
}

fn of_network(operation: String) -> Step {
    Step {
        process: "network".to_owned(),
        kind: Kind::Network,
        operation,
        outcome: "done".to_owned(),
        ..Step::default()
    }
}

fn settle(system: &System, state: &[u32], transition: &Transition) -> Step {
    let mut lost: Vec<String> =
        transition.writes.iter().flat_map(|(place, _)| lost_at_settle(system, state, *place)).collect();
    // Places are numbered as they are met, which differs from run to run.
    lost.sort();
    let network = lost.into_iter().map(|datagram| Doing::Lost { datagram, sent: None });
    Step { network: network.collect(), ..of_network("lose what is under way".to_owned()) }
}

fn of_unit(system: &mut System, state: &[u32], transition: &Transition) -> Option<Step> {
    let Taken::Unit { unit, node, input, class, .. } = transition.step else { return None };
    let menu = system.menu(node);
    let action = menu.iter().find(|offer| offer.key == input.key).map(|offer| offer.action.clone());
    let offer = system.learner.automata.node(node).offer(input)?.clone();
    let answer = system.learner.automata.outcome(input.outcome).clone();
    let mut outcome = wording::outcome(&answer, system.shared());
    if let Class::Timer { advance_ns } = class {
        outcome = format!("elapsed after {:?}", Duration::from_nanos(advance_ns.unsigned_abs()));
    }
    let is_ready = matches!(offer.operation, Operation::Receive { mode: ReceiveMode::Ready, .. });
    if answer == Outcome::Done && is_ready {
        outcome = "readable".to_owned();
    }
    let network = match action {
        Some(Action::Receive { socket, .. }) => arrived(system, state, socket, transition),
        Some(Action::Send { .. }) if goes_nowhere(system, transition) => vec![Doing::Unbound],
        _ if transition.is_failure() && answer == Outcome::Failed(Failure::ConnectionReset) => vec![Doing::Reset],
        _ if transition.is_failure() => vec![Doing::Failed],
        _ => Vec::new(),
    };
    let operation = offer.operation.itself();
    let process = system.shared().process_of(unit);
    Some(Step {
        process: system.shared().unit(unit).name,
        task: (offer.task.0 > 0).then_some(offer.task.0),
        location: (!matches!(operation, Operation::Run(_) | Operation::Cancel))
            .then(|| wording::line(&offer, system.shared())),
        kind: kind(operation),
        operation: wording::operation_of(&offer.operation, system.shared()),
        outcome,
        failed: matches!(answer, Outcome::Failed(_)),
        peer: peer(system, process, operation, &answer),
        payload: payload(operation, &answer),
        network,
        ..Step::default()
    })
}

/// Whether nobody is bound where a datagram is sent to. With `delay` somebody may be by the time that it arrives.
fn goes_nowhere(system: &System, transition: &Transition) -> bool {
    transition.writes.iter().all(|(place, _)| matches!(system.places.place(*place), Place::Astray { .. }))
}

fn kind(operation: &Operation) -> Kind {
    match operation {
        Operation::Start | Operation::Run(_) | Operation::Cancel => Kind::Run,
        Operation::Bind { .. }
        | Operation::Connect { .. }
        | Operation::BindStream { .. }
        | Operation::Listen { .. } => Kind::Bind,
        Operation::Send { .. } => Kind::Send,
        Operation::Receive { .. } | Operation::TryReceive { .. } => Kind::Receive,
        Operation::Open { .. } => Kind::Connect,
        Operation::Accept { .. } => Kind::Accept,
        Operation::Read { .. } => Kind::Read,
        Operation::Write { .. } => Kind::Write,
        Operation::Shutdown { .. } => Kind::Shutdown,
        Operation::Timer { .. } => Kind::Timer,
        _ => Kind::Other,
    }
}

/// The process at the other end.
fn peer(system: &System, process: ProcessId, operation: &Operation, outcome: &Outcome) -> Option<String> {
    let address = match (operation, outcome) {
        (Operation::Send { to, .. }, _) => *to,
        (Operation::Open { peer, .. }, _) => *peer,
        (
            Operation::Read { stream, .. }
            | Operation::Write { stream, .. }
            | Operation::Ready { stream, .. }
            | Operation::TakeError { stream }
            | Operation::Shutdown { stream },
            _,
        ) => stream.peer,
        (_, Outcome::Accepted { peer, .. }) => *peer,
        (_, Outcome::Datagram { from, .. }) => *from,
        _ => return None,
    };
    let peer = system.process_at(process, address)?;
    Some(system.shared().hosts[peer.0 as usize].name.clone())
}

/// What is sent or has arrived; the end of a stream has none.
fn payload(operation: &Operation, outcome: &Outcome) -> Option<String> {
    let bytes = match (operation, outcome) {
        (_, Outcome::Bytes(bytes)) if bytes.is_empty() => return None,
        (Operation::Send { payload: bytes, .. } | Operation::Write { bytes, .. }, _)
        | (_, Outcome::Datagram { payload: bytes, .. } | Outcome::Bytes(bytes)) => bytes,
        _ => return None,
    };
    Some(wording::payload_up_to(PAYLOAD_BYTES_MAX, bytes))
}

/// A datagram in words.
pub(super) fn datagram(system: &System, packet: OutcomeId) -> String {
    wording::outcome(system.learner.automata.outcome(packet), system.shared())
}

/// What happened on the channel that a datagram came out of.
fn arrived(system: &mut System, state: &[u32], socket: SocketId, transition: &Transition) -> Vec<Doing> {
    let channels: Vec<Channel> = system.inlets_of(socket).to_vec();
    let Some((channel, after)) = transition
        .writes
        .iter()
        .find_map(|&(place, after)| channels.iter().find(|channel| channel.place == place).map(|&c| (c, after)))
    else {
        return Vec::new();
    };
    let link = system.links.get(channel.place.of(state)).clone();
    let rules = system.rules_of(channel).clone();
    let after = system.links.get(after).clone();
    let Taken::Unit { input, .. } = transition.step else { return Vec::new() };
    let is_ready = *system.learner.automata.outcome(input.outcome) == Outcome::Done;
    let delivery = link
        .deliveries(&rules)
        .into_iter()
        .find(|delivery| delivery.link == after && (is_ready || delivery.packet == input.outcome.0));
    let notes = delivery.map(|delivery| delivery.notes).unwrap_or_default();
    let words = |packet| datagram(system, OutcomeId(packet));
    let doings = notes.iter().map(|note| match *note {
        Note::Lost(packet) => Doing::Lost { datagram: words(packet), sent: None },
        Note::Duplicate { copy, .. } => Doing::Duplicated { copy },
        Note::Overtook { earlier, .. } => Doing::Overtook { datagram: words(earlier), sent: None },
    });
    doings.collect()
}

fn lost_at_settle(system: &System, state: &[u32], place: PlaceId) -> Vec<String> {
    let rules = system.channel_at(place).map(|channel| system.rules_of(channel).clone());
    let settled = rules.and_then(|rules| system.links.get(place.of(state)).settle(&rules));
    let lost = settled.map(|settled| settled.lost).unwrap_or_default();
    lost.iter().map(|&packet| lost_datagram(system, place, OutcomeId(packet))).collect()
}

/// A datagram under way on a channel, with where it was to go.
pub(super) fn lost_datagram(system: &System, channel: PlaceId, packet: OutcomeId) -> String {
    let to = match system.places.iter().find(|(id, _)| *id == channel) {
        Some((_, Place::Channel { to, .. })) => system.shared().unit(to.unit).name,
        Some((_, Place::Astray { to: (process, _), .. })) => system.shared().unit(UnitId(process.0)).name,
        _ => String::new(),
    };
    format!("{} to {to}", datagram(system, packet))
}
