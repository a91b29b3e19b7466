//! Datagrams under way to where nobody is bound, with `delay`.
//!
//! Which socket a datagram goes to is decided when it arrives. What comes to a socket that is bound is taken late, so
//! that its arrival is no step of its own. What comes to where nobody is bound is dropped, and that is chosen late,
//! too: when a socket is bound there, any number of arrivals may have gone before, and the rest is under way to the
//! socket. When a socket is closed, the same holds from then on of what was under way to it, some of which may have
//! arrived at it.
//!
//! Left out: what is under way to a socket when it is connected to another peer is not refused; and of two
//! sets of packets from one socket, to a closed socket and past it because it was connected elsewhere, only the later
//! one goes on.
//!
//! Without `delay` the network is fast: a datagram is there when it has been sent, or dropped.

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

/// What is left of a link after arrivals that nobody has seen.
#[derive(Clone)]
struct Unheard {
    link: u32,
    faults: u32,
    events: SmallVec<[Event; 2]>,
    /// Of what is left: the positions before.
    positions: SmallVec<[u32; 4]>,
}

impl Unheard {
    /// After one more.
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
    /// Where a datagram to an address of a process at which nobody is bound stays under way; `None`: it is dropped.
    pub(super) fn astray(self, state: &[u32], from: SocketId, to: (ProcessId, SocketAddr)) -> Lookup<Option<Channel>> {
        // A root that waits for ever may have tasks that still bind.
        if !self.has_delay() || !self.live_units(state).any(|(unit, _)| self.process_of(unit) == to.0) {
            return Ok(None);
        }
        let component = self.component(Component::Astray { from, to })?;
        let rules = self.rules_between(self.process_of(from.unit), to.0)?;
        Ok(Some(Channel { component, rules }))
    }

    /// What a bind does for each way in which some of the datagrams that were under way to where it is bound have
    /// arrived before, and are gone.
    pub(super) fn with_astray(
        self,
        state: &[u32],
        socket: SocketId,
        bound: Option<SocketAddr>,
        writes: Writes,
    ) -> Lookup<Vec<Change>> {
        let Some(bound) = bound.filter(|_| self.has_delay()) else { return Ok(vec![Change::quiet(writes)]) };
        let mut ways = vec![(Change::quiet(writes), Told::new())];
        let process = self.process_of(socket.unit);
        // In an order that is the same in every run.
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

    /// What may be left of a link after any number of arrivals, the fewest first, each with the fewest faults that lead
    /// to it.
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

    /// A socket that was bound to a port is closed: what was under way to it goes on to where it was bound.
    pub(super) fn lead_astray(
        self,
        socket: SocketId,
        (port, ip): (ComponentId, IpAddr),
        next: &mut Vec<u32>,
    ) -> Lookup<()> {
        let Component::Port(process, number) = self.components.component(port) else { return Ok(()) };
        if !self.has_delay() {
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

    /// The address to which a socket sends what a socket of a process that is bound to `ip` takes.
    fn addressed(self, from: SocketId, to: ProcessId, ip: IpAddr) -> IpAddr {
        self.processes[to.0 as usize].host.addresses.reached_at(ip, self.process_of(from.unit) == to)
    }

    /// A process ends: what is under way to it is dropped.
    pub(in crate::world) fn drop_astray(self, process: ProcessId, next: &mut Vec<u32>) {
        for &component in self.components.astray() {
            if matches!(self.components.component(component), Component::Astray { to: (to, _), .. } if to == process) {
                component.set(next, 0);
            }
        }
    }
}
