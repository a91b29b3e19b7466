//! The automata of a check, as the search has taken them, to be shown to the user.

use crate::trace::automaton::{self, Automaton};
use ahash::AHashMap;
use netcheck_runtime::id::{NodeId, UnitId};
use netcheck_runtime::operation::Offer;
use netcheck_runtime::search::explored::Taken;
use netcheck_runtime::unit::automaton::{EdgeId, NodeKind};
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::system::System;
use std::collections::BTreeMap;

/// Nodes of a unit that are shown at the most.
const NODES_MAX: usize = 500;

/// The automata of all units of which something was taken: processes first, as they were registered.
pub(super) fn automata(system: &System, taken: &Taken) -> Vec<Automaton> {
    let mut roots: BTreeMap<UnitId, Vec<NodeId>> = BTreeMap::new();
    for edge in taken.iter().map(|edge| system.learner.automata.edge(edge)) {
        // A program's first step is a process's, or follows a step that has spawned its task.
        let source = system.learner.automata.node(edge.source);
        let first = (source.root == edge.source).then_some((source.unit, edge.source));
        for (unit, root) in first.into_iter().chain(edge.roots.iter().copied()) {
            let roots = roots.entry(unit).or_default();
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
    }
    let words = system.shared().checkpoints.borrow().in_words();
    let positions = system.learner.automata.positions();
    let captured = positions.filter_map(|(node, position)| Some((node, words.get(&position)?.clone()))).collect();
    roots.into_iter().map(|(unit, roots)| automaton(system, taken, &captured, unit, roots)).collect()
}

/// The monitors of a check.
pub(super) fn monitors(system: &System) -> Vec<Automaton> {
    system.monitors.drawings().map(|(name, drawing)| Automaton::of_monitor(name, drawing)).collect()
}

fn automaton(
    system: &System,
    taken: &Taken,
    captured: &AHashMap<NodeId, String>,
    unit: UnitId,
    mut roots: Vec<NodeId>,
) -> Automaton {
    roots.sort();
    let mut numbers: AHashMap<NodeId, usize> = (0..).zip(&roots).map(|(number, &root)| (root, number)).collect();
    let first = roots.len();
    let mut reached = roots;
    let mut edges = Vec::new();
    let mut source = 0;
    while let Some(&node) = reached.get(source) {
        let is_shown = source < NODES_MAX;
        let leaving = system.learner.automata.node(node).edges().filter(|&edge| taken.has(edge));
        let mut leaving: Vec<(String, EdgeId)> =
            leaving.map(|edge| (if is_shown { label(system, edge) } else { String::new() }, edge)).collect();
        leaving.sort();
        for (label, edge) in leaving {
            let target = system.learner.automata.edge(edge).target;
            let to = *numbers.entry(target).or_insert(reached.len());
            if to == reached.len() {
                reached.push(target);
            }
            if is_shown {
                let to = (to < NODES_MAX).then_some(to);
                edges.push(automaton::Edge { from: source, to, label });
            }
        }
        source += 1;
    }
    let left_out = reached.len().saturating_sub(NODES_MAX);
    reached.truncate(NODES_MAX);
    let node = |(number, node)| automaton::Node {
        kind: kind(system, node),
        captured: captured.get(&node).cloned(),
        is_first: number < first,
    };
    let nodes = (0..).zip(reached).map(node).collect();
    Automaton { name: system.shared().unit(unit).name, nodes, edges, left_out }
}

fn kind(system: &System, node: NodeId) -> automaton::Kind {
    match &system.learner.automata.node(node).kind {
        NodeKind::Ended { output } => automaton::Kind::Ended(system.shared().output(*output).text.to_string()),
        NodeKind::Panicked(panic) => automaton::Kind::Panicked(format!("at {}: {}", panic.location, panic.message)),
        NodeKind::Live | NodeKind::Parked { .. } | NodeKind::Gone => automaton::Kind::Live,
    }
}

fn label(system: &System, edge: EdgeId) -> String {
    let automata = &system.learner.automata;
    let edge = automata.edge(edge);
    let Some(offer) = automata.node(edge.source).offer(edge.input) else { return String::new() };
    let Offer { task, operation, .. } = offer;
    let operation = wording::operation_of(operation, system.shared());
    let outcome = wording::outcome(automata.outcome(edge.input.outcome), system.shared());
    Automaton::label(task.0, &operation, &outcome)
}
