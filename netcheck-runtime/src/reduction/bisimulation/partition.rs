//! Partition refinement of local states and datagrams, as far as automata are known.
//!
//! Coarse classes are split until their members agree. A step that is not known contradicts nothing; it is learned
//! afterwards ([`Partition::missing`]), and the classes are worked out anew.

use super::Bisimulation;
use crate::id::{NodeId, OutcomeId, ProcessId};
use crate::operation::{Begun, Effect, Input, Offer, OperationKey, Outcome};
use crate::sorted::SortedSet;
use crate::unit::automaton::{Automata, EdgeId, NodeKind};
use crate::world::system::System;
use ahash::{AHashMap, AHashSet};
use std::collections::VecDeque;
use std::hash::Hash;

/// What is known of the steps of a local state.
#[derive(Clone, Copy)]
struct Known {
    asked: Asked,
    /// The number of what the step does, without its target.
    label: u32,
    target: NodeId,
}

/// A step of a local state: the input, and the number of the call at which it ends if it is tried at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Asked {
    key: OperationKey,
    outcome: OutcomeId,
    attempt: Option<u32>,
}

/// A step that has to be learned before its local state can be taken for another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    pub(super) process: ProcessId,
    pub(super) node: NodeId,
    pub(super) input: Input,
    /// The number of the call at which the step ends.
    pub(super) attempt: Option<u32>,
}

/// The result of a step, up to classes.
type Result = (u32, NodeId);

/// Classes of local states and datagrams whose known steps agree.
pub(super) struct Partition<'a> {
    automata: &'a Automata,
    /// By node: its steps, of processes that receive several datagrams.
    steps: Vec<Vec<Known>>,
    /// By node: its process, if its steps are listed.
    processes: Vec<Option<ProcessId>>,
    found: Bisimulation,
}

impl<'a> Partition<'a> {
    /// The classes, as far as automata are known; processes that are `left_out` have none.
    pub(super) fn of(system: &'a System, left_out: &SortedSet<ProcessId>) -> Partition<'a> {
        let automata = &system.learner.automata;
        let mut partition = Partition {
            automata,
            steps: vec![Vec::new(); automata.nodes.len()],
            processes: vec![None; automata.nodes.len()],
            found: Bisimulation::default(),
        };
        let datagrams = datagrams(system, left_out);
        if datagrams.is_empty() {
            return partition;
        }
        let receivers: AHashSet<ProcessId> = datagrams.keys().map(|&(process, _)| process).collect();
        partition.found.datagrams = datagrams;
        partition.list_steps(system, &receivers);
        partition.found.nodes = partition.candidates();
        while partition.split_datagrams() | partition.split_nodes() {}
        partition
    }

    pub(super) fn into_found(self) -> Bisimulation {
        self.found
    }

    fn list_steps(&mut self, system: &System, receivers: &AHashSet<ProcessId>) {
        let automata = self.automata;
        for (node, process) in automata.nodes.iter().zip(&mut self.processes) {
            // Units of ended and absent nodes have no number.
            let of = (node.kind == NodeKind::Live).then(|| system.process_of(node.unit));
            *process = of.filter(|process| receivers.contains(process));
        }
        let mut labels: AHashMap<_, u32> = AHashMap::new();
        for (edge, id) in automata.edges.iter().zip((0..).map(EdgeId)) {
            if self.processes[edge.source.index()].is_none() {
                continue;
            }
            let does: (&[Effect], _, &Begun) = (&edge.effects, &edge.roots, &edge.begun);
            let next = labels.len() as u32;
            let label = *labels.entry(does).or_insert(next);
            let Input { key, outcome } = edge.input;
            let attempt = automata.attempted(id).map(|(_, number)| number);
            let asked = Asked { key, outcome, attempt };
            self.steps[edge.source.index()].push(Known { asked, label, target: edge.target });
        }
    }

    /// The coarsest classes of nodes: those of one program that wait for the same, after as many steps.
    fn candidates(&self) -> Vec<NodeId> {
        let automata = self.automata;
        let levels = self.levels();
        let mut first: AHashMap<(NodeId, bool, u32, &[Offer]), NodeId> = AHashMap::new();
        let nodes = automata.nodes.iter().zip((0..).map(NodeId)).zip(&self.processes);
        let classes = nodes.map(|((node, id), process)| {
            let level = levels[id.index()];
            let is_shown = || automata.files(id).is_some();
            if process.is_none() || !node.tasks.is_empty() || node.dated.is_some() || is_shown() {
                return id;
            }
            *first.entry((node.root, node.waited, level, &node.offers)).or_insert(id)
        });
        classes.collect()
    }

    /// By node: the fewest known steps from the first node of its program.
    fn levels(&self) -> Vec<u32> {
        let mut levels = vec![u32::MAX; self.automata.nodes.len()];
        let roots = self.receiving().map(|(node, ..)| node).filter(|&node| self.automata.node(node).root == node);
        let mut open: VecDeque<NodeId> = roots.collect();
        open.iter().for_each(|root| levels[root.index()] = 0);
        while let Some(node) = open.pop_front() {
            for &Known { target, .. } in &self.steps[node.index()] {
                if levels[target.index()] == u32::MAX {
                    levels[target.index()] = levels[node.index()] + 1;
                    open.push_back(target);
                }
            }
        }
        levels
    }

    fn result(&self, known: &Known) -> Result {
        (known.label, self.found.node(known.target))
    }

    fn receiving(&self) -> impl Iterator<Item = (NodeId, ProcessId, &[Known])> {
        let nodes = self.steps.iter().zip(&self.processes).zip((0..).map(NodeId));
        nodes.filter_map(|((steps, process), node)| Some((node, (*process)?, &steps[..])))
    }

    /// The datagrams of each class, by the process and the first of them.
    fn datagram_classes(&self) -> Vec<((ProcessId, OutcomeId), Vec<OutcomeId>)> {
        members(self.found.datagrams.iter().map(|(&(process, it), &first)| ((process, first), it)))
    }

    /// The local states of each class, by the process and the first of them.
    fn node_classes(&self) -> Vec<((ProcessId, NodeId), Vec<NodeId>)> {
        members(self.receiving().map(|(node, process, _)| ((process, self.found.node(node)), node)))
    }

    /// Splits classes of datagrams that have different results in one local state; says whether there were any.
    fn split_datagrams(&mut self) -> bool {
        let mut columns: AHashMap<(ProcessId, OutcomeId), Vec<_>> = AHashMap::new();
        for (node, process, steps) in self.receiving() {
            for known in steps {
                let Asked { key, outcome, attempt } = known.asked;
                if self.found.datagrams.contains_key(&(process, outcome)) {
                    let column = columns.entry((process, outcome)).or_default();
                    column.push(((node, key, attempt), self.result(known)));
                }
            }
        }
        let mut is_split = false;
        for ((process, _), members) in self.datagram_classes() {
            let columns = members.iter().map(|&it| (it, columns.remove(&(process, it)).unwrap_or_default()));
            for (it, first) in agreeing(columns) {
                is_split |= self.found.datagrams.insert((process, it), first) != Some(first);
            }
        }
        is_split
    }

    /// Splits classes of local states that have different results for one class of outcomes.
    fn split_nodes(&mut self) -> bool {
        let mut is_split = false;
        let mut found = self.found.nodes.clone();
        for ((process, _), nodes) in self.node_classes().into_iter().filter(|(_, nodes)| nodes.len() > 1) {
            let rows = nodes.iter().map(|&node| {
                let row = self.steps[node.index()].iter().map(|known| {
                    let Asked { outcome, .. } = known.asked;
                    (Asked { outcome: self.found.datagram(process, outcome), ..known.asked }, self.result(known))
                });
                (node, row.collect::<Vec<_>>())
            });
            for (node, first) in agreeing(rows) {
                is_split |= std::mem::replace(&mut found[node.index()], first) != first;
            }
        }
        self.found.nodes = found;
        is_split
    }

    /// The steps that some members of a class have, and others are not known to have.
    pub(super) fn missing(&self) -> Vec<Missing> {
        let alike: AHashMap<_, _> = self.datagram_classes().into_iter().collect();
        let mut missing = Vec::new();
        for ((process, _), nodes) in self.node_classes() {
            let steps = nodes.iter().flat_map(|node| &self.steps[node.index()]);
            let mut asked: Vec<Asked> = steps
                .map(|Known { asked, .. }| Asked { outcome: self.found.datagram(process, asked.outcome), ..*asked })
                .collect();
            asked.sort_unstable();
            asked.dedup();
            for &node in &nodes {
                let known: AHashSet<Asked> = self.steps[node.index()].iter().map(|known| known.asked).collect();
                for of_class in &asked {
                    let only = [of_class.outcome];
                    let outcomes = alike.get(&(process, of_class.outcome)).map_or(&only[..], Vec::as_slice);
                    let each = outcomes.iter().map(|&outcome| Asked { outcome, ..*of_class });
                    missing.extend(each.filter(|asked| !known.contains(asked)).map(|asked| {
                        let input = Input { key: asked.key, outcome: asked.outcome };
                        Missing { process, node, input, attempt: asked.attempt }
                    }));
                }
            }
        }
        missing
    }
}

/// The datagrams that processes were given, by the first of those from one address that are as long; nothing of processes
/// that were never given two such.
fn datagrams(system: &System, left_out: &SortedSet<ProcessId>) -> AHashMap<(ProcessId, OutcomeId), OutcomeId> {
    let automata = &system.learner.automata;
    let given = automata.edges.iter().filter_map(|edge| {
        let Outcome::Datagram { from, payload } = automata.outcome(edge.input.outcome) else { return None };
        let process = system.process_of(automata.node(edge.source).unit);
        Some(((process, *from, payload.len()), edge.input.outcome))
    });
    let given = given.filter(|((process, ..), _)| !left_out.contains(process));
    let alike = members(given).into_iter().filter(|(_, alike)| alike.len() > 1);
    let each = alike.flat_map(|((process, ..), alike)| {
        let first = alike[0];
        alike.into_iter().map(move |outcome| ((process, outcome), first))
    });
    each.collect()
}

/// The members of each class, in order and each once; the classes by their first members.
fn members<C: Hash + Eq, M: Ord + Copy>(of: impl Iterator<Item = (C, M)>) -> Vec<(C, Vec<M>)> {
    let mut classes: AHashMap<C, Vec<M>> = AHashMap::new();
    for (class, member) in of {
        classes.entry(class).or_default().push(member);
    }
    let mut classes: Vec<(C, Vec<M>)> = classes.into_iter().collect();
    for (_, members) in &mut classes {
        members.sort_unstable();
        members.dedup();
    }
    classes.sort_by_key(|(_, members)| members[0]);
    classes
}

/// Groups of members whose known results do not contradict each other: each member with the first of its group.
fn agreeing<M: Copy, K: Hash + Eq, R: PartialEq>(members: impl Iterator<Item = (M, Vec<(K, R)>)>) -> Vec<(M, M)> {
    let mut groups: Vec<(M, AHashMap<K, R>)> = Vec::new();
    let mut found = Vec::new();
    for (member, results) in members {
        let agrees = |(_, known): &&mut (M, AHashMap<K, R>)| {
            results.iter().all(|(of, result)| known.get(of).is_none_or(|known| known == result))
        };
        match groups.iter_mut().find(agrees) {
            Some((first, known)) => {
                found.push((member, *first));
                known.extend(results);
            }
            None => {
                found.push((member, member));
                groups.push((member, results.into_iter().collect()));
            }
        }
    }
    found
}
