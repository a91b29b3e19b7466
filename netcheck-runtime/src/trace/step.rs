//! One step of an execution in words.

use crate::id::SocketId;
use crate::operation::{Operation, Outcome, ReceiveMode};
use crate::state::enabled::{Class, Step as Taken, Transition};
use crate::state::place::Place;
use crate::state::system::{Action, Channel, System};
use crate::unit::wording;
use netcheck_models::udp::Note;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One step of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The process, or `process/function` for an isolated task; `network` for what no
    /// process does.
    pub process: String,
    /// The task within the process, where there are several; 0 is the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u32>,
    /// `file:line` of the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// What was asked of the world.
    pub operation: String,
    /// The world's answer.
    pub outcome: String,
    /// What the network did to datagrams with this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<String>,
    /// Which of several steps that read the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) alternative: u32,
    /// The units among which it was quiet, for a step that waits for quiet; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) among: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Step {
    /// Whether two steps read the same. Source lines may move when a program is edited.
    pub(crate) fn reads_as(&self, other: &Step) -> bool {
        (&self.process, self.task, &self.operation, &self.outcome, &self.network)
            == (&other.process, other.task, &other.operation, &other.outcome, &other.network)
    }
}

/// Puts a transition from `state` into words.
pub(crate) fn describe(system: &mut System, state: &[u32], transition: &Transition) -> Option<Step> {
    match &transition.step {
        // A step of the reduction, not of any process.
        Taken::Park(_) => None,
        Taken::Settle => {
            let channels: Vec<_> = transition.writes.iter().map(|(place, _)| *place).collect();
            let mut network: Vec<String> =
                channels.into_iter().flat_map(|place| lost_at_settle(system, state, place)).collect();
            // Places are numbered as they are met, which differs from run to run.
            network.sort();
            Some(Step {
                process: "network".to_owned(),
                task: None,
                location: None,
                operation: "lose what is under way".to_owned(),
                outcome: "done".to_owned(),
                network,
                alternative: 0,
                among: Vec::new(),
            })
        }
        Taken::Hang { unit, node, key } => {
            let name = system.shared().unit(*unit).name;
            let offer = system.learner.automata.node(*node).offers.iter().find(|offer| offer.key == *key)?;
            let operation = wording::operation_of(&offer.operation, system.shared());
            Some(Step {
                process: "network".to_owned(),
                task: None,
                location: Some(wording::line(offer, system.shared())),
                operation: format!("never answer {operation} of {name}"),
                outcome: "done".to_owned(),
                network: vec!["hung".to_owned()],
                alternative: 0,
                among: Vec::new(),
            })
        }
        Taken::Unit { unit, node, input, class, .. } => {
            let (unit, node, input, class) = (*unit, *node, *input, *class);
            let name = system.shared().unit(unit).name;
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
                Some(Action::Send { .. }) if transition.writes.is_empty() => {
                    vec!["dropped: nobody is bound there".to_owned()]
                }
                _ if transition.is_failure() => vec!["failed: the network broke it".to_owned()],
                _ => Vec::new(),
            };
            let operation = wording::operation_of(&offer.operation, system.shared());
            let location = match offer.operation {
                Operation::Run(_) => None,
                _ => Some(wording::line(&offer, system.shared())),
            };
            let task = (offer.task.0 > 0).then_some(offer.task.0);
            Some(Step { process: name, task, location, operation, outcome, network, alternative: 0, among: Vec::new() })
        }
    }
}

fn datagram(system: &System, packet: u32) -> String {
    wording::outcome(system.learner.automata.outcome(crate::id::OutcomeId(packet)), system.shared())
}

/// What happened on the channel that a datagram came out of.
fn arrived(system: &mut System, state: &[u32], socket: SocketId, transition: &Transition) -> Vec<String> {
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
    notes
        .iter()
        .map(|note| match *note {
            Note::Lost(packet) => format!("lost: {}", datagram(system, packet)),
            Note::Duplicate { copy, .. } => format!("duplicated: arrival number {copy} of this datagram"),
            Note::Overtook { earlier, .. } => format!("overtook: {}", datagram(system, earlier)),
        })
        .collect()
}

fn lost_at_settle(system: &System, state: &[u32], place: crate::state::place::PlaceId) -> Vec<String> {
    let to = system.places.iter().find(|(id, _)| *id == place).map(|(_, place)| place);
    let to = match to {
        Some(Place::Channel { to, .. }) => system.shared().unit(to.unit).name,
        _ => String::new(),
    };
    let rules = system.channel_at(place).map(|channel| system.rules_of(channel).clone());
    let settled = rules.and_then(|rules| system.links.get(place.of(state)).settle(&rules));
    let lost = settled.map(|settled| settled.lost).unwrap_or_default();
    lost.iter().map(|&packet| format!("lost: {} to {to}", datagram(system, packet))).collect()
}
