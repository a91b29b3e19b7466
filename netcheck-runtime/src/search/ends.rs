//! The ends of executions, where states were split into parts.
//!
//! A state comes to rest where each of its parts does, in any combination (rule 1, [`parts`](crate::reduction::parts)).
//! A property of the end is shown the outputs of all processes and where the monitors are: the *outcome*. The
//! outcomes behind a state are those of the ends that can be reached from there, and of each state with parts that can be
//! reached, the combinations of the outcomes behind its parts, as far as their faults together stay within the budget.
//! Parts can lead to states that are split again, also to one that they were a part of, so the least solution of these
//! equations is worked out from the empty one. A state that is left out since another one covers it leads to that one:
//! both are states of the whole ([`subsumption`](crate::reduction::subsumption)), so that no outcome is added.

use crate::id::{NodeId, ProcessId};
use crate::unit::automaton::NodeKind;
use crate::world::components::{Component, ComponentId, StateVector};
use crate::world::step::Writes;
use crate::world::store::StateId;
use crate::world::system::System;
use ahash::AHashMap;
use smallvec::SmallVec;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

/// The ends that a search has come to, and the ways there, if it splits states.
#[derive(Default)]
pub(super) struct Ends {
    /// The ends, and the states in which they are seen.
    ends: Vec<(StateId, StateVector)>,
    /// The steps of the search, if ends may have to be combined.
    edges: Option<Vec<(StateId, StateId)>>,
    splits: AHashMap<StateId, Split>,
}

/// A state that was split.
struct Split {
    state: StateVector,
    parts: SmallVec<[(StateId, Writes); 4]>,
}

/// The values that an end is judged by, in the order of [`Outcomes::components`].
type Outcome = Box<[u32]>;

/// How an outcome is reached from a state.
#[derive(Clone)]
enum Way {
    /// An end that can be reached.
    End(StateId),
    /// A state with parts that can be reached, with each part and its outcome.
    Parts(StateId, Vec<(StateId, Outcome)>),
}

/// A combination of ends.
pub(super) struct Combined {
    /// The components that ends are judged by, with their values.
    pub(super) state: StateVector,
    /// States on the way: in each row, each state is followed by the next; a row begins where another one was split.
    pub(super) rows: Vec<Vec<StateId>>,
}

impl Ends {
    /// `combines`: states may be split.
    pub(super) fn new(combines: bool) -> Ends {
        Ends { edges: combines.then(Vec::new), ..Ends::default() }
    }

    pub(super) fn add(&mut self, id: StateId, state: &[u32]) {
        self.ends.push((id, StateVector::from_slice(state)));
    }

    /// A step leads from a state to another one.
    pub(super) fn lead(&mut self, from: StateId, to: StateId) {
        if let Some(edges) = &mut self.edges {
            edges.push((from, to));
        }
    }

    /// A state has a part, in which some components are forgotten.
    pub(super) fn split(&mut self, id: StateId, state: &[u32], (part, forgets): (StateId, &Writes)) {
        if self.edges.is_some() {
            let split = || Split { state: StateVector::from_slice(state), parts: SmallVec::new() };
            self.splits.entry(id).or_insert_with(split).parts.push((part, forgets.clone()));
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.edges.as_ref().map_or(0, |edges| edges.capacity() * size_of::<(StateId, StateId)>())
    }

    /// Whether ends have to be combined.
    pub(super) fn are_split(&self) -> bool {
        !self.splits.is_empty()
    }

    pub(super) fn take(&mut self) -> Vec<(StateId, StateVector)> {
        std::mem::take(&mut self.ends)
    }

    /// All combinations of ends that can be reached from the first state; `None` if there are more than `outcomes_max`.
    pub(super) fn combined(&mut self, system: &System, first: StateId, outcomes_max: usize) -> Option<Vec<Combined>> {
        let mut edges = self.edges.take().unwrap_or_default();
        edges.sort_unstable();
        edges.dedup();
        let outcomes = Outcomes { components: components(system), ends: self, edges, at_most: system.declared.at_most };
        let behind = outcomes.solve(system, first, outcomes_max)?;
        let each = behind[&first].keys();
        let combined = each
            .map(|outcome| Combined { state: outcomes.state(outcome), rows: outcomes.rows(&behind, first, outcome) });
        Some(combined.collect())
    }
}

/// The components that ends are judged by: outputs and files, monitors, faults.
fn components(system: &System) -> Vec<ComponentId> {
    let roots = system.processes.iter().flat_map(|process| &process.roots).map(|&unit| Component::Unit(unit));
    let monitors = (0..system.monitors.len() as u32).map(Component::Monitor);
    // What is left of the files of processes that stay down.
    let files = (0..system.processes.len() as u32).map(|process| Component::Storage(ProcessId(process)));
    let files = files.filter(|_| system.declares_crashes());
    let all = roots.chain(files).chain(monitors).chain([Component::Faults]);
    all.filter_map(|component| system.components.find(component)).collect()
}

/// By state: the outcomes behind it.
type Behind = AHashMap<StateId, BTreeMap<Outcome, Way>>;

/// The equations.
struct Outcomes<'a> {
    components: Vec<ComponentId>,
    ends: &'a Ends,
    /// In order.
    edges: Vec<(StateId, StateId)>,
    at_most: Option<u32>,
}

impl Outcomes<'_> {
    fn solve(&self, system: &System, first: StateId, outcomes_max: usize) -> Option<Behind> {
        let of_end: AHashMap<StateId, Outcome> =
            self.ends.ends.iter().map(|(id, state)| (*id, self.outcome(system, state))).collect();
        let parts = self.ends.splits.values().flat_map(|split| split.parts.iter().map(|(part, _)| *part));
        let mut roots: Vec<StateId> = parts.chain([first]).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut behind: Behind = AHashMap::new();
        let mut splits: Vec<(StateId, Vec<StateId>)> = Vec::new();
        for root in roots {
            let (ends, reached) = self.reached(root, &of_end);
            behind.insert(root, ends.into_iter().map(|end| (of_end[&end].clone(), Way::End(end))).collect());
            splits.push((root, reached));
        }
        loop {
            let mut are_more = false;
            for (root, reached) in &splits {
                for &split in reached {
                    for (outcome, way) in self.products(system, split, &behind, outcomes_max)? {
                        if let Entry::Vacant(new) = behind.get_mut(root).expect("it is a root").entry(outcome) {
                            new.insert(way);
                            are_more = true;
                        }
                    }
                }
            }
            if !are_more {
                return Some(behind);
            }
            if behind.values().map(BTreeMap::len).sum::<usize>() > outcomes_max {
                return None;
            }
        }
    }

    fn next(&self, from: StateId) -> impl Iterator<Item = StateId> + '_ {
        let first = self.edges.partition_point(|&(source, _)| source < from);
        self.edges[first..].iter().take_while(move |&&(source, _)| source == from).map(|&(_, target)| target)
    }

    /// The ends, and the states with parts, that can be reached from a state on no way through another state with parts.
    fn reached(&self, root: StateId, ends: &AHashMap<StateId, Outcome>) -> (Vec<StateId>, Vec<StateId>) {
        let (mut reached, mut splits) = (Vec::new(), Vec::new());
        self.walk(root, |state, _| {
            if ends.contains_key(&state) {
                reached.push(state);
            }
            if self.ends.splits.contains_key(&state) {
                splits.push(state);
            }
            false
        });
        (reached, splits)
    }

    /// Goes breadth-first through all states that can be reached, but not beyond a state with parts, until `visit` says
    /// that it is enough; it is told the state that each one was reached from.
    fn walk(&self, root: StateId, mut visit: impl FnMut(StateId, &AHashMap<StateId, StateId>) -> bool) {
        let mut before: AHashMap<StateId, StateId> = AHashMap::from_iter([(root, root)]);
        let mut open = VecDeque::from([root]);
        while let Some(state) = open.pop_front() {
            if visit(state, &before) {
                return;
            }
            if self.ends.splits.contains_key(&state) {
                continue;
            }
            for next in self.next(state) {
                if !before.contains_key(&next) {
                    before.insert(next, state);
                    open.push_back(next);
                }
            }
        }
    }

    /// The combinations of the outcomes behind the parts of a state.
    fn products(
        &self,
        system: &System,
        split: StateId,
        behind: &Behind,
        outcomes_max: usize,
    ) -> Option<BTreeMap<Outcome, Way>> {
        let Split { state, parts } = &self.ends.splits[&split];
        let base = self.outcome(system, state);
        let mut products: BTreeMap<Outcome, Vec<(StateId, Outcome)>> = BTreeMap::from([(base.clone(), Vec::new())]);
        for (part, forgets) in parts {
            let mut more: BTreeMap<Outcome, Vec<(StateId, Outcome)>> = BTreeMap::new();
            for (so_far, ways) in &products {
                for outcome in behind[part].keys() {
                    let Some(both) = self.both(system, (&base, so_far), (outcome, forgets)) else { continue };
                    more.entry(both)
                        .or_insert_with(|| ways.iter().cloned().chain([(*part, outcome.clone())]).collect());
                    if more.len() > outcomes_max {
                        return None;
                    }
                }
            }
            products = more;
        }
        Some(products.into_iter().map(|(outcome, ways)| (outcome, Way::Parts(split, ways))).collect())
    }

    /// An outcome of some parts and that of one more; `None` if they use too many faults.
    fn both(
        &self,
        system: &System,
        (base, so_far): (&Outcome, &Outcome),
        (of_part, forgets): (&Outcome, &Writes),
    ) -> Option<Outcome> {
        let mut both = so_far.clone();
        for (index, &component) in self.components.iter().enumerate() {
            if system.components.component(component) == Component::Faults {
                both[index] += of_part[index] - base[index];
                if self.at_most.is_some_and(|at_most| both[index] > at_most) {
                    return None;
                }
            } else if of_part[index] != base[index] && forgets.iter().all(|(forgotten, _)| *forgotten != component) {
                both[index] = of_part[index];
            }
        }
        Some(both)
    }

    fn outcome(&self, system: &System, state: &[u32]) -> Outcome {
        let value = |component: &ComponentId| match system.components.component(*component) {
            Component::Unit(_) => {
                let node = NodeId(component.of(state));
                let has_ended = matches!(system.learner.automata.node(node).kind, NodeKind::Ended { .. });
                let has_files = || system.learner.automata.files(node).is_some();
                match system.learner.automata.is_live(node) {
                    _ if has_ended || has_files() => node.0,
                    // It has not crashed.
                    true if system.declares_crashes() => NodeId::PARKED.0,
                    false if system.declares_crashes() => node.0,
                    _ => NodeId::ABSENT.0,
                }
            }
            _ => component.of(state),
        };
        self.components.iter().map(value).collect()
    }

    fn state(&self, outcome: &Outcome) -> StateVector {
        let mut state = Vec::new();
        for (component, &value) in self.components.iter().zip(outcome) {
            component.set(&mut state, value);
        }
        StateVector::from_vec(state)
    }

    /// The states on the way from a state to an outcome.
    fn rows(&self, behind: &Behind, root: StateId, outcome: &Outcome) -> Vec<Vec<StateId>> {
        let (to, parts) = match &behind[&root][outcome] {
            Way::End(end) => (*end, &[][..]),
            Way::Parts(split, parts) => (*split, &parts[..]),
        };
        let mut row = Vec::new();
        self.walk(root, |state, before| {
            if state == to {
                row = std::iter::successors(Some(to), |at| before.get(at).copied().filter(|from| from != at)).collect();
                row.reverse();
            }
            state == to
        });
        let mut rows = vec![row];
        for (part, outcome) in parts {
            rows.extend(self.rows(behind, *part, outcome));
        }
        rows
    }
}
