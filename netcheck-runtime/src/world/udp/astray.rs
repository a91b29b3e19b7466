//! Datagrams in flight to an address at which no socket is bound, with `delay` and a bounded order.
//!
//! The receiving socket of a datagram is determined when the datagram arrives. An arrival at a bound socket is no step
//! of its own: the datagram is taken later. A datagram that arrives where no socket is bound is dropped, and this is
//! also decided later: when a socket is bound there, any number of the datagrams may have arrived before, and the rest
//! is in flight to the socket. When a socket is closed, the same holds from then on for the datagrams in flight to it,
//! some of which may have arrived at it.
//!
//! Left out: a datagram in flight to a socket is not refused when the socket is then connected to another peer. Of two
//! sets of packets from one socket, to a closed socket and past it because it was connected elsewhere, only the later
//! one stays in flight.
//!
//! Without `delay` a datagram arrives, or is dropped, as soon as it has been sent.

use crate::id::{ProcessId, SocketId};
use crate::world::components::{Component, ComponentId};
use crate::world::events::{Happened, Remaining, Told};
use crate::world::step::{Change, Writes};
use crate::world::tables::{Arrival, Channel, Lookup, View};
use netcheck_models::event::Event;
use netcheck_models::host::takes;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

/// The remainder of a link after arrivals at which no socket was bound.
#[derive(Clone)]
struct Unheard {
    link: u32,
    faults: u32,
    events: SmallVec<[Event; 2]>,
    /// For each packet of the remainder: its position before.
    positions: SmallVec<[u32; 4]>,
}

impl Unheard {
    /// The remainder after one more arrival.
    fn and(&self, arrival: &Arrival, told: &Told) -> Unheard {
        let before = |position: u32| self.positions[position as usize];
        let unheard = |event: Event| match event.moved(before) {
            Event::Arrived { position } => Event::Unheard { position },
            other => other,
        };
        let events = told.iter().flat_map(|happened| &happened.events).map(|event| unheard(*event));
        let remaining = told.iter().filter_map(|happened| happened.remaining.as_ref());
        Unheard {
            link: arrival.link,
            faults: self.faults + arrival.faults,
            events: self.events.iter().copied().chain(events).collect(),
            positions: remaining.flat_map(|left| &left.positions).map(|&position| before(position)).collect(),
        }
    }
}

impl View<'_> {
    /// The channel for a datagram to an address of a process at which no socket is bound; `None` if the datagram is
    /// dropped.
    pub(super) fn astray(self, state: &[u32], from: SocketId, to: (ProcessId, SocketAddr)) -> Lookup<Option<Channel>> {
        // A root that waits forever may have tasks that still bind.
        if !(self.has_arrivals() || self.has_late_datagrams())
            || !self.live_units(state).any(|(unit, _)| self.process_of(unit) == to.0)
        {
            return Ok(None);
        }
        let component = self.component(Component::Astray { from, to })?;
        let rules = self.rules_between(self.process_of(from.unit), to.0)?;
        Ok(Some(Channel { component, rules }))
    }

    /// The changes that a bind makes: one for each set of datagrams in flight to the bound address that may have
    /// arrived before, and are gone.
    pub(super) fn with_astray(
        self,
        state: &[u32],
        socket: SocketId,
        bound: Option<SocketAddr>,
        writes: Writes,
    ) -> Lookup<Vec<Change>> {
        let Some(bound) = bound.filter(|_| self.has_late_datagrams()) else {
            return Ok(vec![Change::quiet(writes)]);
        };
        let mut ways = vec![(Change::quiet(writes), Told::new())];
        let process = self.process_of(socket.unit);
        // Sorted, so that the order is the same in every run.
        let mut astray: Vec<ComponentId> = self.components.astray().to_vec();
        astray.sort_by_key(|&component| match self.components.component(component) {
            Component::Astray { from, to } => Some((self.units[from.unit.0 as usize].number, from.index, to)),
            _ => None,
        });
        for component in astray {
            let Component::Astray { from, to: (host, to) } = self.components.component(component) else { continue };
            let link = component.of(state);
            if link == 0 || host != process || to.port() != bound.port() || !takes(bound.ip(), to.ip()) {
                continue;
            }
            let channel = self.channel(from, socket)?;
            let left = self.after_arrivals(channel, link)?;
            ways = ways
                .iter()
                .flat_map(|(change, told)| {
                    left.iter().map(move |Unheard { link, faults, events, positions }| {
                        let (mut change, mut told) = (change.clone(), told.clone());
                        let write = change.writes.len() as u32;
                        let remaining = Some(Remaining { write: write + 1, positions: positions.clone() });
                        told.push(Happened { write, events: events.clone(), remaining });
                        change.writes.extend([(component, 0), (channel.component, *link)]);
                        change.faults += faults;
                        (change, told)
                    })
                })
                .collect();
        }
        let budget = self.budget(state);
        ways.retain(|(change, _)| budget.allows(change.faults));
        ways.into_iter().map(|(change, told)| Ok(Change { events: self.tells(told)?, ..change })).collect()
    }

    /// The possible remainders of a link after any number of arrivals, the fewest arrivals first, each with the fewest
    /// faults that lead to it.
    fn after_arrivals(self, channel: Channel, link: u32) -> Lookup<Vec<Unheard>> {
        let positions = (0..self.links.get(link).packets().count() as u32).collect();
        let all = Unheard { link, faults: 0, events: SmallVec::new(), positions };
        let mut reached = vec![all.clone()];
        let mut open = VecDeque::from([all]);
        while let Some(so_far) = open.pop_front() {
            if so_far.link == 0 {
                continue;
            }
            for arrival in &self.arrivals(channel, so_far.link)?.deliveries {
                let left = so_far.and(arrival, self.events.get(arrival.events));
                match reached.iter_mut().find(|other| other.link == left.link) {
                    Some(other) if other.faults <= left.faults => continue,
                    Some(other) => other.clone_from(&left),
                    None => reached.push(left.clone()),
                }
                open.push_back(left);
            }
        }
        Ok(reached)
    }

    /// A socket is closed: the datagrams in flight to it stay in flight to the address that it was bound to.
    pub(super) fn lead_astray(
        self,
        socket: SocketId,
        (port, ip): (ComponentId, IpAddr),
        next: &mut Vec<u32>,
    ) -> Lookup<()> {
        let Component::Port(process, number) = self.components.component(port) else { return Ok(()) };
        if !self.has_late_datagrams() {
            return Ok(());
        }
        for channel in self.inlets_of(socket) {
            let Component::Channel { from, .. } = self.components.component(channel.component) else { continue };
            let to = (process, SocketAddr::new(self.addressed(from, process, ip), number));
            let link = channel.component.of(next);
            if link != 0
                && let Some(astray) = self.astray(next, from, to)?
                && astray.component.of(next) == 0
            {
                astray.component.set(next, link);
            }
        }
        Ok(())
    }

    /// The address that a socket uses to reach a socket of the process `to` that is bound to `ip`.
    fn addressed(self, from: SocketId, to: ProcessId, ip: IpAddr) -> IpAddr {
        self.processes[to.0 as usize].host.addresses.reached_at(ip, self.process_of(from.unit) == to)
    }

    /// A process ends: the datagrams in flight to it are dropped.
    pub(in crate::world) fn drop_astray(self, process: ProcessId, next: &mut Vec<u32>) {
        for &component in self.components.astray() {
            if matches!(self.components.component(component), Component::Astray { to: (to, _), .. } if to == process) {
                component.set(next, 0);
            }
        }
    }
}
