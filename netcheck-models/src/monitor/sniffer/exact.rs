//! The exact search: all configurations of the augmented automaton along the trace.
//!
//! It carries the set of configurations from packet to packet, each with the fewest guesses that lead to it. A
//! configuration whose readings lie within those of another one, with no fewer guesses, is left out. Zones are
//! extrapolated, so the set is bounded for a fixed monitor, and the time is linear in the trace.

use super::moves::{Augmented, Symbolic};
use super::step::{Place, Step};
use crate::monitor::trace::Trace;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A transition that the search has taken, after another one.
struct Node<E> {
    before: Option<u32>,
    step: Step<E>,
}

/// A configuration of the present gap of the trace, and the node that leads to it; none at the start.
struct Live {
    here: Symbolic,
    guesses: usize,
    node: Option<u32>,
}

/// The result of the search.
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
    /// All configurations of the present gap.
    live: Vec<Live>,
    settled: Settled,
}

pub(super) fn search<E: Clone>(augmented: Augmented<'_, E>, trace: &Trace<E>) -> Found<E> {
    let mut exact = Exact { augmented, nodes: Vec::new(), live: Vec::new(), settled: Settled::default() };
    let initial = exact.augmented.initial();
    exact.live.push(Live { here: initial, guesses: 0, node: None });
    let mut last_ns = trace.start_ns;
    for (index, (at_ns, event)) in trace.packets.iter().enumerate() {
        let gap_ns = at_ns - last_ns;
        let reached = exact.guess(gap_ns);
        let mut heard = Vec::new();
        for &from in &reached {
            for (here, step) in exact.augmented.heard(&exact.live[from].here, (index, event), gap_ns) {
                heard.push((from, here, step));
            }
        }
        if heard.is_empty() {
            return Found::Nothing(index, exact.configurations(&reached));
        }
        exact.keep_least(heard);
        last_ns = *at_ns;
    }
    let gap_ns = trace.end_ns - last_ns;
    let reached = exact.guess(gap_ns);
    let ends = reached.iter().filter(|live| exact.augmented.may_end(&exact.live[**live].here, gap_ns));
    match ends.min_by_key(|live| (exact.live[**live].guesses, **live)) {
        Some(&end) => Found::Steps(exact.way_to(end)),
        None => Found::Nothing(trace.packets.len(), exact.configurations(&reached)),
    }
}

/// Configurations of the present gap by place: only those at one place include each other.
#[derive(Default)]
struct Settled {
    live: Vec<SmallVec<[usize; 2]>>,
    /// The places that have some.
    used: Vec<Place>,
}

impl Settled {
    fn at(&self, place: Place) -> &[usize] {
        self.live.get(place.index()).map_or(&[], |live| live)
    }

    fn add(&mut self, place: Place, live: usize) {
        if self.live.len() <= place.index() {
            self.live.resize_with(place.index() + 1, SmallVec::new);
        }
        self.live[place.index()].push(live);
        self.used.push(place);
    }

    fn clear(&mut self) {
        self.used.drain(..).for_each(|place| self.live[place.index()].clear());
    }

    /// Whether one with no more guesses includes this one.
    fn include(&self, all: &[Live], here: &Symbolic, guesses: usize) -> bool {
        let includes = |other: &usize| all[*other].guesses <= guesses && all[*other].here.includes(here);
        self.at(here.place).iter().any(includes)
    }
}

impl<E: Clone> Exact<'_, E> {
    /// Adds the configurations that missed packets lead to, within a gap of the sniffer's trace; those with few guesses
    /// first.
    fn guess(&mut self, gap_ns: u64) -> Vec<usize> {
        let Exact { augmented, nodes, live, settled } = self;
        settled.clear();
        let mut reached = Vec::new();
        let mut open: BinaryHeap<Reverse<(usize, usize)>> =
            live.iter().enumerate().map(|(index, live)| Reverse((live.guesses, index))).collect();
        while let Some(Reverse((guesses, index))) = open.pop() {
            let Live { here, node, .. } = &live[index];
            if settled.include(live, here, guesses) {
                continue;
            }
            let (here, before) = (here.clone(), *node);
            settled.add(here.place, index);
            reached.push(index);
            augmented.missed(&here, gap_ns, |here, step| {
                let guesses = guesses + step.guesses();
                if !settled.include(live, &here, guesses) {
                    open.push(Reverse((guesses, live.len())));
                    live.push(Live { here, guesses, node: Some(nodes.len() as u32) });
                    nodes.push(Node { before, step });
                }
            });
        }
        reached
    }

    /// The configurations after the next packet, of which none includes another one with no fewer guesses.
    fn keep_least(&mut self, heard: Vec<(usize, Symbolic, Step<E>)>) {
        let mut after: Vec<(Live, Step<E>)> = heard
            .into_iter()
            .map(|(from, here, step)| {
                let Live { guesses, node, .. } = self.live[from];
                (Live { here, guesses: guesses + step.guesses(), node }, step)
            })
            .collect();
        after.sort_by_key(|(live, _)| live.guesses);
        self.live.clear();
        self.settled.clear();
        for (Live { here, guesses, node: before }, step) in after {
            if !self.settled.include(&self.live, &here, guesses) {
                self.settled.add(here.place, self.live.len());
                self.live.push(Live { here, guesses, node: Some(self.nodes.len() as u32) });
                self.nodes.push(Node { before, step });
            }
        }
    }

    fn configurations(&self, live: &[usize]) -> Vec<(usize, Vec<i64>)> {
        let at = |live: &usize| self.augmented.at(self.live[*live].here.place);
        live.iter().map(at).map(|(state, values)| (state, values.to_vec())).collect()
    }

    fn way_to(&self, end: usize) -> Vec<Step<E>> {
        let mut steps = Vec::new();
        let mut next = self.live[end].node;
        while let Some(node) = next {
            let Node { before, step } = &self.nodes[node as usize];
            steps.push(step.clone());
            next = *before;
        }
        steps.reverse();
        steps
    }
}
