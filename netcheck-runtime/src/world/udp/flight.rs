//! Copies of datagrams in flight, each with a delay of its own: dense time, in which the order follows from the delays.
//!
//! How many copies there are is decided at the dispatch, and so is the delay of each where delays are listed. Copies are
//! in flight to an address; the receiving socket is the one that is bound there at the arrival, which is a step of the
//! network. An arrived copy is in the buffer of its socket, and receives take copies in the order of arrival.
//!
//! A copy that may arrive at any instant from now on, or never, has no place in the zone. If all copies are like that,
//! such a copy arrives only while its socket is received from and has nothing in its buffer: an earlier arrival could be
//! this late, and a copy that would not be received need not arrive. One to a multicast group may arrive before, since the
//! receiver may leave the group.
//!
//! A datagram that no declaration perturbs takes no time and is not overtaken.
//!
//! Where links may be cut ([`reach`](crate::world::reach)), a datagram is lost that is sent over a link that is cut, and a copy
//! whose link is cut at the instant of its arrival. A copy without a latest instant of arrival stays in flight meanwhile: it may
//! come after the heal, or never. Whether a copy has arrived before a cut makes a difference then, so that no arrival is put off.

use super::operation::ReceiveMode;
use crate::id::{OutcomeId, ProcessId, SocketId};
use crate::operation::Outcome;
use crate::world::components::{Component, ComponentId};
use crate::world::delays::Delays;
use crate::world::enabled::{Asker, Enabled};
use crate::world::events::{EventsId, Happened, Remaining, Told};
use crate::world::step::{Change, Class, Move, Transition, Writes};
use crate::world::tables::{Channel, Lookup, View};
use crate::world::time::dense::Passing;
use crate::world::time::names::{component_of, copy_event};
use crate::world::time::own::Own;
use netcheck_models::event::Event;
use netcheck_models::time::{Delay, Moment, Scheduled, Time, Zone};
use netcheck_models::udp::{Link, Perturbed};
use smallvec::{SmallVec, smallvec};
use std::net::SocketAddr;

/// One way in which copies of a datagram may be sent.
struct Sending {
    writes: Writes,
    zone: Zone,
    faults: u32,
    told: Told,
}

/// The end of a copy that was in flight.
enum End {
    /// It arrives at this socket.
    At(SocketId),
    /// It arrives where no socket is bound.
    Unheard,
    /// The link is cut.
    Lost,
}

impl View<'_> {
    /// The changes that a send may make: one for each number of copies at each host, and of listed delays.
    pub(super) fn send_copies(
        self,
        state: &[u32],
        (socket, to, datagram): (SocketId, SocketAddr, OutcomeId),
        hosts: impl Iterator<Item = ProcessId>,
    ) -> Lookup<Vec<Change>> {
        let mut ways =
            vec![Sending { writes: Writes::new(), zone: self.zone_at(state).clone(), faults: 0, told: Told::new() }];
        let mut dropped = self.known.unbound;
        for host in hosts {
            let Some(channel) = self.astray(state, socket, (host, to))? else { continue };
            match self.is_cut_off_from(state, self.process_of(socket.unit), host) {
                true => dropped = self.event(Event::CutOff)?,
                false => ways = self.with_copies(state, (socket, host, datagram), channel, ways)?,
            }
        }
        let mut changes = Vec::new();
        for Sending { mut writes, zone, faults, told } in ways {
            if told.is_empty() {
                // The network drops it.
                return Ok(vec![Change { events: dropped, ..Change::quiet(writes) }]);
            }
            writes.push(self.zone_write(&zone)?);
            changes.push(Change { writes, faults, events: self.tells(told)? });
        }
        Ok(changes)
    }

    /// The ways in which copies of a datagram are also sent to one more host.
    fn with_copies(
        self,
        state: &[u32],
        (socket, host, datagram): (SocketId, ProcessId, OutcomeId),
        Channel { component, rules }: Channel,
        so_far: Vec<Sending>,
    ) -> Lookup<Vec<Sending>> {
        let (send, receive) = self.perturbed(state, rules, (socket.unit, self.root_of(state, host)))?;
        let is_perturbed = [send, receive] != [Perturbed::No; 2];
        let group = self.declared.udp_between(self.process_of(socket.unit), host);
        let delays = match group.and_then(|udp| udp.delays.as_ref()) {
            Some(Delays::Interval(delay)) if is_perturbed => vec![*delay],
            Some(Delays::Listed(listed)) if is_perturbed => listed.iter().map(|&ns| Delay::exactly(ns)).collect(),
            _ => vec![Delay::NONE],
        };
        let budget = self.budget(state);
        let mut all = Vec::new();
        for Sending { writes, zone, faults: others, told } in so_far {
            for (copies, faults) in self.rules[rules].rules.copies(send, receive) {
                if !budget.allows(others + faults) {
                    continue;
                }
                let mut events: SmallVec<[Event; 2]> = SmallVec::from_elem(Event::Departed, copies as usize);
                if copies != 1 {
                    events.push(Event::Multiplied { copies, faults });
                }
                let mut told = told.clone();
                told.push(Happened { write: writes.len() as u32, events, remaining: None });
                let mut ways = vec![(component.of(state), zone.clone())];
                for _ in 0..copies {
                    let mut longer = Vec::new();
                    for (link, zone) in ways {
                        let content = self.links.get(link);
                        let position = place(content, datagram.0, is_perturbed);
                        let link = self.link(content.with(position, datagram.0, is_perturbed.into()))?;
                        for delay in &delays {
                            let mut zone = moved_up(&zone, component, position);
                            if !delay.is_any() {
                                zone.arm(copy_event(component, position), *delay);
                            }
                            longer.push((link, zone));
                        }
                    }
                    ways = longer;
                }
                all.extend(ways.into_iter().map(|(link, zone)| {
                    let mut writes = writes.clone();
                    writes.push((component, link));
                    Sending { writes, zone, faults: others + faults, told: told.clone() }
                }));
            }
        }
        Ok(all)
    }

    /// Offers the datagram at the front of a socket's buffer.
    pub(super) fn take_arrived(
        self,
        state: &[u32],
        asker: Asker,
        (socket, mode, waits): (SocketId, ReceiveMode, bool),
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        let buffer = self.component(Component::Buffer(socket))?;
        let link = self.links.get(buffer.of(state));
        let Some(first) = link.packets().next() else {
            enabled.listening.push(socket);
            if !waits {
                self.immediate(enabled, asker, self.known.would_block, Writes::new())?;
            }
            return Ok(());
        };
        let outcome = if mode == ReceiveMode::Ready { self.known.done } else { OutcomeId(first) };
        let change = match mode {
            ReceiveMode::Take => {
                let left = self.link(link.without(0))?;
                let events = self.tells(smallvec![arrived(0, link.packets().count(), 0)])?;
                Change { events, ..Change::quiet(smallvec![(buffer, left)]) }
            }
            ReceiveMode::Peek | ReceiveMode::Ready => {
                let writes = smallvec![(buffer, buffer.of(state))];
                Change { events: self.known.kept, ..Change::quiet(writes) }
            }
        };
        self.offer(enabled, asker, outcome, Class::Immediate, change).map(|_| ())
    }

    /// Adds the arrivals that may come next.
    pub(in crate::world) fn arrivals_in(
        self,
        state: &[u32],
        enabled: &Enabled,
        (own, passing): (&Own<'_>, &Passing<'_>),
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        for component in self.in_flight_to(state) {
            let Component::Astray { from, to: (host, to) } = self.components.component(component) else { continue };
            if !own.has(host) {
                continue;
            }
            let link = self.links.get(component.of(state));
            let is_cut_off = self.is_cut_off_from(state, self.process_of(from.unit), host);
            let mut free: SmallVec<[u32; 8]> = SmallVec::new();
            for ((position, packet), is_perturbed) in (0u32..).zip(link.packets()).zip(link.perturbed()) {
                let receiver = self.receiver(state, OutcomeId(packet), (host, to));
                let event = copy_event(component, position);
                let zone = if is_cut_off && !has_to_arrive(passing.zone, event) {
                    None
                } else if passing.zone.is_scheduled(event) {
                    passing.until(event)
                } else {
                    // The host may leave a group before it receives what has come.
                    let is_late = self.arrives_late() && !to.ip().is_multicast();
                    let is_heard = receiver.is_some_and(|receiver| !is_late || enabled.listening.contains(&receiver));
                    let is_first = !free.contains(&packet);
                    free.push(packet);
                    (is_heard && is_first).then(|| passing.some_time())
                };
                if let Some(zone) = zone {
                    let zone = departed(&zone, component, position, link.packets().count() as u32);
                    let written = own.write(self, &zone)?;
                    let end = if is_cut_off { End::Lost } else { receiver.map_or(End::Unheard, End::At) };
                    chosen.push(self.arrival(state, (from, component, position), end, written)?);
                }
                if !is_perturbed {
                    // It is not overtaken.
                    break;
                }
            }
        }
        Ok(())
    }

    /// The socket at which a datagram to an address of a process would arrive now.
    fn receiver(self, state: &[u32], datagram: OutcomeId, (host, to): (ProcessId, SocketAddr)) -> Option<SocketId> {
        let Outcome::Datagram { from, .. } = self.automata.outcome(datagram) else {
            unreachable!("a packet is a datagram")
        };
        let port = self.components.find(Component::Port(host, to.port()))?;
        self.route(state, port, *from, to).map(|binding| binding.socket)
    }

    /// Whether a copy is in flight to a socket that is there now and takes it.
    pub(in crate::world) fn is_heard(self, state: &[u32], copy: Scheduled) -> bool {
        let component = component_of(copy);
        let Component::Astray { to, .. } = self.components.component(component) else { return false };
        let mut packets = self.links.get(component.of(state)).packets();
        packets.nth(copy.number as usize).is_some_and(|packet| self.receiver(state, OutcomeId(packet), to).is_some())
    }

    /// Whether all copies may arrive at any instant, or never, so that arrivals wait until they are received.
    pub(crate) fn arrives_late(&self) -> bool {
        let groups = &self.declared.udp;
        let is_any = |delays: &Delays| matches!(delays, Delays::Interval(delay) if delay.is_any());
        groups.iter().all(|udp| udp.delays.as_ref().is_some_and(is_any) && !udp.is_ordered)
            && groups.last().is_some_and(|udp| udp.processes.is_none())
            && !self.demands.has_regions()
            && !self.declared.has_drawn_delays
            && !self.declares_partitions()
    }

    /// Whether a copy is in flight from one process to another that a cut of the link would stop: one that has to arrive.
    pub(in crate::world) fn is_stopped_in_flight(self, state: &[u32], component: ComponentId) -> bool {
        let zone = self.zone_at(state);
        let copies = self.links.get(component.of(state)).packets().count() as u32;
        (0..copies).any(|position| has_to_arrive(zone, copy_event(component, position)))
    }

    /// Whether each copy in flight in a component may arrive at any instant, or never.
    pub(super) fn may_stay_in_flight(self, state: &[u32], component: ComponentId) -> bool {
        let zone = self.zone_at(state);
        let copies = self.links.get(component.of(state)).packets().count() as u32;
        self.has_arrivals() && (0..copies).all(|position| !zone.is_scheduled(copy_event(component, position)))
    }

    /// The components of addresses with copies in flight to them, in an order that is the same in every run.
    fn in_flight_to(self, state: &[u32]) -> Vec<ComponentId> {
        let full = self.components.astray().iter().copied().filter(|component| component.of(state) != 0);
        let mut sorted: Vec<ComponentId> = full.collect();
        sorted.sort_by_key(|&component| match self.components.component(component) {
            Component::Astray { from, to } => Some((self.units[from.unit.0 as usize].number, from.index, to)),
            _ => None,
        });
        sorted
    }

    /// The step with which a copy comes to its end.
    fn arrival(
        self,
        state: &[u32],
        (from, component, position): (SocketId, ComponentId, u32),
        end: End,
        zone: (ComponentId, u32),
    ) -> Lookup<Transition> {
        let link = self.links.get(component.of(state));
        let count = link.packets().count();
        let packet = link.packets().nth(position as usize).expect("it is in flight");
        let mut writes: Writes = smallvec![(component, self.link(link.without(position))?)];
        let mut told = arrived(0, count, position);
        match end {
            End::At(socket) => {
                debug_assert!(self.units.len() > from.unit.0 as usize, "the sender is known");
                let buffer = self.component(Component::Buffer(socket))?;
                let after = self.dispatch(buffer.of(state), OutcomeId(packet), (Perturbed::No, Perturbed::No))?;
                writes.push((buffer, after));
            }
            End::Unheard => told.events = smallvec![Event::Unheard { position }],
            End::Lost => told.events = smallvec![Event::Lost { position, faults: 0 }],
        }
        writes.push(zone);
        let events = self.tells(smallvec![told])?;
        Ok(Transition { step: Move::Arrive { channel: component, position }, writes, faults: 0, events, watched: None })
    }

    /// Adds the step after which no copy arrives at these processes any more: none has to.
    pub(in crate::world) fn never_arrive(
        self,
        state: &[u32],
        own: &Own<'_>,
        chosen: &mut Vec<Transition>,
    ) -> Lookup<()> {
        let mut writes = Writes::new();
        let mut told = Told::new();
        let is_own = |component: &ComponentId| match self.components.component(*component) {
            Component::Astray { to: (host, _), .. } => own.has(host),
            _ => false,
        };
        for (write, component) in (0..).zip(self.in_flight_to(state).into_iter().filter(is_own)) {
            let count = self.links.get(component.of(state)).packets().count() as u32;
            writes.push((component, 0));
            let events = (0..count).map(|position| Event::Lost { position, faults: 0 }).collect();
            told.push(Happened { write, events, remaining: None });
        }
        let events: EventsId = self.tells(told)?;
        chosen.push(Transition { step: Move::LoseInFlight, writes, faults: 0, events, watched: None });
        Ok(())
    }
}

/// Whether there is a latest instant at which a copy arrives.
fn has_to_arrive(zone: &Zone, copy: Scheduled) -> bool {
    zone.is_scheduled(copy) && zone.distance(Moment::NOW, Moment::of(copy)).most_ns.is_some()
}

/// The position of one more copy: copies are sorted, so that the order in which they were sent makes no difference; but
/// one that is not perturbed comes after all that were sent before it.
fn place(link: &Link, packet: u32, is_perturbed: bool) -> u32 {
    let count = link.packets().count();
    let is_sorted = is_perturbed && link.perturbed().all(|is_perturbed| is_perturbed);
    let before = link.packets().take_while(|other| *other <= packet).count();
    (if is_sorted { before } else { count }) as u32
}

/// The zone in which the copies from a position on have moved up by one.
fn moved_up(zone: &Zone, component: ComponentId, position: u32) -> Zone {
    let owner = copy_event(component, 0).owner;
    let is_later = |event: &Scheduled| event.owner == owner && event.number >= position;
    if !zone.events().iter().any(is_later) {
        return zone.clone();
    }
    zone.clone().renamed(|event| match is_later(&event) {
        true => copy_event(component, event.number + 1),
        false => event,
    })
}

/// The zone without the copy at a position; the later ones move down.
fn departed(zone: &Zone, component: ComponentId, position: u32, count: u32) -> Zone {
    let mut left = zone.clone();
    left.disarm(copy_event(component, position));
    if position + 1 == count {
        return left;
    }
    let owner = copy_event(component, 0).owner;
    left.renamed(|event| match event {
        Scheduled { owner: of, number } if of == owner && number > position => copy_event(component, number - 1),
        other => other,
    })
}

/// A packet leaves a channel of so many.
fn arrived(write: u32, count: usize, position: u32) -> Happened {
    let positions = (0..count as u32).filter(|other| *other != position).collect();
    Happened { write, events: smallvec![Event::Arrived { position }], remaining: Some(Remaining { write, positions }) }
}
