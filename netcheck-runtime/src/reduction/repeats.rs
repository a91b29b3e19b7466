//! Steps that an execution may take again.
//!
//! The proviso of a reduced search (`search/proviso.rs`) has to know which steps lie on no cycle of
//! global states. A cycle leads each unit back to its local state. So a step along an edge that lies on no cycle of its
//! unit's automaton lies on none of global states, if the unit is never begun anew. A process is begun once. An isolated
//! task is begun anew only if a step that spawns it can be taken again. All other steps are taken to be repeatable, as
//! soon as some automaton has a cycle; without one there is no cycle of global states, since each unit takes finitely many
//! steps, and the network and time take finitely many between two of them.
//!
//! Where local states are merged ([`bisimulation`](super::bisimulation)), a cycle leads each unit back to the class of its
//! local state, and the automata are those of classes.
//!
//! Automata are learned while they are explored. An edge that is not known when a round of the search begins may lie on a
//! cycle. Where a round has relied on an edge that lies on a cycle after all, another round follows.

use super::bisimulation::Bisimulation;
use super::bits::Bits;
use crate::graph::strong_components;
use crate::id::{NodeId, UnitId};
use crate::unit::automaton::{Automata, EdgeId};
use crate::world::step::{Move, Transition};
use crate::world::system::System;
use std::sync::Arc;

/// The steps that may be taken again, as far as they are known.
#[derive(Default)]
pub(crate) struct Repeats {
    known: Known,
    /// The edges that the round has relied on to lie on no cycle.
    relied_on: Bits,
    /// The nodes that it has relied on not to be left more than once, likewise.
    left_once: Bits,
    /// Whether the round has relied on it that there is no cycle at all.
    relied_on_order: bool,
    /// The local states that the round takes for others, if it does.
    alike: Option<Arc<Bisimulation>>,
}

/// The cycles of the automata, as far as they were known when the round began.
#[derive(Default)]
struct Known {
    has_cycles: bool,
    /// By edge, as far as edges were known: whether it may be taken again.
    edges: Vec<bool>,
    /// By node: whether its unit may come back to it.
    nodes: Vec<bool>,
}

impl Repeats {
    /// A round of the search begins.
    pub(super) fn begin(&mut self, system: &System, alike: Option<Arc<Bisimulation>>) {
        *self = Repeats { known: Known::of(system, alike.as_deref()), alike, ..Repeats::default() };
    }

    /// Whether a step may be taken again, as far as that is known.
    pub(crate) fn may_repeat(&self, system: &System, step: &Transition) -> bool {
        if !system.learner.has_cycles() {
            return false;
        }
        let is_known = self.known.has_cycles;
        match step.step {
            Move::Unit { edge, .. } => {
                !is_known || self.known.edges.get(edge.0 as usize).is_none_or(|&repeats| repeats)
            }
            Move::Hang { node, .. } | Move::Dial { node, .. } => {
                !is_known || self.known.nodes.get(node.index()).is_none_or(|&repeats| repeats)
            }
            // The cuts that were made are counted.
            Move::Cut { .. } | Move::Heal { .. } => false,
            Move::LoseInFlight
            | Move::Arrive { .. }
            | Move::Reach { .. }
            | Move::Delay { .. }
            | Move::Settle { .. }
            | Move::Pass { .. }
            | Move::Park(_)
            | Move::Part { .. }
            | Move::Forget => true,
        }
    }

    /// The search relies on it that a step is not taken again.
    pub(crate) fn rely_on(&mut self, system: &System, step: &Transition) {
        match step.step {
            Move::Unit { edge, .. } => self.relied_on.insert(edge.0),
            Move::Hang { node, .. } | Move::Dial { node, .. } => self.left_once.insert(node.0),
            Move::Cut { .. } | Move::Heal { .. } => {}
            _ => self.relied_on_order |= !system.learner.has_cycles(),
        }
    }

    /// Whether the round has relied on something that is no longer so.
    pub(super) fn is_refuted(&self, system: &System) -> bool {
        if !system.learner.has_cycles() {
            return false;
        }
        let now = Known::of(system, self.alike.as_deref());
        self.relied_on_order
            || self.relied_on.iter().any(|edge| now.edges[edge as usize])
            || self.left_once.iter().any(|node| now.nodes[node as usize])
    }
}

impl Known {
    fn of(system: &System, alike: Option<&Bisimulation>) -> Known {
        let automata = &system.learner.automata;
        if !system.learner.has_cycles() {
            return Known::default();
        }
        let class = |node: NodeId| alike.map_or(node, |alike| alike.node(node));
        let mut successors: Vec<Vec<u32>> = vec![Vec::new(); automata.nodes.len()];
        // Also steps that end at a call which is tried at once.
        for edge in &automata.edges {
            successors[class(edge.source).index()].push(class(edge.target).0);
        }
        let components = strong_components(successors.len(), |node| &successors[node]);
        let component = |node: NodeId| components[class(node).index()];
        let lies_on_cycle = |edge: EdgeId| {
            let edge = automata.edge(edge);
            component(edge.source) == component(edge.target)
        };
        let all = || (0..automata.edges.len() as u32).map(EdgeId);
        let begun_anew = begun_anew(automata, system.units.len(), &|edge| lies_on_cycle(edge));
        let unit = |edge: EdgeId| automata.node(automata.edge(edge).source).unit;
        let edges: Vec<bool> = all().map(|edge| lies_on_cycle(edge) || begun_anew.contains(unit(edge).0)).collect();
        let mut nodes = vec![false; automata.nodes.len()];
        for edge in all().filter(|&edge| edges[edge.0 as usize]) {
            nodes[automata.edge(edge).source.index()] = true;
        }
        Known { has_cycles: true, edges, nodes }
    }
}

/// The isolated tasks that may be begun more than any number of times.
pub(crate) fn begun_anew(automata: &Automata, units: usize, lies_on_cycle: &dyn Fn(EdgeId) -> bool) -> Bits {
    let mut found = Bits::default();
    let spawns = || {
        let spawning = automata.edges.iter().zip((0..).map(EdgeId)).filter(|(edge, _)| !edge.roots.is_empty());
        spawning.flat_map(|(edge, id)| {
            edge.roots.iter().map(move |&(child, _)| (automata.node(edge.source).unit, id, child))
        })
    };
    for _ in 0..=units {
        let before = found.clone();
        for (UnitId(parent), edge, UnitId(child)) in spawns() {
            if lies_on_cycle(edge) || before.contains(parent) {
                found.insert(child);
            }
        }
        if found == before {
            break;
        }
    }
    found
}
