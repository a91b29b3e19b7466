//! Which cycles of a graph are fair, by repeated removal of what fairness refutes.
//!
//! An infinite way through a finite graph stays, from some point on, among the states and edges that it meets infinitely
//! often. Together they are a strongly connected subgraph, and each strongly connected subgraph is what some way meets
//! infinitely often. So a fair way exists if a strongly connected subgraph exists in which every demand is met
//! ([`Demand`]). Let C be a strongly connected component in which a demand is met by no edge: then it is met in no subgraph
//! of C that has a state which raises the demand (and, of a weak demand, C has no state that waives it, so no subgraph
//! has one). These states are in no fair subgraph of C. They are removed, and the components of what is left are looked at
//! in the same way, until each is fair as a whole, or has no edge (E. Emerson, C.-L. Lei, "Modalities for model checking:
//! branching time logic strikes back", 1987, for strong fairness).
//!
//! A component that is left need not be a cycle. [`Graph::loop_in`] makes a closed walk through all that fairness demands
//! of the walk itself.

use crate::graph::strong_components;
use std::collections::VecDeque;
use std::ops::Range;

/// How a demand is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// Raised in every state from some point on, it is met infinitely often.
    Weak,
    /// Raised infinitely often, it is met infinitely often.
    Strong,
}

/// Lists of numbers, one after another.
#[derive(Default)]
pub(super) struct Rows {
    ends: Vec<u32>,
    all: Vec<u32>,
}

impl Rows {
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.all.extend(row);
        self.ends.push(self.all.len() as u32);
    }

    fn range(&self, index: usize) -> Range<usize> {
        let from = if index == 0 { 0 } else { self.ends[index - 1] };
        from as usize..self.ends[index] as usize
    }

    fn row(&self, index: usize) -> &[u32] {
        &self.all[self.range(index)]
    }

    fn len(&self) -> usize {
        self.ends.len()
    }
}

/// A graph with what fairness demands in it. States, edges and demands are numbers; the edges are numbered state by state.
#[derive(Default)]
pub(super) struct Graph {
    /// By state: the targets of its edges.
    pub(super) edges: Rows,
    /// By state: the demands that it raises.
    pub(super) raised: Rows,
    /// By state: the demands that it neither raises nor waives.
    pub(super) held: Rows,
    /// By edge: the demands that it meets.
    pub(super) met: Rows,
    pub(super) demands: Vec<Demand>,
}

/// The states and edges of a subgraph that a demand is about, counted.
#[derive(Clone, Copy, Default)]
struct Tally {
    raising: u32,
    holding: u32,
    is_met: bool,
}

impl Graph {
    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// The graph with some of its edges, and the number here of each of them.
    pub(super) fn with(&self, is_kept: impl Fn(u32) -> bool) -> (Graph, Vec<u32>) {
        let (mut graph, mut kept) = (Graph { demands: self.demands.clone(), ..Graph::default() }, Vec::new());
        for state in 0..self.len() {
            let edges = self.edges.range(state).map(|edge| edge as u32).filter(|&edge| is_kept(edge));
            let edges: Vec<u32> = edges.collect();
            graph.edges.push(edges.iter().map(|&edge| self.edges.all[edge as usize]));
            edges.iter().for_each(|&edge| graph.met.push(self.met.row(edge as usize).iter().copied()));
            graph.raised.push(self.raised.row(state).iter().copied());
            graph.held.push(self.held.row(state).iter().copied());
            kept.extend(edges);
        }
        (graph, kept)
    }

    /// The edges that leave a state, with their targets.
    pub(super) fn leaving(&self, state: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.edges.range(state as usize).map(|edge| (edge as u32, self.edges.all[edge]))
    }

    /// The largest fair components among some states: strongly connected, with an edge, and with every demand met.
    pub(super) fn fair_components(&self, among: Vec<u32>) -> Vec<Vec<u32>> {
        let mut fair = Vec::new();
        let mut open = vec![among];
        // The place of each state in the set that is looked at.
        let mut places = vec![u32::MAX; self.len()];
        let mut tallies = vec![Tally::default(); self.demands.len()];
        while let Some(states) = open.pop() {
            for component in self.components(&states, &mut places) {
                let refuted = self.refuted(&component, &mut places, &mut tallies);
                if refuted.is_empty() {
                    fair.push(component);
                    continue;
                }
                let is_refuted = |state: &u32| {
                    let raised = self.raised.row(*state as usize);
                    raised.iter().any(|demand| refuted.binary_search(demand).is_ok())
                };
                let left: Vec<u32> = component.into_iter().filter(|state| !is_refuted(state)).collect();
                if !left.is_empty() {
                    open.push(left);
                }
            }
        }
        fair
    }

    /// The strongly connected components of some states that have an edge.
    fn components(&self, states: &[u32], places: &mut [u32]) -> Vec<Vec<u32>> {
        (0..).zip(states).for_each(|(place, &state)| places[state as usize] = place);
        let within = |&state: &u32| -> Vec<u32> {
            let targets = self.edges.row(state as usize).iter().map(|&target| places[target as usize]);
            targets.filter(|&place| place != u32::MAX).collect()
        };
        let successors: Vec<Vec<u32>> = states.iter().map(within).collect();
        states.iter().for_each(|&state| places[state as usize] = u32::MAX);
        let numbers = strong_components(states.len(), |place| &successors[place]);
        let count = numbers.iter().max().map_or(0, |&last| last as usize + 1);
        let mut components: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (&state, &number) in states.iter().zip(&numbers) {
            components[number as usize].push(state);
        }
        components.retain(|component| match component[..] {
            [only] => self.edges.row(only as usize).contains(&only),
            _ => true,
        });
        components
    }

    /// The demands that are not met in a component, in order: no state is in a fair part of it that raises one of them.
    fn refuted(&self, component: &[u32], places: &mut [u32], tallies: &mut [Tally]) -> Vec<u32> {
        component.iter().for_each(|&state| places[state as usize] = 0);
        let mut known = Vec::new();
        for &state in component {
            for &demand in self.raised.row(state as usize) {
                tallies[demand as usize].raising += 1;
                known.push(demand);
            }
            for &demand in self.held.row(state as usize) {
                tallies[demand as usize].holding += 1;
                known.push(demand);
            }
            for (edge, &target) in self.edges.range(state as usize).zip(self.edges.row(state as usize)) {
                if places[target as usize] != u32::MAX {
                    for &demand in self.met.row(edge) {
                        tallies[demand as usize].is_met = true;
                        known.push(demand);
                    }
                }
            }
        }
        known.sort_unstable();
        known.dedup();
        let is_refuted = |&demand: &u32| {
            let Tally { raising, holding, is_met } = tallies[demand as usize];
            let is_waived =
                self.demands[demand as usize] == Demand::Weak && ((raising + holding) as usize) < component.len();
            raising > 0 && !is_met && !is_waived
        };
        let refuted = known.iter().copied().filter(is_refuted).collect();
        known.iter().for_each(|&demand| tallies[demand as usize] = Tally::default());
        component.iter().for_each(|&state| places[state as usize] = u32::MAX);
        refuted
    }

    /// A closed walk from a state of a fair component within it that meets every demand which it raises, as a list of edges
    /// with their sources: short, but not always the shortest.
    pub(super) fn loop_in(&self, component: &[u32], start: u32) -> Vec<(u32, u32)> {
        let mut is_in = vec![false; self.len()];
        component.iter().for_each(|&state| is_in[state as usize] = true);
        let mut walk: Vec<(u32, u32)> = Vec::new();
        loop {
            let at = walk.last().map_or(start, |&(_, edge)| self.edges.all[edge as usize]);
            let mut closed = walk.clone();
            if walk.is_empty() || at != start {
                closed.extend(self.way(&is_in, at, &|edge, _| self.edges.all[edge as usize] == start));
            }
            let Some(demand) = self.unmet(&closed) else { return closed };
            let is_weak = self.demands[demand as usize] == Demand::Weak;
            let waives = |state: u32| {
                let told = [&self.raised, &self.held].map(|rows| rows.row(state as usize));
                is_weak && told.iter().all(|row| !row.contains(&demand))
            };
            let meets = |edge: u32, target: u32| self.met.row(edge as usize).contains(&demand) || waives(target);
            walk.extend(self.way(&is_in, at, &meets));
        }
    }

    /// A shortest way of at least one edge whose last edge is such a one; the function is told an edge and its target.
    fn way(&self, is_in: &[bool], from: u32, is_last: &dyn Fn(u32, u32) -> bool) -> Vec<(u32, u32)> {
        let mut before: Vec<Option<(u32, u32)>> = vec![None; self.len()];
        let mut open = VecDeque::from([from]);
        while let Some(state) = open.pop_front() {
            for edge in self.edges.range(state as usize).map(|edge| edge as u32) {
                let target = self.edges.all[edge as usize];
                if !is_in[target as usize] {
                    continue;
                }
                if is_last(edge, target) {
                    let mut way = vec![(state, edge)];
                    let mut at = state;
                    while at != from {
                        let (source, edge) = before[at as usize].expect("it was reached from there");
                        way.push((source, edge));
                        at = source;
                    }
                    way.reverse();
                    return way;
                }
                if target != from && before[target as usize].is_none() {
                    before[target as usize] = Some((state, edge));
                    open.push_back(target);
                }
            }
        }
        unreachable!("a fair component is strongly connected, and meets its demands")
    }

    /// A demand that a closed walk raises and does not meet.
    pub(super) fn unmet(&self, walk: &[(u32, u32)]) -> Option<u32> {
        let raised = walk.iter().flat_map(|&(state, _)| self.raised.row(state as usize));
        let is_unmet = |demand: &u32| {
            let is_met = walk.iter().any(|&(_, edge)| self.met.row(edge as usize).contains(demand));
            let is_told =
                |state: u32| [&self.raised, &self.held].iter().any(|rows| rows.row(state as usize).contains(demand));
            let is_waived =
                self.demands[*demand as usize] == Demand::Weak && walk.iter().any(|&(state, _)| !is_told(state));
            !is_met && !is_waived
        };
        raised.copied().filter(is_unmet).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of numbers (G. Marsaglia, "Xorshift RNGs", 2003).
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: u32) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 16) as u32 % bound
        }

        fn chance(&mut self, in_ten: u32) -> bool {
            self.below(10) < in_ten
        }
    }

    /// A graph as plain lists: the oracle's, which shares nothing with [`Graph`].
    #[derive(Debug, Default)]
    struct Plain {
        /// Source, target, and what the edge meets.
        edges: Vec<(usize, usize, Vec<usize>)>,
        /// By state: what it raises, and what it holds.
        raised: Vec<Vec<usize>>,
        held: Vec<Vec<usize>>,
        is_weak: Vec<bool>,
    }

    impl Plain {
        fn random(dice: &mut Dice) -> Plain {
            let states = 1 + dice.below(5) as usize;
            let demands = dice.below(4) as usize;
            let some = |dice: &mut Dice, in_ten: u32| (0..demands).filter(|_| dice.chance(in_ten)).collect::<Vec<_>>();
            let mut plain = Plain::default();
            let raises = 2 + dice.below(8);
            for _ in 0..states {
                let raised = some(dice, raises);
                let held = some(dice, 2).into_iter().filter(|demand| !raised.contains(demand)).collect();
                plain.raised.push(raised);
                plain.held.push(held);
            }
            plain.is_weak = (0..demands).map(|_| dice.chance(5)).collect();
            for _ in 0..dice.below(9) {
                let (from, to) = (dice.below(states as u32) as usize, dice.below(states as u32) as usize);
                let met = some(dice, 3);
                plain.edges.push((from, to, met));
            }
            plain.edges.sort();
            plain
        }

        fn graph(&self) -> Graph {
            let numbers = |row: &[usize]| row.iter().map(|&number| number as u32).collect::<Vec<_>>();
            let mut graph = Graph::default();
            for state in 0..self.raised.len() {
                let own = self.edges.iter().filter(|(from, ..)| *from == state);
                graph.edges.push(own.map(|(_, to, _)| *to as u32));
                graph.raised.push(numbers(&self.raised[state]));
                graph.held.push(numbers(&self.held[state]));
            }
            self.edges.iter().for_each(|(_, _, met)| graph.met.push(numbers(met)));
            let demand = |weak: &bool| if *weak { Demand::Weak } else { Demand::Strong };
            graph.demands = self.is_weak.iter().map(demand).collect();
            graph
        }

        /// By the definition: whether some infinite way meets exactly these edges infinitely often, and is fair.
        fn is_fair(&self, edges: &[usize]) -> bool {
            let states = self.states_of(edges);
            let reaches = |from: usize| {
                let mut met = vec![from];
                let mut next = 0;
                while let Some(&state) = met.get(next) {
                    next += 1;
                    for &edge in edges {
                        let (source, target, _) = self.edges[edge];
                        if source == state && !met.contains(&target) {
                            met.push(target);
                        }
                    }
                }
                met
            };
            let is_strong = states.iter().all(|&from| states.iter().all(|to| reaches(from).contains(to)));
            let is_met = |demand: usize| {
                let met = edges.iter().any(|&edge| self.edges[edge].2.contains(&demand));
                let raised = states.iter().any(|&state| self.raised[state].contains(&demand));
                let is_waived =
                    |state: usize| !self.raised[state].contains(&demand) && !self.held[state].contains(&demand);
                met || !raised || self.is_weak[demand] && states.iter().any(|&state| is_waived(state))
            };
            is_strong && (0..self.is_weak.len()).all(is_met)
        }

        fn states_of(&self, edges: &[usize]) -> Vec<usize> {
            let mut states: Vec<usize> =
                edges.iter().flat_map(|&edge| [self.edges[edge].0, self.edges[edge].1]).collect();
            states.sort_unstable();
            states.dedup();
            states
        }

        /// All states that some fair way meets infinitely often, by a look at each set of edges.
        fn fair_states(&self) -> Vec<usize> {
            let mut fair = Vec::new();
            for bits in 1..1u32 << self.edges.len() {
                let edges: Vec<usize> = (0..self.edges.len()).filter(|edge| bits >> edge & 1 == 1).collect();
                if self.is_fair(&edges) {
                    fair.extend(self.states_of(&edges));
                }
            }
            fair.sort_unstable();
            fair.dedup();
            fair
        }
    }

    /// Looks at one graph in both ways; says whether it has a fair cycle.
    fn agree(plain: &Plain) -> bool {
        let graph = plain.graph();
        let components = graph.fair_components((0..graph.len() as u32).collect());
        let mut found: Vec<usize> = components.iter().flatten().map(|&state| state as usize).collect();
        found.sort_unstable();
        assert_eq!(found, plain.fair_states(), "{plain:?}");
        for component in &components {
            for &start in component {
                let walk = graph.loop_in(component, start);
                assert_eq!(walk[0].0, start, "{plain:?}");
                for (&(from, edge), &(next, _)) in walk.iter().zip(walk.iter().cycle().skip(1)) {
                    let (source, target, _) = plain.edges[edge as usize];
                    assert_eq!((source, target), (from as usize, next as usize), "{plain:?}: {walk:?}");
                }
                let edges: Vec<usize> = walk.iter().map(|&(_, edge)| edge as usize).collect();
                assert!(plain.is_fair(&edges), "{plain:?}: {walk:?}");
            }
        }
        !components.is_empty()
    }

    #[test]
    fn components_and_loops_are_those_of_the_definition() {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let graphs = 40_000;
        let fair = (0..graphs).filter(|_| agree(&Plain::random(&mut dice))).count();
        // Graphs of both kinds are met often.
        assert!((graphs / 10..graphs * 9 / 10).contains(&fair), "{fair} of {graphs} have a fair cycle");
    }

    fn plain(states: usize, edges: &[(usize, usize, &[usize])], raised: &[(usize, usize)], is_weak: &[bool]) -> Plain {
        let of = |state: usize| raised.iter().filter(|(of, _)| *of == state).map(|&(_, demand)| demand).collect();
        Plain {
            edges: edges.iter().map(|&(from, to, met)| (from, to, met.to_vec())).collect(),
            raised: (0..states).map(of).collect(),
            held: vec![Vec::new(); states],
            is_weak: is_weak.to_vec(),
        }
    }

    #[test]
    fn a_component_may_be_fair_only_in_part() {
        // 0 and 1 go round; 1 and 2 as well, and 2 asks for what nothing gives.
        let edges: &[(usize, usize, &[usize])] = &[(0, 1, &[]), (1, 0, &[]), (1, 2, &[]), (2, 1, &[])];
        let known = plain(3, edges, &[(2, 0)], &[false]);
        assert!(agree(&known));
        assert_eq!(known.graph().fair_components(vec![0, 1, 2]), [[0, 1]]);
    }

    #[test]
    fn of_two_ways_round_only_one_is_fair() {
        // Two edges from 0 to 1, of which one meets the demand.
        let known = plain(2, &[(0, 1, &[]), (0, 1, &[0]), (1, 0, &[])], &[(0, 0), (1, 0)], &[true]);
        let walk = known.graph().loop_in(&[0, 1], 0);
        assert_eq!(walk, [(0, 1), (1, 2)]);
    }

    #[test]
    fn a_weak_demand_that_is_waived_once_in_a_round_asks_for_nothing() {
        let round: &[(usize, usize, &[usize])] = &[(0, 1, &[]), (1, 0, &[])];
        assert!(agree(&plain(2, round, &[(0, 0)], &[true])));
        assert!(!agree(&plain(2, round, &[(0, 0)], &[false])));
        assert!(!agree(&plain(2, round, &[(0, 0), (1, 0)], &[true])));
    }

    #[test]
    fn a_state_that_holds_a_demand_does_not_waive_it() {
        let mut known = plain(2, &[(0, 1, &[]), (1, 0, &[]), (1, 1, &[])], &[(0, 0)], &[true]);
        known.held[1].push(0);
        assert!(agree(&known));
        // Going round within the holding state raises nothing.
        assert_eq!(known.graph().fair_components(vec![0, 1]), [[1]]);
    }

    #[test]
    fn two_cycles_that_meet_in_a_state_make_one_walk() {
        // Each of the two cycles through 0 meets what the other one does not.
        let edges: &[(usize, usize, &[usize])] = &[(0, 1, &[0]), (0, 2, &[1]), (1, 0, &[]), (2, 0, &[])];
        let known = plain(3, edges, &[(0, 0), (0, 1)], &[false, false]);
        assert!(agree(&known));
        assert_eq!(known.graph().loop_in(&[0, 1, 2], 0).len(), 4);
    }

    #[test]
    fn a_state_without_an_edge_to_itself_is_no_cycle() {
        assert!(!agree(&plain(2, &[(0, 1, &[])], &[], &[])));
        assert!(agree(&plain(2, &[(0, 1, &[]), (1, 1, &[])], &[], &[])));
    }
}
