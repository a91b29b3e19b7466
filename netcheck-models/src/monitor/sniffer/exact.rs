//! The exact search: all configurations of the augmented automaton along the trace.
//!
//! It carries the set of configurations from packet to packet, each with the fewest guesses that lead to it. A
//! configuration whose readings lie within those of another one, with no fewer guesses, is left out. Zones are
//! extrapolated, so the set is bounded for a fixed monitor, and the time is linear in the trace.

use super::moves::{Augmented, Place, Symbolic};
use super::mutation::Step;
use crate::monitor::trace::Trace;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

struct Node<E> {
    here: Symbolic,
    guesses: usize,
    before: Option<(usize, Step<E>)>,
}

/// What the search has found.
pub(super) enum Found<E> {
    /// The steps of a mutation with the fewest guesses.
    Steps(Vec<Step<E>>),
    /// The packet that no mutation explains, counted from 0, and the states before it, with
    /// the values there.
    Nothing(usize, Vec<(usize, Vec<i64>)>),
}

struct Exact<'a, E> {
    augmented: Augmented<'a, E>,
    nodes: Vec<Node<E>>,
    settled: Settled,
}

pub(super) fn search<E: Clone>(mut augmented: Augmented<'_, E>, trace: &Trace<E>) -> Found<E> {
    let initial = Node { here: augmented.initial(), guesses: 0, before: None };
    let mut exact = Exact { augmented, nodes: vec![initial], settled: Settled::default() };
    let (mut frontier, mut last_ns) = (vec![0], trace.start_ns);
    for (index, (at_ns, event)) in trace.packets.iter().enumerate() {
        let gap_ns = at_ns - last_ns;
        let reached = exact.guess(&frontier, gap_ns);
        let mut heard = Vec::new();
        for &from in &reached {
            for (here, step) in exact.augmented.heard(&exact.nodes[from].here, (index, event), gap_ns) {
                let guesses = exact.nodes[from].guesses + step.guesses();
                heard.push(Node { here, guesses, before: Some((from, step)) });
            }
        }
        frontier = exact.keep_least(heard);
        if frontier.is_empty() {
            return Found::Nothing(index, exact.configurations(&reached));
        }
        last_ns = *at_ns;
    }
    let gap_ns = trace.end_ns - last_ns;
    let reached = exact.guess(&frontier, gap_ns);
    let ends = reached.iter().filter(|node| exact.augmented.may_end(&exact.nodes[**node].here, gap_ns));
    match ends.min_by_key(|node| (exact.nodes[**node].guesses, **node)) {
        Some(&end) => Found::Steps(exact.way_to(end)),
        None => Found::Nothing(trace.packets.len(), exact.configurations(&reached)),
    }
}

/// Nodes by place: only those at one place include each other.
#[derive(Default)]
struct Settled {
    nodes: Vec<SmallVec<[usize; 2]>>,
    /// The places that have nodes.
    used: Vec<Place>,
}

impl Settled {
    fn at(&self, place: Place) -> &[usize] {
        self.nodes.get(place.index()).map_or(&[], |nodes| nodes)
    }

    fn add(&mut self, place: Place, node: usize) {
        if self.nodes.len() <= place.index() {
            self.nodes.resize_with(place.index() + 1, SmallVec::new);
        }
        self.nodes[place.index()].push(node);
        self.used.push(place);
    }

    fn clear(&mut self) {
        self.used.drain(..).for_each(|place| self.nodes[place.index()].clear());
    }
}

impl<E: Clone> Exact<'_, E> {
    /// Whether a settled node includes this one.
    fn is_included(&self, node: &Node<E>) -> bool {
        let includes = |other: &usize| {
            let other = &self.nodes[*other];
            other.guesses <= node.guesses && other.here.includes(&node.here)
        };
        self.settled.at(node.here.place).iter().any(includes)
    }

    /// The configurations that missed packets lead to, within a gap of the sniffer's trace; those with few guesses
    /// first.
    fn guess(&mut self, frontier: &[usize], gap_ns: u64) -> Vec<usize> {
        self.settled.clear();
        let mut reached = Vec::new();
        let mut open: BinaryHeap<Reverse<(usize, usize)>> =
            frontier.iter().map(|&node| Reverse((self.nodes[node].guesses, node))).collect();
        while let Some(Reverse((_, node))) = open.pop() {
            if self.is_included(&self.nodes[node]) {
                continue;
            }
            let here = self.nodes[node].here.clone();
            self.settled.add(here.place, node);
            reached.push(node);
            for (next, step) in self.augmented.missed(&here, gap_ns) {
                let guesses = self.nodes[node].guesses + step.guesses();
                let next = Node { here: next, guesses, before: Some((node, step)) };
                if !self.is_included(&next) {
                    open.push(Reverse((guesses, self.nodes.len())));
                    self.nodes.push(next);
                }
            }
        }
        reached
    }

    /// Adds the nodes that no other one with no more guesses includes.
    fn keep_least(&mut self, mut nodes: Vec<Node<E>>) -> Vec<usize> {
        nodes.sort_by_key(|node| node.guesses);
        self.settled.clear();
        let mut kept = Vec::new();
        for node in nodes {
            if !self.is_included(&node) {
                self.settled.add(node.here.place, self.nodes.len());
                kept.push(self.nodes.len());
                self.nodes.push(node);
            }
        }
        kept
    }

    fn configurations(&self, nodes: &[usize]) -> Vec<(usize, Vec<i64>)> {
        let at = |node: &usize| self.augmented.at(self.nodes[*node].here.place);
        nodes.iter().map(at).map(|(state, values)| (state, values.to_vec())).collect()
    }

    fn way_to(&self, end: usize) -> Vec<Step<E>> {
        let mut steps = Vec::new();
        let mut node = end;
        while let Some((before, step)) = &self.nodes[node].before {
            steps.push(step.clone());
            node = *before;
        }
        steps.reverse();
        steps
    }
}
