//! The steps that a loop may have, as far as the automata of the units tell.
//!
//! A loop leads from a state back to it, without failures, crashes and cuts ([`super`]).
//!
//! - *Some unit takes a step in it.* The network alone uses up what only steps of units make: datagrams under way are lost,
//!   connects are answered, cuts heal. Time that passes brings each armed timer nearer, and only a step of a unit arms one.
//!   Units that leave a state do not come back.
//! - *Each unit that takes a step comes back to its local state*: its edges in the loop lie on cycles of its automaton. Or it
//!   is an isolated task that ends and is begun anew: then an edge that spawns it is in the loop. The start of a process
//!   after a crash follows a crash, of which a loop has none.
//! - *What is taken in a loop is made in it*: datagrams, bytes, and connections that wait to be accepted
//!   ([`stocks`](crate::world::stocks)) are as many after the loop as before.
//!
//! So edges are removed that lie on no cycle, and edges that take what no other edge makes, until nothing changes. A loop has
//! no other edges than those that are left. A server that answers requests goes round only while a client does that asks.
//!
//! From a state in which no unit may still come to such an edge, no way leads into a loop; nor does a loop matter to a process
//! after that has ended. So a walk need not go on from states in which all have ended that have to, or none goes round any
//! more. If the first state is one of these, every execution ends.
//!
//! The automata are those that the search has learned. It has taken each edge that some execution takes, since each might
//! panic. That is not so where it takes processes or local states for each other: then all edges may be in a loop.

use crate::graph::strong_components;
use crate::id::{NodeId, ProcessId, UnitId};
use crate::operation::OperationKey;
use crate::property::root;
use crate::reduction::repeats::begun_anew;
use crate::unit::automaton::{EdgeId, NodeKind};
use crate::world::stocks::Stock;
use crate::world::system::System;
use ahash::AHashSet;
use smallvec::SmallVec;

/// The local states from which a unit may come to a step that a loop may have.
pub(super) struct Recurring {
    /// By node, as far as nodes were known.
    nodes: Vec<bool>,
    /// The number of edges that were known.
    edges: usize,
    is_exact: bool,
    /// Whether loops matter in which nobody has to end.
    is_of_all: bool,
}

impl Recurring {
    /// All local states.
    pub(super) fn all(is_of_all: bool) -> Recurring {
        Recurring { nodes: Vec::new(), edges: usize::MAX, is_exact: false, is_of_all }
    }

    /// By all that was learned.
    pub(super) fn of(system: &mut System, is_of_all: bool) -> Recurring {
        let edges = edges_of_loops(system);
        Recurring { nodes: sources(system, &edges), edges: edges.len(), is_exact: true, is_of_all }
    }

    /// Whether more was learned since.
    pub(super) fn has_grown(&self, system: &System) -> bool {
        self.is_exact && system.learner.automata.edges.len() > self.edges
    }

    /// Whether a way may lead from a state into a loop that matters: in which a process has not ended that has to, or which a
    /// monitor watches that has to leave states again.
    pub(super) fn leads_on(&self, system: &System, state: &[u32]) -> bool {
        let goes_round = |node: NodeId| self.nodes.get(node.index()).is_none_or(|&goes_round| goes_round);
        let owes = |process: usize| {
            let node = root(system, state, ProcessId(process as u32));
            !system.processes[process].daemon && system.learner.automata.node(node).kind == NodeKind::Live
        };
        let is_watched = self.is_of_all || system.view().has_hot_monitors();
        let is_owed = || is_watched || (0..system.processes.len()).any(owes);
        system.live_units(state).any(|(_, node)| goes_round(node)) && is_owed()
    }
}

/// By edge: whether a loop may have it.
fn edges_of_loops(system: &mut System) -> Vec<bool> {
    let all = || 0..system.learner.automata.edges.len();
    let is_crash = |edge: usize| system.learner.automata.edges[edge].input.key == OperationKey::CRASH;
    let mut kept: Vec<bool> = all().map(|edge| !is_crash(edge)).collect();
    loop {
        keep_cycles(system, &mut kept);
        let left: Vec<usize> = (0..kept.len()).filter(|&edge| kept[edge]).collect();
        let raised: AHashSet<Stock> = left.iter().flat_map(|&edge| system.raised_by(EdgeId(edge as u32))).collect();
        let lacks = |edge: &&usize| {
            let taken = system.taken_by(EdgeId(**edge as u32));
            taken.is_some_and(|taken| !raised.contains(&taken))
        };
        let lacking: Vec<usize> = left.iter().filter(lacks).copied().collect();
        if lacking.is_empty() {
            return kept;
        }
        lacking.into_iter().for_each(|edge| kept[edge] = false);
    }
}

/// Keeps, of some edges, those that lie on cycles of these, and those of units that are begun anew.
fn keep_cycles(system: &System, kept: &mut [bool]) {
    let automata = &system.learner.automata;
    let mut successors: Vec<SmallVec<[u32; 4]>> = vec![SmallVec::new(); automata.nodes.len()];
    for (edge, _) in automata.edges.iter().zip(&*kept).filter(|(_, kept)| **kept) {
        successors[edge.source.index()].push(edge.target.0);
    }
    let components = strong_components(successors.len(), |node| &successors[node]);
    let lies_on_cycle: Vec<bool> = (automata.edges.iter().zip(&*kept))
        .map(|(edge, &kept)| kept && components[edge.source.index()] == components[edge.target.index()])
        .collect();
    let anew = begun_anew(automata, system.units.len(), &|EdgeId(edge)| lies_on_cycle[edge as usize]);
    for (index, edge) in automata.edges.iter().enumerate() {
        let UnitId(unit) = automata.node(edge.source).unit;
        kept[index] &= lies_on_cycle[index] || anew.contains(unit);
    }
}

/// By node: whether a way leads from it to one of some edges, within its unit or by isolated tasks that it spawns.
fn sources(system: &System, edges: &[bool]) -> Vec<bool> {
    let automata = &system.learner.automata;
    let mut before: Vec<SmallVec<[NodeId; 2]>> = vec![SmallVec::new(); automata.nodes.len()];
    for edge in &automata.edges {
        let targets = [edge.target].into_iter().chain(edge.roots.iter().map(|&(_, root)| root));
        targets.for_each(|target| before[target.index()].push(edge.source));
    }
    let mut found = vec![false; automata.nodes.len()];
    let mut open: Vec<NodeId> = Vec::new();
    let of_loops = automata.edges.iter().zip(edges).filter(|(_, is_of_loop)| **is_of_loop);
    open.extend(of_loops.map(|(edge, _)| edge.source));
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut found[node.index()], true) {
            open.extend(&before[node.index()]);
        }
    }
    found
}
