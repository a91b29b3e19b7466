//! The fewest guesses that a configuration has ahead of it: what Algorithm 2 orders its extensions by.
//!
//! One pass goes along the trace and keeps, for each gap between two packets, configurations that together include each
//! one that the augmented automaton may be in there. A second pass goes back from the end, and gives each of them the
//! fewest guesses of a way to the end. A configuration that another one includes has no fewer guesses ahead, so the
//! number is a lower bound for it; and where an including one has no way to the end, it has none.

use super::moves::{Augmented, Symbolic};
use super::step::Place;
use super::zone::Zone;
use crate::monitor::trace::Trace;
use std::collections::BTreeMap;
use std::mem;

/// The configurations of all gaps, with the guesses ahead of them.
pub(super) struct Ahead(Vec<Gap>);

/// The result of the pass along the trace.
pub(super) enum Passed {
    /// The end was reached.
    Ahead(Ahead),
    /// No mutation explains this packet, counted from 0; the number of packets for the end of the trace.
    Nothing(usize),
    /// There are more configurations than the limit.
    TooMany,
}

/// The configurations after one packet and before the next.
#[derive(Default)]
struct Gap {
    nodes: Vec<Node>,
    at: BTreeMap<Place, Vec<usize>>,
}

struct Node {
    zone: Zone,
    place: Place,
    /// The fewest guesses to the end; none if there is no way.
    ahead: Option<usize>,
    /// The nodes of this gap that a missed packet leads to.
    missed: Vec<usize>,
    /// The nodes of the next gap that the next packet leads to, with the guesses of the step.
    heard: Vec<(usize, usize)>,
}

impl Gap {
    /// A node that includes this configuration.
    fn including(&self, here: &Symbolic) -> Option<usize> {
        let at = self.at.get(&here.place)?;
        at.iter().copied().find(|&node| self.nodes[node].zone.includes(&here.zone))
    }

    /// The node that stands for a configuration: one that includes it, or a new one.
    fn node_for(&mut self, here: Symbolic) -> usize {
        self.including(&here).unwrap_or_else(|| {
            let node = self.nodes.len();
            self.at.entry(here.place).or_default().push(node);
            let Symbolic { place, zone } = here;
            self.nodes.push(Node { zone, place, ahead: None, missed: Vec::new(), heard: Vec::new() });
            node
        })
    }

    /// Adds all configurations that missed packets lead to, and makes the next gap, after the next packet, which has
    /// this number. Where there is none, the configurations in which the trace may end have no guesses ahead. None if
    /// there are more configurations than are left.
    fn go_on<E: Clone>(
        &mut self,
        augmented: &mut Augmented<'_, E>,
        next: Option<(usize, &E)>,
        gap_ns: u64,
        left: &mut usize,
    ) -> Option<Gap> {
        let mut after = Gap::default();
        let mut from = 0;
        while from < self.nodes.len() {
            *left = left.checked_sub(1)?;
            let here = Symbolic { place: self.nodes[from].place, zone: self.nodes[from].zone.clone() };
            augmented.missed(&here, gap_ns, |to, _| {
                let to = self.node_for(to);
                self.nodes[from].missed.push(to);
            });
            match next {
                Some(packet) => {
                    let heard = augmented.heard(&here, packet, gap_ns).into_iter();
                    self.nodes[from].heard = heard.map(|(to, step)| (after.node_for(to), step.guesses())).collect();
                }
                None if augmented.may_end(&here, gap_ns) => self.nodes[from].ahead = Some(0),
                None => {}
            }
            from += 1;
        }
        Some(after)
    }

    /// Finds the fewest guesses ahead of each node by those of the next gap.
    fn go_back(&mut self, after: Option<&Gap>) {
        for node in &mut self.nodes {
            let over = |(to, guesses): &(usize, usize)| Some(after?.nodes[*to].ahead? + guesses);
            node.ahead = node.heard.iter().filter_map(over).chain(node.ahead).min();
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (from, node) in self.nodes.iter().enumerate() {
            node.missed.iter().for_each(|&to| before[to].push(from));
        }
        let mut open: Vec<usize> = (0..self.nodes.len()).filter(|&node| self.nodes[node].ahead.is_some()).collect();
        while let Some(to) = open.pop() {
            let through = self.nodes[to].ahead.map(|ahead| ahead + 1);
            for &from in &before[to] {
                let ahead = &mut self.nodes[from].ahead;
                if through.is_some_and(|through| ahead.is_none_or(|known| through < known)) {
                    *ahead = through;
                    open.push(from);
                }
            }
        }
    }
}

impl Ahead {
    /// Goes along the trace and back, with at most so many configurations.
    pub(super) fn of<E: Clone>(
        augmented: &mut Augmented<'_, E>,
        trace: &Trace<E>,
        configurations_max: usize,
    ) -> Passed {
        let initial = augmented.initial();
        let mut gap = Gap::default();
        gap.node_for(initial);
        let mut gaps: Vec<Gap> = Vec::with_capacity(trace.packets.len() + 1);
        let mut left = configurations_max;
        let mut last_ns = trace.start_ns;
        for index in 0..=trace.packets.len() {
            let next = trace.packets.get(index).map(|(at_ns, event)| (*at_ns, (index, event)));
            let until_ns = next.map_or(trace.end_ns, |(at_ns, _)| at_ns);
            let gap_ns = until_ns - last_ns;
            let Some(after) = gap.go_on(augmented, next.map(|(_, packet)| packet), gap_ns, &mut left) else {
                return Passed::TooMany;
            };
            let ends = || gap.nodes.iter().any(|node| node.ahead.is_some());
            if if next.is_some() { after.nodes.is_empty() } else { !ends() } {
                return Passed::Nothing(index);
            }
            gaps.push(mem::replace(&mut gap, after));
            last_ns = until_ns;
        }
        let mut after: Option<&Gap> = None;
        for gap in gaps.iter_mut().rev() {
            gap.go_back(after);
            after = Some(gap);
        }
        Passed::Ahead(Ahead(gaps))
    }

    /// At least so many guesses lead from here to the end; none if there is no way.
    pub(super) fn guesses(&self, consumed: usize, here: &Symbolic) -> Option<usize> {
        let gap = &self.0[consumed];
        let at = gap.at.get(&here.place).map_or(&[][..], Vec::as_slice);
        let including = at.iter().map(|&node| &gap.nodes[node]).filter(|node| node.zone.includes(&here.zone));
        including.map(|node| node.ahead).try_fold(0, |most, ahead| Some(most.max(ahead?)))
    }
}
