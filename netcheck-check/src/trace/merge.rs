//! Automata that can be read: with one node for local states that cannot be told apart from outside.
//!
//! Two nodes are *bisimilar* if they are of one kind, and each step of one is a step of the other that leads to bisimilar
//! nodes. They are drawn as one: nobody outside of the process could tell them apart. Where too many nodes are left, as of a
//! loop whose rounds are told apart by their pasts, nodes are drawn as one that do the same for some steps, whatever they end
//! with: then the drawing may go on as no execution does, and says so. Where that is not enough either, there is none.

use crate::trace::automaton::{Automaton, Edge, Kind, Node};
use std::collections::{BTreeMap, BTreeSet};

/// Nodes of a drawing that can be read.
const NODES_MAX: usize = 60;

/// For how many steps nodes do the same that are drawn as one, at the most.
const STEPS_MAX: usize = 3;

/// An automaton that can be read.
pub(super) struct Readable {
    pub(super) automaton: Automaton,
    /// If nodes are drawn as one that are not bisimilar: for how many steps they do the same.
    pub(super) steps: Option<usize>,
}

/// The automaton with as few nodes as it takes to be read; `None` if that is too many.
pub(super) fn readable(automaton: &Automaton) -> Option<Readable> {
    let exact = merged(automaton, &refined(automaton, |node| (&node.kind, &node.captured), usize::MAX));
    if exact.nodes.len() <= NODES_MAX {
        return Some(Readable { automaton: exact, steps: None });
    }
    (1..=STEPS_MAX).rev().find_map(|steps| {
        let merged = merged(automaton, &refined(automaton, |node| sort(&node.kind), steps));
        (merged.nodes.len() <= NODES_MAX).then_some(Readable { automaton: merged, steps: Some(steps) })
    })
}

/// A kind without what a process ends with.
fn sort(kind: &Kind) -> (u8, Option<&Kind>) {
    match kind {
        Kind::Live => (0, None),
        Kind::Ended(_) => (1, None),
        Kind::Panicked(_) => (2, None),
        Kind::State { .. } => (3, Some(kind)),
    }
}

/// The class of each node, by the partition that looks give, refined by their steps so many times, or until it is stable.
fn refined<'a, L: Ord + 'a>(automaton: &'a Automaton, look: impl Fn(&'a Node) -> L, rounds: usize) -> Vec<usize> {
    let mut classes = numbered(automaton.nodes.iter().map(look));
    let mut leaving: Vec<Vec<&Edge>> = vec![Vec::new(); automaton.nodes.len()];
    for edge in &automaton.edges {
        leaving[edge.from].push(edge);
    }
    for _ in 0..rounds {
        let steps = |edges: &Vec<&'a Edge>| -> BTreeSet<(&'a str, Option<usize>)> {
            edges.iter().map(|edge| (edge.label.as_str(), edge.to.map(|to| classes[to]))).collect()
        };
        let next = numbered(classes.iter().zip(&leaving).map(|(class, edges)| (*class, steps(edges))));
        let is_stable = next.iter().max() == classes.iter().max();
        classes = next;
        if is_stable {
            break;
        }
    }
    classes
}

/// Equal things have one number; numbers are given in the order of first appearance.
fn numbered<T: Ord>(things: impl Iterator<Item = T>) -> Vec<usize> {
    let mut numbers = BTreeMap::new();
    let number = |thing| {
        let next = numbers.len();
        *numbers.entry(thing).or_insert(next)
    };
    things.map(number).collect()
}

/// With one node for each class.
fn merged(automaton: &Automaton, classes: &[usize]) -> Automaton {
    let mut nodes: Vec<Node> = Vec::new();
    for (node, &class) in automaton.nodes.iter().zip(classes) {
        let Some(known) = nodes.get_mut(class) else {
            nodes.push(node.clone());
            continue;
        };
        known.is_first |= node.is_first;
        if known.captured != node.captured {
            known.captured = None;
        }
        match &mut known.kind {
            kind if *kind == node.kind => {}
            Kind::Ended(words) | Kind::Panicked(words) => "…".clone_into(words),
            Kind::Live | Kind::State { .. } => {}
        }
    }
    let edges: BTreeSet<(usize, Option<usize>, &str)> = automaton
        .edges
        .iter()
        .map(|edge| (classes[edge.from], edge.to.map(|to| classes[to]), edge.label.as_str()))
        .collect();
    let edges = edges.into_iter().map(|(from, to, label)| Edge { from, to, label: label.to_owned() }).collect();
    Automaton { name: automaton.name.clone(), nodes, edges, left_out: automaton.left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn automaton(ends: &[usize], edges: &[(usize, usize, &str)]) -> Automaton {
        let count = 1 + edges.iter().map(|&(from, to, _)| from.max(to)).max().unwrap_or(0);
        let kind = |node| if ends.contains(&node) { Kind::Ended("0".to_owned()) } else { Kind::Live };
        let node = |node| Node { kind: kind(node), captured: None, is_first: node == 0 };
        let edge = |&(from, to, label): &(usize, usize, &str)| Edge { from, to: Some(to), label: label.to_owned() };
        Automaton {
            name: String::new(),
            nodes: (0..count).map(node).collect(),
            edges: edges.iter().map(edge).collect(),
            left_out: 0,
        }
    }

    fn exactly(automaton: &Automaton) -> Vec<usize> {
        refined(automaton, |node| (&node.kind, &node.captured), usize::MAX)
    }

    #[test]
    fn orders_that_make_no_difference_are_one_and_loops_stay_loops() {
        // a and b in either order, then the same; and a loop that was unrolled once.
        let diamond = automaton(&[], &[(0, 1, "a"), (0, 2, "b"), (1, 3, "b"), (2, 4, "a"), (3, 5, "c"), (4, 6, "c")]);
        assert_eq!(exactly(&diamond), [0, 1, 2, 3, 3, 4, 4]);
        let unrolled = automaton(&[], &[(0, 1, "a"), (1, 2, "a"), (2, 1, "a")]);
        assert_eq!(exactly(&unrolled), [0, 0, 0]);
        let ends = automaton(&[2], &[(0, 1, "a"), (0, 2, "a")]);
        assert_eq!(exactly(&ends), [0, 1, 2]);
    }

    #[test]
    fn rounds_that_only_their_pasts_tell_apart_are_drawn_as_a_loop() {
        let edges: Vec<(usize, usize, &str)> =
            (0..200).map(|step| (step, step + 1, if step % 2 == 0 { "recv" } else { "send" })).collect();
        let Readable { automaton, steps } = readable(&automaton(&[], &edges)).expect("it can be read");
        // The last rounds have fewer steps before them.
        assert_eq!((steps, automaton.nodes.len()), (Some(3), 5));
        assert!(automaton.edges.iter().any(|edge| edge.to.is_some_and(|to| to < edge.from)), "a loop");
    }

    #[test]
    fn what_cannot_be_read_is_not_drawn() {
        let labels: Vec<String> = (0..100).map(|step| format!("send {step}")).collect();
        let edges: Vec<(usize, usize, &str)> =
            labels.iter().enumerate().map(|(step, label)| (step, step + 1, label.as_str())).collect();
        assert!(readable(&automaton(&[], &edges)).is_none());
    }

    /// By definition: the largest relation that is a bisimulation, by leaving out pairs that are none.
    #[test]
    fn of_random_automata_the_classes_are_those_of_bisimilarity() {
        let mut seed = 3_u64;
        let mut random = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as usize % below
        };
        for _ in 0..500 {
            let count = 2 + random(6);
            let edges: Vec<(usize, usize, &str)> =
                (0..count * 2).map(|_| (random(count), random(count), ["a", "b"][random(2)])).collect();
            let ends: Vec<usize> = (0..count).filter(|_| random(4) == 0).collect();
            let automaton = automaton(&ends, &edges);
            let count = automaton.nodes.len();
            let mut related = vec![vec![true; count]; count];
            loop {
                let before = related.clone();
                let answers = |of: &Edge, node: usize| {
                    let same = |edge: &&Edge| edge.from == node && edge.label == of.label;
                    automaton.edges.iter().filter(same).any(|edge| before[of.to.unwrap()][edge.to.unwrap()])
                };
                for (one, row) in related.iter_mut().enumerate() {
                    for (other, are) in row.iter_mut().enumerate() {
                        *are &= automaton.nodes[one].kind == automaton.nodes[other].kind
                            && automaton.edges.iter().all(|edge| {
                                (edge.from != one || answers(edge, other)) && (edge.from != other || answers(edge, one))
                            });
                    }
                }
                if related == before {
                    break;
                }
            }
            let classes = exactly(&automaton);
            for one in 0..count {
                for other in 0..count {
                    assert_eq!(classes[one] == classes[other], related[one][other], "{automaton:?}");
                }
            }
        }
    }
}
