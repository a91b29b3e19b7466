//! Power failures: a host falls silent, and comes back without knowing of its connections.
//!
//! A crash by a power failure is that of a kill ([`crash`](super::crash)), but nobody is told of it: streams do not end, and
//! connects are not answered, until the host is back. Of what is under way from it, any last datagrams of each channel and any last
//! bytes of each stream are lost (in dense time nothing: what takes a time has left its host). That is chosen with the
//! crash, as writes of its step, so that the crash is one input of the process, and a step for each choice. When the process starts
//! again, old connections are answered with a reset (`netcheck_models::tcp::power`).
//!
//! What a receiver may get depends on the crash of any process whose datagrams may be under way to it
//! ([`Resource::Silenced`](crate::world::touches::Resource::Silenced)).

use crate::id::{NodeId, ProcessId};
use crate::operation::Side;
use crate::unit::automaton::NodeKind;
use crate::world::components::{Component, ComponentId, HeldConnection};
use crate::world::step::Writes;
use crate::world::tables::{Lookup, View};

impl View<'_> {
    /// Whether the host of a process has lost its power and is not back.
    pub(in crate::world) fn is_silent(self, state: &[u32], process: ProcessId) -> bool {
        if !self.declared.loses_power(process) {
            return false;
        }
        let root = self.root_of(state, process);
        let node = self.automata.node(NodeId(self.unit_component(root).of(state)));
        match node.kind {
            NodeKind::Gone => true,
            NodeKind::Live => self.units[root.0 as usize].crashes > 0 && node.from.is_none(),
            NodeKind::Ended { .. } | NodeKind::Panicked(_) | NodeKind::Parked { .. } => false,
        }
    }

    /// The writes by which the host of a process falls silent, for each choice of what is lost that was under way.
    pub(super) fn falls_silent(self, state: &[u32], process: ProcessId) -> Lookup<Vec<Writes>> {
        let mut all = vec![Writes::new()];
        for (id, component) in self.components.iter().take(state.len()).filter(|(id, _)| id.of(state) != 0) {
            let values = match component {
                Component::Channel { from, to } if self.process_of(from.unit) == process => {
                    if self.process_of(to.unit) == process || self.has_delay() {
                        continue;
                    }
                    let link = self.links.get(id.of(state));
                    let lefts = (0..=link.packets().count()).rev();
                    lefts.map(|left| self.link(link.first(left))).collect::<Lookup<Vec<u32>>>()?
                }
                Component::Connection(connection) => {
                    let [client, server] = self.connections.processes(connection);
                    let side = match (client == process, server == process) {
                        (false, false) => continue,
                        (true, true) => None,
                        (true, false) => Some(Side::Client),
                        (false, true) => Some(Side::Server),
                    };
                    self.silenced(state, id, side)?
                }
                // Nobody gets the connections in a backlog, nor a reset.
                Component::StreamPort(of, _) if of == process => vec![0],
                _ => continue,
            };
            all = all.iter().flat_map(|writes| values.iter().map(move |&value| with(writes, id, value))).collect();
        }
        Ok(all)
    }

    /// The values of a connection when the host of one end has fallen silent; `None`: of both.
    fn silenced(self, state: &[u32], id: ComponentId, side: Option<Side>) -> Lookup<Vec<u32>> {
        let Some(side) = side else { return Ok(vec![0]) };
        let held = self.held.get(id.of(state));
        let left = held.connection.lose_power(side, self.declared.tcp.streams.split).into_iter();
        let value = |connection: netcheck_models::tcp::Connection| {
            if connection.is_gone() {
                return Ok(0);
            }
            let HeldConnection { mut holders, mut resets, .. } = *held;
            (holders[side as usize], resets[side as usize]) = (None, false);
            self.held_connection(HeldConnection { connection, holders, resets })
        };
        left.map(value).collect()
    }

    /// The writes by which the host of a process is back.
    pub(super) fn comes_back(self, state: &[u32], process: ProcessId) -> Lookup<Writes> {
        let mut writes = Writes::new();
        if !self.is_silent(state, process) {
            return Ok(writes);
        }
        for &id in self.components.streams().iter().filter(|id| id.of(state) != 0) {
            let Component::Connection(connection) = self.components.component(id) else { continue };
            let ends = self.connections.processes(connection);
            for side in [Side::Client, Side::Server].into_iter().filter(|side| ends[*side as usize] == process) {
                let held = self.held.get(id.of(state));
                let back = HeldConnection { connection: held.connection.regain_power(side), ..held.clone() };
                writes.push((id, self.held_connection(back)?));
            }
        }
        Ok(writes)
    }
}

fn with(writes: &Writes, id: ComponentId, value: u32) -> Writes {
    let mut writes = writes.clone();
    writes.push((id, value));
    writes
}
