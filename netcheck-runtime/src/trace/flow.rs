//! Which earlier step sent what arrives with a step.
//!
//! A state knows datagrams and bytes by their content. Here the same channels are followed
//! with the numbers of the steps that sent it in its place. Nothing is decided: where a number
//! can't be found, the step goes without.

use crate::id::OutcomeId;
use crate::operation::{Outcome, ReceiveMode, Side};
use crate::state::enabled::{Step as Taken, Transition};
use crate::state::menu::Action;
use crate::state::place::{Place, PlaceId};
use crate::state::system::System;
use crate::state::tcp::connections::ConnectionEnd;
use crate::trace::describe::{datagram, lost_datagram};
use crate::trace::step::{Doing, Step};
use netcheck_models::udp::{Link, Note};
use std::collections::{BTreeMap, VecDeque};

/// Datagrams under way, each by a number that whoever sends it gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Datagrams {
    /// By channel: its packets are the numbers.
    links: BTreeMap<PlaceId, Link>,
}

/// A datagram that arrives with a step, by its number.
pub(crate) struct Arrived {
    pub(crate) number: u32,
    /// What was sent before it and has not arrived, in the order of sending.
    pub(crate) passed: Vec<Passed>,
}

/// What becomes of a datagram when one that was sent later arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// It cannot arrive any more.
    Lost(u32),
    /// It may still arrive.
    Overtaken(u32),
}

/// What is under way, by the steps that sent it.
#[derive(Default)]
pub(crate) struct Flow {
    under_way: Datagrams,
    /// What each step sent.
    datagrams: BTreeMap<u32, OutcomeId>,
    /// Who sent the datagram that was peeked at.
    heads: BTreeMap<PlaceId, u32>,
    connections: BTreeMap<PlaceId, Connection>,
}

/// A TCP connection, by the steps that did something to it.
#[derive(Default)]
struct Connection {
    opened: u32,
    /// By the end that writes: steps, each with how many of its bytes are not read yet.
    unread: [VecDeque<(u32, usize)>; 2],
    /// By end: the step that shut its writing side down.
    finished: [Option<u32>; 2],
    /// By end: the step that closed it.
    closed: [Option<u32>; 2],
    /// By end: the step at which the network broke it.
    broken: [Option<u32>; 2],
}

impl Flow {
    /// Traces what arrives with the step of this number, taken from `state`.
    pub(crate) fn trace(
        &mut self,
        system: &mut System,
        state: &[u32],
        transition: &Transition,
        number: u32,
        step: &mut Step,
    ) {
        let arrived = match &transition.step {
            Taken::Settle => {
                self.settle(system, transition, step);
                Vec::new()
            }
            Taken::Unit { node, input, .. } => {
                let menu = system.menu(*node);
                let action = menu.iter().find(|offer| offer.key == input.key).map(|offer| offer.action.clone());
                let answer = system.learner.automata.outcome(input.outcome).clone();
                match action {
                    Some(Action::Send { datagram, .. }) => {
                        self.send(system, state, transition, (number, datagram));
                        Vec::new()
                    }
                    Some(Action::Receive { mode, .. }) => {
                        let wanted = (mode != ReceiveMode::Ready).then_some(input.outcome);
                        self.receive(system, transition, (mode, wanted), step).into_iter().collect()
                    }
                    Some(action) => self.stream(system, transition, (&action, &answer), number),
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        step.arrived = arrived.into_iter().map(|number| number as usize).collect();
    }

    /// Notes what the step of this number did to connections and sockets.
    pub(crate) fn follow(&mut self, system: &System, state: &[u32], next: &[u32], number: u32) {
        let content = |number: u32| self.datagrams.get(&number).map_or(u32::MAX, |datagram| datagram.0);
        self.under_way.redirect(system, state, next, content);
        self.under_way.forget(next);
        let changed = system.places.iter().filter(|(id, _)| id.of(state) != id.of(next));
        for (id, place) in changed {
            if !matches!(place, Place::Connection(_)) {
                continue;
            }
            if id.of(state) == 0 {
                self.connections.insert(id, Connection { opened: number, ..Connection::default() });
            }
            let Some(connection) = self.connections.get_mut(&id) else { continue };
            let (before, after) = (system.held.get(id.of(state)), system.held.get(id.of(next)));
            for side in [Side::Client, Side::Server] {
                if after.connection.is_finished(side) {
                    connection.finished[side as usize].get_or_insert(number);
                }
                if before.connection.is_held(side) && !after.connection.is_held(side) {
                    connection.closed[side as usize].get_or_insert(number);
                }
            }
        }
    }

    fn send(&mut self, system: &System, state: &[u32], transition: &Transition, (number, datagram): (u32, OutcomeId)) {
        self.under_way.send(system, state, transition, number);
        self.datagrams.insert(number, datagram);
    }

    /// The step that sent the datagram; notes in `step` which ones were lost or overtaken.
    fn receive(
        &mut self,
        system: &System,
        transition: &Transition,
        (mode, wanted): (ReceiveMode, Option<OutcomeId>),
        step: &mut Step,
    ) -> Option<u32> {
        let is_head =
            |id: PlaceId| system.places.iter().any(|(other, place)| other == id && matches!(place, Place::Head(_)));
        let head = transition.writes.iter().map(|(place, _)| *place).find(|&place| is_head(place));
        if !transition.writes.iter().any(|&(place, _)| system.channel_at(place).is_some()) {
            let sent = head.and_then(|head| self.heads.get(&head).copied());
            if let (Some(head), ReceiveMode::Take) = (head, mode) {
                self.heads.remove(&head);
            }
            return sent;
        }
        let content = |number: u32| self.datagrams.get(&number).map_or(u32::MAX, |datagram| datagram.0);
        let Arrived { number, passed, .. } = self.under_way.receive(system, transition, wanted, content)?;
        for Passed::Lost(earlier) | Passed::Overtaken(earlier) in passed {
            name(step, earlier, &datagram(system, OutcomeId(content(earlier))));
        }
        if let Some(head) = head {
            self.heads.insert(head, number);
        }
        Some(number)
    }

    fn settle(&mut self, system: &System, transition: &Transition, step: &mut Step) {
        for (channel, number) in self.under_way.settled(system, transition) {
            let Some(&packet) = self.datagrams.get(&number) else { continue };
            name(step, number, &lost_datagram(system, channel, packet));
        }
    }

    /// The steps that sent what a call on a stream or a listener gets.
    fn stream(
        &mut self,
        system: &System,
        transition: &Transition,
        (action, answer): (&Action, &Outcome),
        number: u32,
    ) -> Vec<u32> {
        let is_connection = |id: PlaceId| {
            system.places.iter().any(|(other, place)| other == id && matches!(place, Place::Connection(_)))
        };
        let end = match action {
            Action::Read { end, .. } | Action::Write { end, .. } | Action::Shutdown { end, .. } => Some(*end),
            _ => None,
        };
        let written = || transition.writes.iter().map(|(place, _)| *place).find(|&place| is_connection(place));
        let place = end.map(|end| end.place).or_else(written);
        let Some(connection) = place.and_then(|place| self.connections.get_mut(&place)) else { return Vec::new() };
        if transition.is_failure() {
            let side = end.map_or(Side::Server, |end| end.side);
            connection.broken[side as usize].get_or_insert(number);
        }
        match (action, answer) {
            (Action::Accept { .. }, _) => vec![connection.opened],
            (Action::Write { end, .. }, Outcome::Written(count)) if *count > 0 => {
                connection.unread[end.side as usize].push_back((number, *count));
                Vec::new()
            }
            (Action::Read { end, peeks, .. }, Outcome::Bytes(bytes)) if !bytes.is_empty() => {
                connection.read(*end, bytes.len(), *peeks)
            }
            (Action::Read { end, .. }, Outcome::Bytes(_)) => {
                connection.finished[end.peer() as usize].into_iter().collect()
            }
            (Action::Read { end, .. } | Action::Write { end, .. }, Outcome::Failed(_)) if !transition.is_failure() => {
                let peer = end.peer() as usize;
                connection.broken[peer].or(connection.closed[peer]).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Datagrams {
    /// The numbers under way.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.links.values().flat_map(Link::packets)
    }

    /// Notes what a step sends, if it goes anywhere.
    pub(crate) fn send(&mut self, system: &System, state: &[u32], transition: &Transition, number: u32) {
        let Some(&(place, _)) = transition.writes.first() else { return };
        let (from, to) = match system.places.place(place) {
            Place::Channel { from, to } => (from, system.process_of(to.unit)),
            Place::Astray { from, to: (to, _) } => (from, to),
            _ => return,
        };
        let from = system.process_of(from.unit);
        let Some((send, receive)) = system.perturbed_between(state, from, to) else { return };
        let link = self.links.entry(place).or_default();
        *link = link.dispatch(number, send, receive);
    }

    /// What was under way from a socket to one place goes on to another, after arrivals that nobody has seen; says
    /// whether anything does. `content` is what a number stands for.
    pub(crate) fn redirect(
        &mut self,
        system: &System,
        state: &[u32],
        next: &[u32],
        content: impl Fn(u32) -> u32,
    ) -> bool {
        let from = |place: PlaceId| match system.places.place(place) {
            Place::Channel { from, .. } | Place::Astray { from, .. } => Some(from),
            _ => None,
        };
        let is_filled = |id: PlaceId| id.of(state) == 0 && id.of(next) != 0 && from(id).is_some();
        if system.places.astray().is_empty() {
            return false;
        }
        let filled: Vec<PlaceId> = system.places.iter().map(|(id, _)| id).filter(|&id| is_filled(id)).collect();
        let mut goes_on = false;
        for place in filled {
            let left = |other: &PlaceId| from(*other) == from(place) && other.of(state) != 0 && other.of(next) == 0;
            let Some(before) = self.links.keys().copied().find(left) else { continue };
            let channel = [place, before].into_iter().find_map(|place| system.channel_at(place));
            let Some(rules) = channel.map(|channel| system.rules_of(channel)) else { continue };
            let after = system.links.get(place.of(next));
            let mut open = VecDeque::from([self.links[&before].clone()]);
            while let Some(link) = open.pop_front() {
                if link.renumbered(&content) == *after {
                    self.links.insert(place, link);
                    goes_on = true;
                    break;
                }
                open.extend(link.deliveries(rules).into_iter().map(|delivery| delivery.link));
            }
        }
        goes_on
    }

    /// What arrives with a step, if that is from a channel; `content` is what a number stands for.
    pub(crate) fn receive(
        &mut self,
        system: &System,
        transition: &Transition,
        wanted: Option<OutcomeId>,
        content: impl Fn(u32) -> u32,
    ) -> Option<Arrived> {
        let (channel, after) =
            transition.writes.iter().find_map(|&(place, after)| Some((system.channel_at(place)?, after)))?;
        let link = self.links.get(&channel.place)?;
        let after = system.links.get(after);
        let fits = link.deliveries(system.rules_of(channel)).into_iter().filter(|delivery| {
            delivery.link.renumbered(&content) == *after
                && wanted.is_none_or(|wanted| wanted.0 == content(delivery.packet))
        });
        let delivery = fits.min_by_key(|delivery| (delivery.faults, delivery.preference))?;
        let passed = delivery.notes.iter().filter_map(|note| match *note {
            Note::Lost(earlier) => Some(Passed::Lost(earlier)),
            Note::Overtook { earlier, .. } => Some(Passed::Overtaken(earlier)),
            Note::Duplicate { .. } => None,
        });
        let arrived = Arrived { number: delivery.packet, passed: passed.collect() };
        self.links.insert(channel.place, delivery.link);
        Some(arrived)
    }

    /// What is lost when all that a step empties is given up, by channel.
    pub(crate) fn settled(&self, system: &System, transition: &Transition) -> Vec<(PlaceId, u32)> {
        let lost = |place: PlaceId| {
            let (link, channel) = self.links.get(&place).zip(system.channel_at(place))?;
            Some(link.settle(system.rules_of(channel))?.lost)
        };
        let places = transition.writes.iter().map(|&(place, _)| place);
        places
            .flat_map(|place| lost(place).unwrap_or_default().into_iter().map(move |number| (place, number)))
            .collect()
    }

    /// Forgets channels that are empty by now.
    pub(crate) fn forget(&mut self, next: &[u32]) {
        self.links.retain(|place, _| place.of(next) != 0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Whether `forget` would change nothing.
    pub(crate) fn is_as(&self, next: &[u32]) -> bool {
        self.links.keys().all(|place| place.of(next) != 0)
    }

    /// Forgets all channels but that of one datagram.
    pub(crate) fn keep_only(&mut self, number: u32) {
        self.links.retain(|_, link| link.packets().any(|other| other == number));
    }
}

impl Connection {
    /// The steps that wrote the next bytes for an end.
    fn read(&mut self, end: ConnectionEnd, mut count: usize, peeks: bool) -> Vec<u32> {
        let mut unread = self.unread[end.peer() as usize].clone();
        let mut steps = Vec::new();
        while let Some((number, left)) = unread.front_mut().filter(|_| count > 0) {
            let read = count.min(*left);
            count -= read;
            *left -= read;
            steps.push(*number);
            if *left == 0 {
                unread.pop_front();
            }
        }
        if !peeks {
            self.unread[end.peer() as usize] = unread;
        }
        steps
    }
}

/// Notes which step sent a datagram that was lost or overtaken.
fn name(step: &mut Step, number: u32, words: &str) {
    let unnamed = step.network.iter_mut().find_map(|doing| match doing {
        Doing::Lost { datagram, sent: sent @ None } | Doing::Overtook { datagram, sent: sent @ None }
            if datagram == words =>
        {
            Some(sent)
        }
        _ => None,
    });
    if let Some(sent) = unnamed {
        *sent = Some(number as usize);
    }
}
