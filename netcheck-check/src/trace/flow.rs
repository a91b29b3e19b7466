//! The flow of datagrams and bytes: the earlier step that sent an arrival.
//!
//! A state knows datagrams and bytes by their content. Here each has the number of the step that sent it, and the
//! events of steps say where the numbers go. This module decides nothing and asks no model: where a number can't be
//! found, the step has none.

use crate::trace::describe::{datagram, lost_datagram};
use crate::trace::step::{Doing, Step};
use netcheck_models::event::Event;
use netcheck_models::tcp::Segment;
use netcheck_runtime::id::{ConnectionId, OutcomeId};
use netcheck_runtime::operation::{ReceiveMode, Side};
use netcheck_runtime::world::components::{Component, ComponentId, connection_dialed};
use netcheck_runtime::world::events::Happened;
use netcheck_runtime::world::prepared::Prepared;
use netcheck_runtime::world::step::{Move, Transition};
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::tcp::connections::ConnectionEnd;
use netcheck_runtime::world::{tcp, udp};
use std::collections::{BTreeMap, VecDeque};

/// Datagrams under way, each by a number that was given to it when it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Datagrams {
    /// By channel, in the order of its packets.
    numbers: BTreeMap<ComponentId, Vec<u32>>,
}

/// A datagram that arrives with a step, by its number.
pub(crate) struct Arrived {
    pub(crate) number: u32,
    /// The datagrams that were sent before it and have not arrived, in the order of sending.
    pub(crate) passed: Vec<Passed>,
}

/// The fate of a datagram when one that was sent later arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// It cannot arrive any more.
    Lost(u32),
    /// It may still arrive.
    Overtaken(u32),
}

/// The datagrams and bytes under way, by the steps that sent them.
#[derive(Clone, Default)]
pub(crate) struct Flow {
    under_way: Datagrams,
    /// The datagram that each step sent.
    datagrams: BTreeMap<u32, OutcomeId>,
    /// The step that sent the datagram that was peeked at.
    heads: BTreeMap<ComponentId, u32>,
    connections: BTreeMap<ComponentId, Connection>,
}

/// A TCP connection, by the steps that did something to it.
#[derive(Clone, Default)]
struct Connection {
    opened: u32,
    /// By the end that writes: steps, each with how many of its bytes are not read yet.
    unread: [VecDeque<(u32, u64)>; 2],
    /// By end: the step that shut its writing side down.
    finished: [Option<u32>; 2],
    /// By end: the step that closed it.
    closed: [Option<u32>; 2],
    /// By end: the step at which the network broke it.
    broken: [Option<u32>; 2],
    /// By end: the steps that sent the segments under way from it.
    under_way: [VecDeque<u32>; 2],
    /// The step that sent the answer to the connect.
    answered: Option<u32>,
}

impl Flow {
    /// Traces the arrivals of the step of this number.
    pub(crate) fn trace(&mut self, system: &mut System, transition: &Transition, number: u32, step: &mut Step) {
        let arrived = match &transition.step {
            Move::LoseInFlight => {
                self.lose_in_flight(system, transition, step);
                Vec::new()
            }
            Move::Cut { .. } => {
                self.lose_in_flight(system, transition, step);
                self.under_way.stay(system, transition);
                Vec::new()
            }
            Move::Reach { connection, from, .. } => self.reach(*connection, *from),
            Move::Arrive { .. } => self.under_way.arrive(system, transition).into_iter().collect(),
            Move::Unit { node, input, .. } => {
                let offers = system.prepared_offers(*node);
                let prepared = offers.iter().find(|offer| offer.key == input.key).map(|offer| offer.prepared.clone());
                match prepared {
                    Some(Prepared::Udp(udp::Prepared::Receive { mode, .. })) => {
                        self.receive(system, transition, mode, step).into_iter().collect()
                    }
                    Some(prepared) => match prepared.sent_datagram() {
                        Some(datagram) => {
                            self.under_way.send(system, transition, number);
                            self.datagrams.insert(number, datagram);
                            Vec::new()
                        }
                        None => self.stream(system, transition, &prepared, number),
                    },
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        step.arrived = arrived.into_iter().map(|number| number as usize).collect();
    }

    /// Notes what the step of this number did to connections and sockets.
    pub(crate) fn follow(
        &mut self,
        system: &System,
        (state, next): (&[u32], &[u32]),
        transition: &Transition,
        number: u32,
    ) {
        self.under_way.redirect(system, (state, next), transition);
        self.under_way.forget(next);
        let changed = system.components.iter().filter(|(id, _)| id.of(state) != id.of(next));
        for (id, component) in changed {
            if let (Component::Dialed(_), Some(made)) = (component, connection_dialed(id.of(state))) {
                self.connect(system, made, number);
            }
            if !matches!(component, Component::Connection(_)) {
                continue;
            }
            if id.of(state) == 0 {
                self.connections.insert(id, Connection { opened: number, ..Connection::default() });
            }
            let Some(connection) = self.connections.get_mut(&id) else { continue };
            let (before, after) = (system.held.get(id.of(state)), system.held.get(id.of(next)));
            for side in [Side::Client, Side::Server] {
                connection.send(side, (&before.connection, &after.connection), transition, id, number);
                if after.connection.is_finished(side) {
                    connection.finished[side as usize].get_or_insert(number);
                }
                if before.connection.is_held(side) && !after.connection.is_held(side) {
                    connection.closed[side as usize].get_or_insert(number);
                }
            }
        }
    }

    /// A connect returns. Readers see a step that only makes a connection if another one follows.
    fn connect(&mut self, system: &System, made: ConnectionId, number: u32) {
        let component = system.components.find(Component::Connection(made));
        let connection = component.and_then(|component| self.connections.get_mut(&component));
        if let Some(connection) = connection.filter(|connection| connection.opened + 1 == number) {
            connection.opened = number;
        }
    }

    /// The step that sent the segment that arrives.
    fn reach(&mut self, connection: ComponentId, from: Side) -> Vec<u32> {
        let Some(connection) = self.connections.get_mut(&connection) else { return Vec::new() };
        let first = connection.under_way[from as usize].front().copied();
        connection.answered = first.filter(|_| from == Side::Server).or(connection.answered);
        first.into_iter().collect()
    }

    /// The step that sent the datagram; notes in `step` which ones were lost or overtaken.
    fn receive(&mut self, system: &System, transition: &Transition, mode: ReceiveMode, step: &mut Step) -> Option<u32> {
        let is_head = |&component: &ComponentId| matches!(system.components.component(component), Component::Head(_));
        let head = transition.writes.iter().map(|(component, _)| *component).find(is_head);
        if events(system, transition).any(|event| event == Event::Kept) {
            let sent =
                head.and_then(|head| self.heads.get(&head).copied()).or_else(|| self.under_way.front(transition));
            if let (Some(head), ReceiveMode::Take) = (head, mode) {
                self.heads.remove(&head);
            }
            return sent;
        }
        let Arrived { number, passed, .. } = self.under_way.receive(system, transition)?;
        for Passed::Lost(earlier) | Passed::Overtaken(earlier) in passed {
            if let Some(&packet) = self.datagrams.get(&earlier) {
                name(step, earlier, &datagram(system, packet));
            }
        }
        if let Some(head) = head {
            self.heads.insert(head, number);
        }
        Some(number)
    }

    fn lose_in_flight(&mut self, system: &System, transition: &Transition, step: &mut Step) {
        for (channel, number) in self.under_way.lost_in_flight(system, transition) {
            let Some(&packet) = self.datagrams.get(&number) else { continue };
            name(step, number, &lost_datagram(system, channel, packet));
        }
    }

    /// The steps that sent the result of a call on a stream or a listener.
    fn stream(&mut self, system: &System, transition: &Transition, prepared: &Prepared, number: u32) -> Vec<u32> {
        let is_connection =
            |&component: &ComponentId| matches!(system.components.component(component), Component::Connection(_));
        let end = match prepared {
            Prepared::Tcp(tcp::Prepared::Read { end, .. })
            | Prepared::Tcp(tcp::Prepared::Write { end, .. })
            | Prepared::Tcp(tcp::Prepared::Shutdown { end, .. })
            | Prepared::Tcp(tcp::Prepared::TakeError { end }) => Some(*end),
            _ => None,
        };
        let written = || transition.writes.iter().map(|(component, _)| *component).find(is_connection);
        let component = end.map(|end| end.component).or_else(written);
        let Some(connection) = component.and_then(|component| self.connections.get_mut(&component)) else {
            return Vec::new();
        };
        let mut arrived = Vec::new();
        for event in events(system, transition) {
            match (event, end) {
                (Event::Accepted, _) => arrived.push(connection.opened),
                (Event::Connected | Event::Refused, _) => arrived.extend(connection.answered),
                (Event::Failed | Event::Reset, _) => {
                    let side = end.map_or(Side::Server, |end| end.side);
                    connection.broken[side as usize].get_or_insert(number);
                    // A failing accept has met the connection.
                    arrived.extend(
                        matches!(prepared, Prepared::Tcp(tcp::Prepared::Accept { .. })).then_some(connection.opened),
                    );
                }
                (Event::Wrote { bytes: bytes @ 1.., .. }, Some(end)) => {
                    connection.unread[end.side as usize].push_back((number, bytes));
                }
                (Event::Read { bytes, .. }, Some(end)) => {
                    let peeks = matches!(prepared, Prepared::Tcp(tcp::Prepared::Read { peeks: true, .. }));
                    arrived.extend(connection.read(end, bytes, peeks));
                }
                (Event::Ended, Some(end)) => arrived.extend(connection.finished[end.peer() as usize]),
                (Event::Broken, Some(end)) if !matches!(prepared, Prepared::Tcp(tcp::Prepared::TakeError { .. })) => {
                    let peer = end.peer() as usize;
                    arrived.extend(connection.broken[peer].or(connection.closed[peer]));
                }
                _ => {}
            }
        }
        arrived
    }
}

/// The events of a step, on all components.
fn events(system: &System, transition: &Transition) -> impl Iterator<Item = Event> {
    system.told(transition).iter().flat_map(|happened| happened.events.iter().copied())
}

impl Datagrams {
    /// The numbers under way.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.numbers.values().flatten().copied()
    }

    /// Notes the datagram that a step sends, if it goes anywhere.
    pub(crate) fn send(&mut self, system: &System, transition: &Transition, number: u32) {
        for happened in system.told(transition) {
            let departing = happened.events.iter().filter(|event| matches!(event, Event::Departed | Event::Astray));
            if let (copies @ 1.., Some(channel)) = (departing.count(), happened.component(&transition.writes)) {
                self.numbers.entry(channel).or_default().extend(std::iter::repeat_n(number, copies));
            }
        }
    }

    /// Moves the datagrams under way from one component to another: as the events of the step tell, or unchanged where
    /// a socket was closed. Says whether any are moved, or have left a channel without an event.
    pub(crate) fn redirect(
        &mut self,
        system: &System,
        (state, next): (&[u32], &[u32]),
        transition: &Transition,
    ) -> bool {
        let leave = self.leave(system, transition);
        if system.components.astray().is_empty() {
            return leave;
        }
        let from = |component: ComponentId| match system.components.component(component) {
            Component::Channel { from, .. } | Component::Astray { from, .. } => Some(from),
            _ => None,
        };
        let mut moved = Vec::new();
        for happened in system.told(transition) {
            let to = happened.remaining.as_ref().and_then(|left| transition.writes.get(left.write as usize));
            if let (Some(component), Some(&(to, _))) = (happened.component(&transition.writes), to)
                && component != to
            {
                moved.extend(self.remaining(happened, component).map(|numbers| (to, numbers)));
            }
        }
        let is_filled = |id: ComponentId| id.of(state) == 0 && id.of(next) != 0 && from(id).is_some();
        for component in system.components.iter().map(|(id, _)| id).filter(|&id| is_filled(id)) {
            let left = |other: &ComponentId| {
                from(*other) == from(component) && other.of(state) == component.of(next) && other.of(next) == 0
            };
            let is_told = moved.iter().any(|(to, _)| *to == component);
            if let (false, Some(before)) = (is_told, self.numbers.keys().copied().find(left)) {
                moved.push((component, self.numbers[&before].clone()));
            }
        }
        let goes_on = leave || !moved.is_empty();
        self.numbers.extend(moved);
        goes_on
    }

    /// Forgets the datagrams that leave a channel without an event: they have arrived, and do not arrive again. Says
    /// whether there are any.
    fn leave(&mut self, system: &System, transition: &Transition) -> bool {
        let mut leave = false;
        for happened in system.told(transition).iter().filter(|happened| happened.events.is_empty()) {
            let left = happened.component(&transition.writes).and_then(|channel| {
                let numbers = self.remaining(happened, channel)?;
                Some((channel, numbers))
            });
            leave |= left.is_some();
            self.numbers.extend(left);
        }
        leave
    }

    /// The datagrams of a channel that are under way after a step with events on it.
    fn remaining(&self, happened: &Happened, channel: ComponentId) -> Option<Vec<u32>> {
        let numbers = self.numbers.get(&channel)?;
        let positions = &happened.remaining.as_ref()?.positions;
        Some(positions.iter().map(|&position| numbers[position as usize]).collect())
    }

    /// The first datagram in the buffer that a step writes without a change.
    fn front(&self, transition: &Transition) -> Option<u32> {
        let (buffer, _) = transition.writes.first()?;
        self.numbers.get(buffer)?.first().copied()
    }

    /// The arrival of a step, if it is from a channel.
    pub(crate) fn receive(&mut self, system: &System, transition: &Transition) -> Option<Arrived> {
        let happened = system.told(transition).iter().find(|happened| happened.remaining.is_some())?;
        let channel = happened.component(&transition.writes)?;
        let numbers = self.numbers.get(&channel)?;
        let number = |position: u32| numbers[position as usize];
        let arrived = happened.events.iter().find_map(|event| match *event {
            Event::Arrived { position } => Some(number(position)),
            _ => None,
        });
        let passed = happened.events.iter().filter_map(|event| match *event {
            Event::Lost { position, .. } => Some(Passed::Lost(number(position))),
            Event::Overtook { position, .. } => Some(Passed::Overtaken(number(position))),
            _ => None,
        });
        let arrived = Arrived { number: arrived?, passed: passed.collect() };
        let remaining = self.remaining(happened, channel)?;
        self.numbers.insert(channel, remaining);
        Some(arrived)
    }

    /// A datagram arrives at the buffer of its socket, if it has one.
    pub(crate) fn arrive(&mut self, system: &System, transition: &Transition) -> Option<u32> {
        let happened = system.told(transition).iter().find(|happened| happened.remaining.is_some())?;
        let channel = happened.component(&transition.writes)?;
        let position = happened.events.iter().find_map(|event| match *event {
            Event::Arrived { position } | Event::Unheard { position } | Event::Lost { position, .. } => {
                Some(position as usize)
            }
            _ => None,
        })?;
        let number = *self.numbers.get(&channel)?.get(position)?;
        let remaining = self.remaining(happened, channel)?;
        self.numbers.insert(channel, remaining);
        let is_buffer = |&&(component, _): &&(ComponentId, u32)| {
            matches!(system.components.component(component), Component::Buffer(_))
        };
        if let Some(&(buffer, _)) = transition.writes.iter().find(is_buffer) {
            self.numbers.entry(buffer).or_default().push(number);
        }
        Some(number)
    }

    /// The datagrams that are lost with all channels that a step empties, by channel.
    pub(crate) fn lost_in_flight(&self, system: &System, transition: &Transition) -> Vec<(ComponentId, u32)> {
        let lost = |happened: &Happened| {
            let channel = happened.component(&transition.writes)?;
            let numbers = self.numbers.get(&channel)?;
            let lost = happened.events.iter().filter_map(|event| match *event {
                Event::Lost { position, .. } => Some((channel, numbers[position as usize])),
                _ => None,
            });
            Some(lost.collect::<Vec<_>>())
        };
        system.told(transition).iter().filter_map(lost).flatten().collect()
    }

    /// Links are cut: of the datagrams of each channel only those that stay under way are known from now on.
    pub(crate) fn stay(&mut self, system: &System, transition: &Transition) {
        for happened in system.told(transition) {
            let channel = happened.component(&transition.writes);
            let left = channel.and_then(|channel| Some((channel, self.remaining(happened, channel)?)));
            self.numbers.extend(left);
        }
    }

    /// Forgets channels that are empty by now.
    pub(crate) fn forget(&mut self, next: &[u32]) {
        self.numbers.retain(|component, _| component.of(next) != 0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether `forget` would change nothing.
    pub(crate) fn is_as(&self, next: &[u32]) -> bool {
        self.numbers.keys().all(|component| component.of(next) != 0)
    }

    /// Forgets all channels but that of one datagram.
    pub(crate) fn keep_only(&mut self, number: u32) {
        self.numbers.retain(|_, numbers| numbers.contains(&number));
    }
}

impl Connection {
    /// Notes the segments from an end that have arrived, were lost, or are under way since the step of this number.
    fn send(
        &mut self,
        side: Side,
        (before, after): (&netcheck_models::tcp::Connection, &netcheck_models::tcp::Connection),
        transition: &Transition,
        id: ComponentId,
        number: u32,
    ) {
        let under_way = &mut self.under_way[side as usize];
        let (earlier, later) = (before.under_way(side), after.under_way(side));
        let is_arrival = matches!(
            transition.step,
            Move::Reach { connection, from, .. } if connection == id && from == side
        );
        if is_arrival && later.len() < earlier.len() {
            under_way.pop_front();
        }
        let resets = |segments: &[Segment]| matches!(segments.last(), Some(Segment::Reset(_)));
        let kept = later.len() - usize::from(resets(later) && !resets(earlier) && !later.is_empty());
        under_way.truncate(kept);
        under_way.resize(later.len(), number);
    }

    /// The steps that wrote the next bytes for an end.
    fn read(&mut self, end: ConnectionEnd, mut count: u64, peeks: bool) -> Vec<u32> {
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
