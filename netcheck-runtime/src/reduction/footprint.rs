//! What a unit's steps do to components, and what they mind others doing.
//!
//! A step `t` of one unit has to be explored together with another unit's step `u` if `u`
//! *does* something that `t` *minds*: if `u` first could make `t` impossible, possible in
//! more ways, or lead elsewhere. The relation is not symmetric: a send minds nobody
//! receiving, because a datagram that is there earlier can still be received later (late
//! choice), but a receive minds somebody sending.

use super::bits::Bits;
use super::proviso::Cycles;
use super::touches::{Resource, Touches};
use crate::id::{NodeId, ProcessId, UnitId};
use crate::operation::OperationKey;
use crate::state::system::System;
use crate::unit::automaton::{EdgeId, NodeKind};
use ahash::AHashMap;
use smallvec::SmallVec;

/// What is known of one node.
#[derive(Clone, Default)]
pub(crate) struct Footprint {
    /// What the steps that leave the node do and mind.
    pub(crate) does: Bits,
    pub(crate) minds: Bits,
    /// What they and all that can follow them do and mind.
    pub(crate) future_does: Bits,
    pub(crate) future_minds: Bits,
    /// What an offer of the node minds besides, in states in which it is contended.
    pub(crate) when_contended: Vec<(OperationKey, Bits)>,
    /// Whether a choice has relied on it.
    consulted: bool,
}

/// The footprints of all nodes, kept up with the automata.
#[derive(Default)]
pub(crate) struct Footprints {
    resources: AHashMap<Resource, u32>,
    nodes: Vec<Footprint>,
    edges: usize,
    /// The node whose step spawned a root.
    spawner: AHashMap<NodeId, NodeId>,
    /// Resources of ending, joining and aborting.
    lifecycle: Bits,
    grew: bool,
    /// Whether a unit may come back to a local state that it has left.
    has_cycles: bool,
    /// What goes round for ever.
    pub(super) cycles: Cycles,
}

impl Footprints {
    /// Whether a footprint has grown that a choice had relied on; asking forgets it.
    pub(crate) fn grew(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    /// Whether a footprint has grown that a choice had relied on since it was last asked.
    pub(crate) fn has_grown(&self) -> bool {
        self.grew
    }

    pub(crate) fn lifecycle(&self) -> &Bits {
        &self.lifecycle
    }

    /// A node's footprint, which the caller relies on.
    pub(crate) fn consult(&mut self, node: NodeId) -> &Footprint {
        let footprint = &mut self.nodes[node.index()];
        footprint.consulted = true;
        footprint
    }

    pub(crate) fn get(&self, node: NodeId) -> &Footprint {
        &self.nodes[node.index()]
    }

    /// The resource number of a unit's timers.
    pub(crate) fn timed(&mut self, unit: UnitId) -> u32 {
        self.bit(Resource::Timed(unit))
    }

    /// Whether a unit may use timers from a node on.
    pub(crate) fn has_timers(&mut self, unit: UnitId, node: NodeId) -> bool {
        let timed = self.timed(unit);
        self.get(node).future_does.contains(timed)
    }

    /// Whether `parent` waits for, or can end, `child`.
    pub(crate) fn is_lifecycle_parent(&mut self, parent: NodeId, child: UnitId, process: ProcessId) -> bool {
        let bits = [Resource::Ended(child), Resource::Killed(child), Resource::KilledWith(process)];
        let [ended, killed, with] = bits.map(|resource| self.bit(resource));
        let footprint = self.get(parent);
        footprint.future_minds.contains(ended)
            || footprint.future_does.contains(killed)
            || footprint.future_does.contains(with)
    }

    /// The datagrams that are kept for a unit in a state, if somebody could send ever more of them.
    /// It may not be known yet that the unit receives them.
    pub(crate) fn inlets(&mut self, system: &System, state: &[u32], unit: UnitId) -> Bits {
        let mut inlets = Bits::default();
        if self.has_cycles {
            for place in system.ports_of(state, unit) {
                inlets.insert(self.bit(Resource::Appended(place)));
            }
        }
        inlets
    }

    fn bit(&mut self, resource: Resource) -> u32 {
        let next = self.resources.len() as u32;
        let bit = *self.resources.entry(resource).or_insert(next);
        if bit == next
            && matches!(
                resource,
                Resource::Ended(_)
                    | Resource::Killed(_)
                    | Resource::KilledWith(_)
                    | Resource::Alive(_)
                    | Resource::AliveIn(_)
            )
        {
            self.lifecycle.insert(bit);
        }
        bit
    }

    /// Takes in what was learned since the last time.
    pub(crate) fn update(&mut self, system: &mut System) {
        if system.learner.has_cycles() && !self.has_cycles {
            self.has_cycles = true;
            self.grew = true;
        }
        for index in self.nodes.len()..system.learner.automata.nodes.len() {
            let footprint = self.node(system, NodeId(index as u32));
            self.nodes.push(footprint);
        }
        while self.edges < system.learner.automata.edges.len() {
            self.edge(system, EdgeId(self.edges as u32));
            self.edges += 1;
        }
    }

    /// The footprint of a node's menu.
    fn node(&mut self, system: &mut System, node: NodeId) -> Footprint {
        let mut touches = Touches::default();
        if system.learner.automata.node(node).kind != NodeKind::Live {
            return Footprint::default();
        }
        let unit = system.learner.automata.node(node).unit;
        let info = system.shared().unit(unit);
        if !system.learner.automata.node(node).waited {
            touches.does(Resource::Waited(unit));
        }
        if info.parent.is_some() {
            touches.does(Resource::Alive(unit)).does(Resource::AliveIn(info.process));
            touches.minds(Resource::Killed(unit)).minds(Resource::KilledWith(info.process));
        }
        let mut footprint = Footprint::default();
        for offer in &*system.menu(node) {
            touches.action(system, unit, &offer.action);
            let contended = std::mem::take(&mut touches.when_contended);
            if !contended.is_empty() {
                let bits = self.bits(&contended);
                footprint.future_minds.union_with(&bits);
                footprint.when_contended.push((offer.key, bits));
            }
        }
        self.add(&mut footprint, &touches);
        footprint
    }

    fn bits(&mut self, resources: &[Resource]) -> Bits {
        let mut bits = Bits::default();
        for &resource in resources {
            bits.insert(self.bit(resource));
        }
        bits
    }

    fn add(&mut self, footprint: &mut Footprint, touches: &Touches) -> bool {
        let (does, minds) = (self.bits(&touches.does), self.bits(&touches.minds));
        // Not short-circuited: all four have to grow.
        footprint.does.union_with(&does)
            | footprint.minds.union_with(&minds)
            | footprint.future_does.union_with(&does)
            | footprint.future_minds.union_with(&minds)
    }

    /// Adds an edge's effects to its source, and what can follow it to all that lead there.
    fn edge(&mut self, system: &mut System, edge_id: EdgeId) {
        let edge = system.learner.automata.edge(edge_id);
        let (source, target, roots) = (edge.source, edge.target, edge.roots.clone());
        let unit = system.learner.automata.node(source).unit;
        let mut touches = Touches::default();
        touches.effects(system, unit, edge_id);
        if matches!(system.learner.automata.node(target).kind, NodeKind::Ended { .. }) {
            touches.end(system, unit, edge_id);
        }
        let mut footprint = std::mem::take(&mut self.nodes[source.index()]);
        let mut grew = self.add(&mut footprint, &touches);
        for next in std::iter::once(target).chain(roots.iter().map(|&(_, root)| root)) {
            let following = if next == source { continue } else { &self.nodes[next.index()] };
            grew |= footprint.future_does.union_with(&following.future_does)
                | footprint.future_minds.union_with(&following.future_minds);
        }
        self.grew |= grew && footprint.consulted;
        self.nodes[source.index()] = footprint;
        for (_, root) in roots {
            self.spawner.insert(root, source);
        }
        if grew {
            self.propagate(system, source);
        }
    }

    /// What can happen after a node can happen after all that lead to it.
    fn propagate(&mut self, system: &System, node: NodeId) {
        let mut grown = vec![node];
        while let Some(node) = grown.pop() {
            let sources = system.learner.automata.node(node).before.iter().copied();
            let before: SmallVec<[NodeId; 2]> = sources.chain(self.spawner.get(&node).copied()).collect();
            for before in before {
                // An edge that has not been taken in yet brings it along.
                if before == node || before.index() >= self.nodes.len() {
                    continue;
                }
                let following = self.nodes[node.index()].clone();
                let footprint = &mut self.nodes[before.index()];
                let grew = footprint.future_does.union_with(&following.future_does)
                    | footprint.future_minds.union_with(&following.future_minds);
                if grew {
                    self.grew |= footprint.consulted;
                    grown.push(before);
                }
            }
        }
    }
}
