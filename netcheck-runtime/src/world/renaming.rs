//! Permutations of processes and of isolated tasks, applied to everything that names one.
//!
//! Names inside of values of programs (bytes that they send, texts) are not renamed; the comparison of local states
//! shows whether that is right.

use super::components::{Binding, Bindings, Component, HeldConnection, StreamBinding, StreamBindings};
use super::host::ephemeral::{self, Owner, PORTS_OF_UNIT};
use crate::id::{ProcessId, SocketId, UnitId};
use crate::operation::{Outcome, Stream};
use crate::unit::shared::Shared;
use netcheck_models::host::unix;
use std::cell::Cell;
use std::net::{IpAddr, SocketAddr};

/// A permutation of processes and isolated tasks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Map {
    /// By process: its image.
    processes: Box<[ProcessId]>,
    /// Some isolated tasks, with their images. The image of any other task is the child with the same number of its
    /// parent's image.
    tasks: Box<[(UnitId, UnitId)]>,
}

impl Map {
    pub(crate) fn identity(processes: usize, tasks: &[UnitId]) -> Map {
        let processes = (0..processes as u32).map(ProcessId).collect();
        Map { processes, tasks: tasks.iter().map(|&task| (task, task)).collect() }
    }

    pub(crate) fn process(&self, process: ProcessId) -> ProcessId {
        self.processes[process.0 as usize]
    }

    /// The image of a process or of one of the tasks; `None` for other units.
    fn unit(&self, unit: UnitId) -> Option<UnitId> {
        match self.processes.get(unit.0 as usize) {
            Some(process) => Some(UnitId(process.0)),
            None => self.tasks.iter().find(|(task, _)| *task == unit).map(|(_, becomes)| *becomes),
        }
    }

    /// The composition: this permutation, then `then`.
    pub(crate) fn then(&self, then: &Map) -> Map {
        let task = |&(task, becomes): &(UnitId, UnitId)| (task, then.unit(becomes).unwrap_or(becomes));
        Map {
            processes: self.processes.iter().map(|&process| then.process(process)).collect(),
            tasks: self.tasks.iter().map(task).collect(),
        }
    }

    /// This permutation with two processes, or two of the tasks, exchanged in addition.
    pub(crate) fn and_swap(&self, [a, b]: [UnitId; 2]) -> Map {
        let swapped = |unit: UnitId| match unit {
            unit if unit == a => b,
            unit if unit == b => a,
            unit => unit,
        };
        Map {
            processes: self.processes.iter().map(|process| ProcessId(swapped(UnitId(process.0)).0)).collect(),
            tasks: self.tasks.iter().map(|&(task, becomes)| (task, swapped(becomes))).collect(),
        }
    }

    pub(crate) fn inverse(&self) -> Map {
        let mut inverse = self.clone();
        for (process, becomes) in (0u32..).map(ProcessId).zip(&self.processes) {
            inverse.processes[becomes.0 as usize] = process;
        }
        for (task, becomes) in inverse.tasks.iter_mut() {
            *becomes = self.tasks.iter().find(|(_, becomes)| becomes == task).map_or(*task, |(from, _)| *from);
        }
        inverse
    }
}

/// A permutation that is applied to values of the state.
pub(crate) struct Renaming<'a> {
    shared: &'a Shared,
    map: &'a Map,
    /// The reason why an image is uncertain.
    doubt: Cell<Option<&'static str>>,
}

impl<'a> Renaming<'a> {
    pub(crate) fn new(shared: &'a Shared, map: &'a Map) -> Self {
        Renaming { shared, map, doubt: Cell::new(None) }
    }

    /// The renamed value, unless an image was uncertain.
    pub(crate) fn sure<T>(&self, renamed: T) -> Result<T, &'static str> {
        self.doubt.take().map_or(Ok(renamed), Err)
    }

    pub(crate) fn process(&self, process: ProcessId) -> ProcessId {
        self.map.process(process)
    }

    pub(crate) fn unit(&self, unit: UnitId) -> UnitId {
        if let Some(becomes) = self.map.unit(unit) {
            return becomes;
        }
        let info = self.shared.unit(unit);
        match (info.parent, info.ordinal) {
            (Some(parent), Some((name, index))) => self.shared.child(self.unit(parent), name, index),
            _ => self.shared.incarnation(self.process(info.process), info.crashes),
        }
    }

    pub(crate) fn socket(&self, SocketId { unit, index }: SocketId) -> SocketId {
        if index >= PORTS_OF_UNIT {
            self.doubt.set(Some("a process has so many sockets that they may be given the ports of others"));
        }
        SocketId { unit: self.unit(unit), index }
    }

    pub(crate) fn ip(&self, ip: IpAddr) -> IpAddr {
        if let Some((unit, index)) = unix::number(ip) {
            let SocketId { unit, index } = self.socket(SocketId { unit: UnitId(unit), index });
            return unix::unnamed(Some((unit.0, index)));
        }
        let hosts = &self.shared.hosts;
        let Some(index) = hosts.iter().position(|host| host.addresses.has(ip)) else { return ip };
        let host = &hosts[self.process(ProcessId(index as u32)).0 as usize];
        if ip.is_ipv4() { host.addresses.v4.into() } else { host.addresses.v6.into() }
    }

    /// An ephemeral port that sockets of a unit prefer becomes the corresponding port of the unit's image.
    pub(crate) fn port(&self, port: u16) -> u16 {
        match ephemeral::owner(self.shared, port) {
            Owner::Nobody => port,
            Owner::Unit(unit) => ephemeral::moved(self.shared, port, [unit, self.unit(unit)]),
            Owner::Unknown => {
                self.doubt.set(Some("an ephemeral port is used that no socket was given, or that several prefer"));
                port
            }
        }
    }

    pub(crate) fn address(&self, address: SocketAddr) -> SocketAddr {
        let mut renamed = address;
        renamed.set_ip(self.ip(address.ip()));
        renamed.set_port(self.port(address.port()));
        renamed
    }

    pub(crate) fn stream(&self, Stream { local, peer, side }: Stream) -> Stream {
        Stream { local: self.address(local), peer: self.address(peer), side }
    }

    pub(crate) fn outcome(&self, outcome: &Outcome) -> Outcome {
        let mut renamed = outcome.clone();
        match &mut renamed {
            Outcome::Bound(local) | Outcome::Connected { local } => *local = self.address(*local),
            Outcome::Datagram { from, .. } => *from = self.address(*from),
            Outcome::Accepted { local, peer } => (*local, *peer) = (self.address(*local), self.address(*peer)),
            Outcome::Done
            | Outcome::Bytes(_)
            | Outcome::Written(_)
            | Outcome::Ready { .. }
            | Outcome::WouldBlock
            | Outcome::Woken
            | Outcome::Elapsed { .. }
            | Outcome::Time { .. }
            | Outcome::Compared(_)
            | Outcome::Distance { .. }
            | Outcome::Alternative(_)
            | Outcome::Ended { .. }
            | Outcome::Cancelled
            | Outcome::Files(_)
            | Outcome::Crashed { .. }
            | Outcome::Failed(_) => {}
        }
        renamed
    }

    /// The image of a component. A connection stays the same: the caller renames it.
    pub(crate) fn component(&self, component: Component) -> Component {
        match component {
            Component::Unit(unit) => Component::Unit(self.unit(unit)),
            Component::Handle(unit) => Component::Handle(self.unit(unit)),
            Component::Port(process, port) => Component::Port(self.process(process), self.port(port)),
            Component::Channel { from, to } => Component::Channel { from: self.socket(from), to: self.socket(to) },
            Component::Astray { from, to: (process, address) } => {
                Component::Astray { from: self.socket(from), to: (self.process(process), self.address(address)) }
            }
            Component::Buffer(socket) => Component::Buffer(self.socket(socket)),
            Component::Head(socket) => Component::Head(self.socket(socket)),
            Component::StreamPort(process, port) => Component::StreamPort(self.process(process), self.port(port)),
            Component::Mailboxes(process) => Component::Mailboxes(self.process(process)),
            Component::Storage(process) => Component::Storage(self.process(process)),
            Component::SocketFile(process, address) => {
                Component::SocketFile(self.process(process), self.address(address))
            }
            Component::Hung(socket) => Component::Hung(self.socket(socket)),
            Component::Waited(socket) => Component::Waited(self.socket(socket)),
            Component::Dialed(socket) => Component::Dialed(self.socket(socket)),
            Component::Timers(unit) => Component::Timers(self.unit(unit)),
            Component::Scope(unit) => Component::Scope(self.unit(unit)),
            Component::Connection(_)
            | Component::Clock
            | Component::Zone
            | Component::Reach
            | Component::Faults
            | Component::Turn
            | Component::Monitor(_)
            | Component::Observed => component,
        }
    }

    /// Both ends of a connection.
    pub(crate) fn ends(&self, ends: [(ProcessId, SocketAddr); 2]) -> [(ProcessId, SocketAddr); 2] {
        ends.map(|(process, address)| (self.process(process), self.address(address)))
    }

    /// The images of bindings, sorted as in a state.
    pub(crate) fn bindings(&self, bindings: &Bindings) -> Bindings {
        let renamed = bindings.iter().map(|binding| {
            let mut holders: smallvec::SmallVec<_> = binding.holders.iter().map(|&unit| self.unit(unit)).collect();
            holders.sort();
            let peer = binding.peer.map(|peer| self.address(peer));
            let groups = binding.groups.clone();
            Binding { ip: self.ip(binding.ip), socket: self.socket(binding.socket), peer, groups, holders }
        });
        let mut renamed: Bindings = renamed.collect();
        renamed.sort_by_key(|binding| (binding.socket, binding.ip));
        renamed
    }

    /// As [`Renaming::bindings`]; `connection` renames the connections in a backlog.
    pub(crate) fn stream_bindings(
        &self,
        bindings: &StreamBindings,
        mut connection: impl FnMut(u32) -> u32,
    ) -> StreamBindings {
        let renamed = bindings.iter().map(|binding| StreamBinding {
            ip: self.ip(binding.ip),
            socket: self.socket(binding.socket),
            holder: self.unit(binding.holder),
            shares: binding.shares,
            backlog: binding.backlog.as_ref().map(|backlog| backlog.renumbered(&mut connection)),
        });
        let mut renamed: StreamBindings = renamed.collect();
        renamed.sort_by_key(|binding| (binding.socket, binding.ip));
        renamed
    }

    pub(crate) fn held(&self, held: &HeldConnection) -> HeldConnection {
        HeldConnection { holders: held.holders.map(|unit| Some(self.unit(unit?))), ..held.clone() }
    }
}
