//! The steps by which links are cut and heal.

use super::links::Traffic;
use super::way;
use crate::id::{NodeId, UnitId};
use crate::operation::{OperationKey, Side};
use crate::world::components::{Component, ComponentId, HeldConnection};
use crate::world::enabled::Enabled;
use crate::world::events::{Happened, Remaining, Told};
use crate::world::step::{Move, Transition, Writes};
use crate::world::tables::{Lookup, Missing, View};
use netcheck_models::event::Event;
use netcheck_models::host::reach::{CutName, Reach, Way};
use netcheck_models::tcp::Connection;
use smallvec::{SmallVec, smallvec};

/// One choice of what a cut has lost and holds up.
#[derive(Clone)]
struct Left {
    writes: Writes,
    told: Told,
    /// The links on which something is lost or held up.
    held_up: SmallVec<[Way; 4]>,
}

/// The value that a component may have after a cut, and what happens to the datagrams that are lost.
struct Value {
    value: u32,
    told: Option<(SmallVec<[Event; 2]>, u32)>,
    holds_up: bool,
}

impl View<'_> {
    /// Adds the cuts that stop something that a live unit asks for or holds, and the heals that let it through.
    pub(in crate::world) fn cuts_and_heals(
        self,
        state: &[u32],
        (unit, node): (UnitId, NodeId),
        enabled: &mut Enabled,
    ) -> Lookup<()> {
        if !self.declares_partitions() {
            return Ok(());
        }
        let offers = self.prepared_offers(node)?;
        let key = match offers.first() {
            Some(first) => first.key,
            // It waits for nothing of the network, and nothing of the network stops it.
            None if self.is_cut_early() => OperationKey::CRASH,
            None => return Ok(()),
        };
        let traffic = self.traffic(state, unit, offers)?;
        let declared = &self.declared.partitions;
        let reach = self.reach(state);
        for ((of, number), healed) in reach.heals(declared) {
            let cut = &declared[of as usize].cuts[number as usize];
            if self.is_cut_early() || traffic.waiting.iter().any(|&way| cut.stops(way)) {
                let writes = self.healed(state, reach, &healed)?;
                let (step, events) = (Move::Heal { unit, node, key, cut: (of, number) }, self.event(Event::Healed)?);
                enabled.moves.push(Transition { step, writes, faults: 0, events, watched: None });
            }
        }
        if !self.budget(state).allows(1) || !self.is_in_scope(state, self.process_of(unit)) {
            return Ok(());
        }
        for (cut, after) in reach.cuts(declared) {
            for Left { writes, told, .. } in self.stopped_here(state, (cut, &after), &traffic)? {
                let (step, events) = (Move::Cut { unit, node, key, cut }, self.tells(told)?);
                enabled.moves.push(Transition { step, writes, faults: Event::Cut.faults(), events, watched: None });
            }
        }
        Ok(())
    }

    /// The ways to make a cut that stop some of this traffic.
    fn stopped_here(self, state: &[u32], (_, after): (CutName, &Reach), traffic: &Traffic) -> Lookup<Vec<Left>> {
        let stopped: SmallVec<[Way; 8]> = self.reach(state).stopped(after, &self.declared.partitions).collect();
        let is_stopped = |way: &Way| stopped.contains(way);
        let stops_a_send = traffic.sent.iter().any(is_stopped);
        let is_early = self.is_cut_early();
        if !is_early && !stops_a_send && !traffic.taken.iter().any(is_stopped) {
            return Ok(Vec::new());
        }
        let mut all = self.after_cut(state, after, &stopped)?;
        all.retain(|left| is_early || stops_a_send || left.held_up.iter().any(|way| traffic.taken.contains(way)));
        Ok(all)
    }

    /// All choices of what is lost and held up on links that are cut.
    fn after_cut(self, state: &[u32], after: &Reach, stopped: &[Way]) -> Lookup<Vec<Left>> {
        let reach = (self.component(Component::Reach)?, self.reach_value(after)?);
        let told = smallvec![Happened { write: 0, events: smallvec![Event::Cut], remaining: None }];
        let mut all = vec![Left { writes: smallvec![reach], told, held_up: SmallVec::new() }];
        for (id, component) in self.components.iter().take(state.len()).filter(|(id, _)| id.of(state) != 0) {
            let (values, ways): (Vec<Value>, SmallVec<[Way; 2]>) = match component {
                Component::Channel { from, to } => {
                    let way = way(self.process_of(from.unit), self.process_of(to.unit));
                    if !stopped.contains(&way) {
                        continue;
                    }
                    (self.cut_channel(id.of(state))?, smallvec![way])
                }
                Component::Connection(connection) => {
                    let [client, server] = self.connections.processes(connection);
                    let sides = [(Side::Client, way(client, server)), (Side::Server, way(server, client))];
                    let cut = sides.into_iter().filter(|(_, way)| stopped.contains(way));
                    let (sides, ways): (SmallVec<[Side; 2]>, SmallVec<[Way; 2]>) = cut.unzip();
                    if sides.is_empty() {
                        continue;
                    }
                    (self.cut_connection(id.of(state), &sides)?, ways)
                }
                _ => continue,
            };
            all = all.iter().flat_map(|left| values.iter().map(|value| left.and(id, value, &ways))).collect();
        }
        Ok(all)
    }

    /// Any last datagrams of a channel are lost.
    fn cut_channel(self, link: u32) -> Lookup<Vec<Value>> {
        let count = self.links.get(link).packets().count();
        let left = |left: usize| -> Lookup<Value> {
            let lost = (left..count).map(|position| Event::Lost { position: position as u32, faults: 0 }).collect();
            let value = self.link(self.links.get(link).first(left))?;
            Ok(Value { value, told: Some((lost, left as u32)), holds_up: left < count })
        };
        (0..=count).rev().map(left).collect()
    }

    /// Any last segments of a connection wait, in each direction that is cut. Where both are, each choice of one goes with each
    /// of the other.
    fn cut_connection(self, held: u32, sides: &[Side]) -> Lookup<Vec<Value>> {
        let held = self.held.get(held);
        let mut all: Vec<(Connection, bool)> = vec![(held.connection.clone(), false)];
        for &side in sides {
            let cut = |(connection, holds_up): &(Connection, bool)| {
                let cuts = connection.cut(side, self.declared.tcp.streams.split);
                let holds_up = *holds_up;
                cuts.into_iter().enumerate().map(move |(index, cut)| (cut, holds_up || index > 0)).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(cut).collect();
        }
        let value = |(connection, holds_up): (Connection, bool)| -> Lookup<Value> {
            let held = HeldConnection { connection, ..*held };
            Ok(Value { value: self.held_connection(held)?, told: None, holds_up })
        };
        all.into_iter().map(value).collect()
    }

    /// The writes by which links are open again.
    fn healed(self, state: &[u32], before: &Reach, after: &Reach) -> Lookup<Writes> {
        let opened: SmallVec<[Way; 8]> = after.stopped(before, &self.declared.partitions).collect();
        let mut writes: Writes = smallvec![(self.component(Component::Reach)?, self.reach_value(after)?)];
        for &id in self.components.streams().iter().filter(|id| id.of(state) != 0) {
            let Component::Connection(connection) = self.components.component(id) else { continue };
            let [client, server] = self.connections.processes(connection);
            let held = self.held.get(id.of(state));
            let mut healed = held.connection.clone();
            for (side, way) in [(Side::Client, way(client, server)), (Side::Server, way(server, client))] {
                if opened.contains(&way) {
                    healed = healed.heal(side);
                }
            }
            if healed != held.connection {
                let is_gone = healed.is_gone();
                let held = HeldConnection { connection: healed, ..*held };
                writes.push((id, if is_gone { 0 } else { self.held_connection(held)? }));
            }
        }
        Ok(writes)
    }

    fn reach_value(self, reach: &Reach) -> Lookup<u32> {
        self.reaches.find(reach).ok_or_else(|| Missing::Reach(reach.clone()).into())
    }
}

impl Left {
    fn and(&self, id: ComponentId, value: &Value, ways: &[Way]) -> Left {
        let mut left = self.clone();
        if let Some((lost, remain)) = &value.told {
            let write = left.writes.len() as u32;
            let remaining = Some(Remaining { write, positions: (0..*remain).collect() });
            left.told.push(Happened { write, events: lost.clone(), remaining });
        }
        left.writes.push((id, value.value));
        if value.holds_up {
            left.held_up.extend(ways.iter().copied());
        }
        left
    }
}
