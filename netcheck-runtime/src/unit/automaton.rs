//! Automata: a node is a local state with the operations that the unit waits for, an edge is an outcome.
//!
//! Data and look-up only; [`super::learn`] adds nodes and edges. A node never changes, and an edge is never removed.

use crate::id::{Mover, NodeId, OutcomeId, TaskId, UnitId};
use crate::operation::files::Tree;
use crate::operation::tasks;
use crate::operation::{Begun, Effect, Input, Offer, Operation, OperationKey, Outcome};
use crate::unit::identity::causality::{EventId, Events, ObjectId, TraceId};
use crate::unit::identity::checkpoint::PositionId;
use crate::unit::identity::memory::ImageId;
use crate::unit::panics::Panic;
use ahash::AHashMap;
use netcheck_memory::Dated;
use smallvec::{SmallVec, smallvec};
use std::hash::Hash;
use std::panic::Location;
use std::sync::{Arc, LazyLock};

/// A local state.
pub struct Node {
    pub unit: UnitId,
    /// The step that first led here. It gives the history of a live node, or one of several histories that differ only
    /// in the order of independent steps.
    pub(crate) from: Option<(NodeId, Input)>,
    /// The first node of the program.
    pub root: NodeId,
    /// The nodes from which edges lead here.
    pub(crate) before: SmallVec<[NodeId; 1]>,
    pub kind: NodeKind,
    /// Whether the unit has been in a state in which it could only wait.
    pub(crate) waited: bool,
    /// The instants that the memory holds, by the clock of a run that takes the history.
    pub(crate) dated: Option<Dated>,
    /// The operations that the unit waits for: one synchronous call, or all pending operations and runnable tasks.
    pub offers: Vec<Offer>,
    /// The live tasks with their last steps, if they are movers of their own: tracked tasks, between two polls.
    pub(crate) tasks: Box<[(TaskId, EventId)]>,
    edges: SmallVec<[(Input, EdgeId); 4]>,
}

/// The edges of a node that are looked through one by one: a few are found sooner so than in a table.
const EDGES_LOOKED_THROUGH: usize = 16;

impl Node {
    /// Whether the unit is in the middle of a poll, at a synchronous call.
    pub fn is_synchronous(&self) -> bool {
        matches!(&self.offers[..], [only] if only.key == OperationKey::ANSWER)
    }

    /// The operations that its tasks wait for, and their places.
    pub fn waits(&self) -> impl Clone + Eq + Hash + '_ {
        let waits = self.offers.iter().map(|offer| (offer.task, offer.location, &offer.operation));
        waits.collect::<SmallVec<[_; 4]>>()
    }

    /// The edges that leave the node.
    pub fn edges(&self) -> impl Iterator<Item = EdgeId> + '_ {
        self.edges.iter().map(|&(_, edge)| edge)
    }

    /// The offer that an input completes.
    pub fn offer(&self, input: Input) -> Option<&Offer> {
        match input.key {
            OperationKey::CANCEL => Some(&CANCEL),
            OperationKey::CRASH => Some(&CRASH),
            key => self.offers.iter().find(|offer| offer.key == key),
        }
    }
}

/// The offer that replaces all others of an aborted task: its root is polled, and ends.
static CANCEL: LazyLock<Offer> = LazyLock::new(|| of_world(OperationKey::CANCEL, tasks::Operation::Cancel));

/// The offer of a crash, which no program makes.
static CRASH: LazyLock<Offer> = LazyLock::new(|| of_world(OperationKey::CRASH, tasks::Operation::Crash));

/// An offer that no call of a program makes.
fn of_world(key: OperationKey, operation: tasks::Operation) -> Offer {
    let (operation, location) = (Operation::Tasks(operation), Location::caller());
    Offer { key, task: TaskId(0), is_called: false, operation, location, caller: None, execution: 0 }
}

/// An identity of a local state other than its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Identity {
    /// The history, up to the order of independent steps.
    Trace(TraceId),
    /// A checkpoint, and the answers since.
    Checkpoint(PositionId),
    /// The memory of the program.
    Memory(ImageId),
}

/// The kind of a local state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Live,
    /// Ended with this output: all histories with the same output are one node.
    Ended {
        output: u32,
    },
    Panicked(Panic),
    /// A daemon that nothing can wake, or a unit of another part: see `NodeId::PARKED` and `NodeId::ELSEWHERE`.
    Parked {
        in_accept: bool,
    },
    /// Ended with an output that can't be asked for; also a unit that is absent.
    Gone,
}

/// How far a unit is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It has not taken a step yet.
    First,
    Begun,
    /// Its state is not live.
    Over,
}

/// An edge's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub u32);

impl EdgeId {
    /// An edge that is learned only if its step is taken; see [`View::postponing`](crate::world::tables::View::postponing).
    pub(crate) const POSTPONED: EdgeId = EdgeId(u32::MAX);
}

/// One outcome in one local state.
pub struct Edge {
    pub source: NodeId,
    pub input: Input,
    /// `NodeId::ABSENT`: the program refuses the outcome, so that the step does not exist.
    pub target: NodeId,
    pub effects: Box<[Effect]>,
    /// The first nodes of the isolated tasks that this step spawns.
    pub roots: SmallVec<[(UnitId, NodeId); 1]>,
    /// The event of the step, if a tracked task took it.
    pub(crate) event: Option<EventId>,
    pub(crate) begun: Begun,
}

impl Edge {
    pub(crate) fn is_refused(&self) -> bool {
        self.target == NodeId::ABSENT
    }
}

/// The automata of all units, and the outcomes on their edges.
pub struct Automata {
    pub nodes: Vec<Node>,
    /// How far each node's unit is: a search asks for it in each state, for all units.
    stages: Vec<Stage>,
    pub edges: Vec<Edge>,
    /// The edges of nodes with more than [`EDGES_LOOKED_THROUGH`].
    by_input: AHashMap<(NodeId, Input), EdgeId>,
    outcomes: Vec<Outcome>,
    by_outcome: AHashMap<Outcome, OutcomeId>,
    by_output: AHashMap<u32, NodeId>,
    /// The files of the host in a local state in which the unit has not ended, if they are others than the check declares.
    files: AHashMap<NodeId, Arc<Tree>>,
    attempts: AHashMap<(EdgeId, u32), EdgeId>,
    attempted: AHashMap<EdgeId, (EdgeId, u32)>,
    /// Nodes that several histories lead to, by the program's first node, their identity, and whether the unit has
    /// waited.
    by_identity: AHashMap<(NodeId, Identity, bool), NodeId>,
}

impl Automata {
    /// An upper bound of the probability that two different images of memory had one digest: n²/2¹²⁹ for n images; `None`
    /// if local states are not told apart by memory.
    pub fn confusion_probability(&self) -> Option<f64> {
        let images = self.by_identity.keys().filter(|(_, identity, _)| matches!(identity, Identity::Memory(_))).count();
        (images > 0).then(|| (images as f64).powi(2) / 2f64.powi(129))
    }

    pub(crate) fn new() -> Self {
        let mut automata = Automata {
            nodes: Vec::new(),
            stages: Vec::new(),
            edges: Vec::new(),
            by_input: AHashMap::new(),
            outcomes: Vec::new(),
            by_outcome: AHashMap::new(),
            by_output: AHashMap::new(),
            files: AHashMap::new(),
            attempts: AHashMap::new(),
            attempted: AHashMap::new(),
            by_identity: AHashMap::new(),
        };
        let parked = |in_accept| NodeKind::Parked { in_accept };
        for kind in [NodeKind::Gone, parked(false), NodeKind::Gone, parked(true), parked(false)] {
            automata.add_node(UnitId(u32::MAX), None, kind, true, Vec::new());
        }
        automata
    }

    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    /// Whether a unit can go on from a node.
    pub(crate) fn is_live(&self, node: NodeId) -> bool {
        self.stages[node.index()] != Stage::Over
    }

    /// Whether a live unit has taken a step.
    pub(crate) fn has_begun(&self, node: NodeId) -> bool {
        self.stages[node.index()] == Stage::Begun
    }

    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.0 as usize]
    }

    /// The edge for an input, if it has been taken before.
    pub(crate) fn find(&self, node: NodeId, input: Input) -> Option<EdgeId> {
        let edges = &self.nodes[node.index()].edges;
        if edges.len() > EDGES_LOOKED_THROUGH {
            return self.by_input.get(&(node, input)).copied();
        }
        edges.iter().find(|(i, _)| *i == input).map(|&(_, edge)| edge)
    }

    /// The step of an edge up to the call that it begins with this number, which is tried at once.
    pub(crate) fn attempt(&self, edge: EdgeId, number: u32) -> Option<EdgeId> {
        self.attempts.get(&(edge, number)).copied()
    }

    /// The whole step of an edge that ends at a call which it begins, and the number of the call.
    pub(crate) fn attempted(&self, edge: EdgeId) -> Option<(EdgeId, u32)> {
        self.attempted.get(&edge).copied()
    }

    /// Adds the step of an edge up to a call that it begins: an edge that no input of its source leads to.
    pub(crate) fn add_attempt(&mut self, (of, number): (EdgeId, u32), edge: Edge) -> EdgeId {
        let id = EdgeId(self.edges.len() as u32);
        self.attempts.insert((of, number), id);
        self.attempted.insert(id, (of, number));
        self.nodes[edge.target.index()].before.push(edge.source);
        self.edges.push(edge);
        id
    }

    /// The edges of a node that were taken before.
    pub(crate) fn edges_of(&self, node: NodeId) -> impl ExactSizeIterator<Item = EdgeId> + Clone {
        self.nodes[node.index()].edges.iter().map(|&(_, edge)| edge)
    }

    pub fn outcome(&self, id: OutcomeId) -> &Outcome {
        &self.outcomes[id.0 as usize]
    }

    /// The number of an outcome that was met.
    pub(crate) fn number(&self, outcome: &Outcome) -> Option<OutcomeId> {
        self.by_outcome.get(outcome).copied()
    }

    pub(crate) fn intern(&mut self, outcome: &Outcome) -> OutcomeId {
        if let Some(&id) = self.by_outcome.get(outcome) {
            return id;
        }
        let id = OutcomeId(self.outcomes.len() as u32);
        self.outcomes.push(outcome.clone());
        self.by_outcome.insert(outcome.clone(), id);
        id
    }

    pub(crate) fn add_node(
        &mut self,
        unit: UnitId,
        from: Option<(NodeId, Input)>,
        kind: NodeKind,
        waited: bool,
        offers: Vec<Offer>,
    ) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let root = from.map_or(id, |(before, _)| self.node(before).root);
        let before = SmallVec::new();
        let (tasks, edges) = (Box::default(), SmallVec::new());
        self.stages.push(match (&kind, from) {
            (NodeKind::Live, None) => Stage::First,
            (NodeKind::Live, Some(_)) => Stage::Begun,
            _ => Stage::Over,
        });
        let dated = None;
        self.nodes.push(Node { unit, from, root, before, kind, waited, dated, offers, tasks, edges });
        id
    }

    /// The instants that the memory holds in a new node.
    pub(crate) fn set_dated(&mut self, node: NodeId, dated: Option<Dated>) {
        self.nodes[node.index()].dated = dated;
    }

    /// Makes the tasks of a new node movers of their own.
    pub(crate) fn set_tasks(&mut self, node: NodeId, tasks: Box<[(TaskId, EventId)]>) {
        self.nodes[node.index()].tasks = tasks;
    }

    /// The mover of an input in a node.
    pub(crate) fn mover(&self, node: NodeId, key: OperationKey) -> Mover {
        let node = self.node(node);
        if node.tasks.is_empty() {
            return Mover { unit: node.unit, task: None };
        }
        let offer = match key {
            OperationKey::CANCEL => Some(&*CANCEL),
            OperationKey::CRASH => Some(&*CRASH),
            key => node.offers.iter().find(|offer| offer.key == key),
        };
        Mover { unit: node.unit, task: offer.map(|offer| offer.task) }
    }

    /// The mover that is in the middle of a poll in a node.
    pub(crate) fn polled(&self, node: NodeId) -> Option<Mover> {
        self.node(node).is_synchronous().then(|| self.mover(node, OperationKey::ANSWER))
    }

    /// The movers that can take a step in a node.
    pub fn movers(&self, node: NodeId) -> SmallVec<[Mover; 4]> {
        let Node { unit, tasks, .. } = self.node(node);
        match &tasks[..] {
            [] => smallvec![Mover { unit: *unit, task: None }],
            tasks => tasks.iter().map(|&(task, _)| Mover { unit: *unit, task: Some(task) }).collect(),
        }
    }

    /// The last node before the poll of which `node` is a synchronous call, if its tasks are movers of their own; else
    /// the node itself.
    pub(crate) fn before_poll(&self, node: NodeId) -> NodeId {
        let mut before = node;
        while let (true, Some((earlier, _))) = (self.node(before).is_synchronous(), self.node(before).from) {
            before = earlier;
        }
        if self.node(before).tasks.is_empty() { node } else { before }
    }

    /// The end that a tracked task waits for before a step that it takes from a node, if it waits for nothing else.
    pub(crate) fn sole_wait_before(&self, events: &Events, source: NodeId, task: TaskId) -> Option<ObjectId> {
        let before = self.node(self.before_poll(source));
        let &(_, event) = before.tasks.iter().find(|(other, _)| *other == task)?;
        let has_offers = before.offers.iter().any(|offer| offer.task == task && offer.key.task_to_run().is_none());
        events.touched_by(task, event)?.awaited.filter(|_| !has_offers)
    }

    /// The end that a tracked task waits for after an edge of its own, if it waits for nothing else.
    pub(crate) fn sole_wait(&self, events: &Events, edge: EdgeId, task: TaskId) -> Option<ObjectId> {
        let Edge { target, event, .. } = self.edge(edge);
        let has_offers =
            self.node(*target).offers.iter().any(|offer| offer.task == task && offer.key.task_to_run().is_none());
        events.touched_by(task, (*event)?)?.awaited.filter(|_| !has_offers)
    }

    /// In a local state, the files of the host are others than the check declares.
    pub(crate) fn set_files(&mut self, node: NodeId, files: Arc<Tree>) {
        self.files.insert(node, files);
    }

    /// The files of the host in a local state in which the unit has not ended, if they are others than the check declares.
    pub(crate) fn files(&self, node: NodeId) -> Option<&Arc<Tree>> {
        self.files.get(&node)
    }

    /// The node of every unit that ended with this output.
    pub(crate) fn ended(&mut self, output: u32) -> NodeId {
        if let Some(&node) = self.by_output.get(&output) {
            return node;
        }
        let node = self.add_node(UnitId(u32::MAX), None, NodeKind::Ended { output }, true, Vec::new());
        self.by_output.insert(output, node);
        node
    }

    /// The node of this identity, if it was met before.
    pub(crate) fn identified(&self, root: NodeId, identity: Identity, waited: bool) -> Option<NodeId> {
        self.by_identity.get(&(root, identity, waited)).copied()
    }

    /// Makes `node` the node of an identity, unless another node has it.
    pub(crate) fn identify(&mut self, identity: Identity, node: NodeId) {
        let Node { root, waited, .. } = *self.node(node);
        self.by_identity.entry((root, identity, waited)).or_insert(node);
    }

    /// The nodes that are identified by a checkpoint, each with its position.
    pub fn positions(&self) -> impl Iterator<Item = (NodeId, PositionId)> {
        self.by_identity.iter().filter_map(|((_, identity, _), &node)| match identity {
            Identity::Checkpoint(position) => Some((node, *position)),
            Identity::Trace(_) | Identity::Memory(_) => None,
        })
    }

    pub(crate) fn add_edge(&mut self, edge: Edge) -> EdgeId {
        let id = EdgeId(self.edges.len() as u32);
        let edges = &mut self.nodes[edge.source.index()].edges;
        edges.push((edge.input, id));
        match edges.len() {
            0..=EDGES_LOOKED_THROUGH => {}
            len if len == EDGES_LOOKED_THROUGH + 1 => {
                self.by_input.extend(edges.iter().map(|&(input, id)| ((edge.source, input), id)));
            }
            _ => _ = self.by_input.insert((edge.source, edge.input), id),
        }
        if self.node(edge.target).kind == NodeKind::Live {
            self.nodes[edge.target.index()].before.push(edge.source);
        }
        self.edges.push(edge);
        id
    }

    /// The steps of one poll, the last of which is `input` in `node`: a synchronous call is answered within the poll of
    /// the step before it.
    pub(crate) fn poll(&self, node: NodeId, input: Input) -> SmallVec<[(NodeId, Input); 4]> {
        let mut steps = smallvec![(node, input)];
        let mut first = node;
        while self.node(first).is_synchronous() {
            let before = self.node(first).from.expect("a program starts with a step");
            steps.push(before);
            first = before.0;
        }
        steps.reverse();
        steps
    }

    /// The steps from the root of a node's program to the node.
    pub fn history(&self, node: NodeId) -> (NodeId, Vec<(NodeId, Input)>) {
        let mut steps: Vec<(NodeId, Input)> = self.backwards(node).collect();
        steps.reverse();
        (self.node(node).root, steps)
    }

    /// The steps from the root of an edge's program to the end of the edge.
    pub(crate) fn history_with(&self, edge: EdgeId) -> Vec<(NodeId, Input)> {
        let Edge { source, input, .. } = *self.edge(edge);
        let (_, mut steps) = self.history(source);
        steps.push((source, input));
        steps
    }

    /// The steps to a node, the last one first.
    pub(crate) fn backwards(&self, node: NodeId) -> impl Iterator<Item = (NodeId, Input)> {
        std::iter::successors(self.node(node).from, |&(before, _)| self.node(before).from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_found_among_few_and_many() {
        let mut automata = Automata::new();
        let [few, many] = [(); 2].map(|()| automata.add_node(UnitId(0), None, NodeKind::Live, false, Vec::new()));
        let input = |number: u32| Input { key: OperationKey::START, outcome: OutcomeId(number) };
        let counts = [(few, EDGES_LOOKED_THROUGH as u32), (many, 3 * EDGES_LOOKED_THROUGH as u32)];
        let mut known = Vec::new();
        for (source, count) in counts {
            for number in 0..count {
                assert_eq!(automata.find(source, input(number)), None);
                let (effects, roots) = (Box::default(), SmallVec::new());
                let (event, begun) = (None, Begun::default());
                let edge = Edge { source, input: input(number), target: few, effects, roots, event, begun };
                known.push((source, number, automata.add_edge(edge)));
                for &(source, number, edge) in &known {
                    assert_eq!(automata.find(source, input(number)), Some(edge));
                }
            }
            assert_eq!(automata.edges_of(source).len(), count as usize);
        }
    }
}
