//! Runs for edges that are taken next.
//!
//! A future can't be cloned: a run that takes a step is gone from the node that it leaves. So to leave a node a second way
//! another run has to come there: one that is [set back](super::set_back) there, or to the nearest node before it where that
//! is possible, or one that takes all steps from the program's beginning on. Where ways that part come together again, a
//! run arrives by each of them, and the next parting has a run for each way: along a chain of such partings polls grow as
//! the chain does, also where nothing can be set back.

use crate::id::NodeId;
use crate::operation::Input;
use crate::unit::automaton::Automata;
use crate::unit::instance::Instance;
use crate::unit::recency::Recency;
use crate::unit::set_back::{Copies, RunNumber};
use ahash::AHashMap;
use netcheck_memory::Arena;
use smallvec::SmallVec;

/// The most suspended runs that are kept if each has an arena. With those that are running and memory that a static holds,
/// they are less than the 255 arenas of a group: then what is left of a stale address is the same in all of them. Where
/// many checks run at once, or few arenas are left, they are a thread's share.
const WITH_ARENAS_MAX: usize = 192;

/// The most suspended runs that are kept else. Their futures and buffers may take tens of kilobytes each.
const WITHOUT_ARENAS_MAX: usize = 1_024;

/// The most suspended runs that are kept of those that have no arena, beside others that have one: of a chain of steps of
/// which something is kept, the last run goes on.
const KEEPERS_MAX: usize = 64;

/// The most runs that are suspended in one node: many histories may lead there, and few ways lead on.
const IN_ONE_NODE_MAX: usize = 4;

/// A run, between two steps.
pub(super) struct Run {
    pub(super) instance: Instance,
    /// Whether the run took the recorded history of its node, and not another one that was merged into it.
    pub(super) is_recorded: bool,
    number: RunNumber,
    /// The node of the copy that was made of it last, or to which it was set back.
    last: Option<NodeId>,
    /// Whether it was ever set back.
    pub(super) is_set_back: bool,
}

/// A run that is kept.
struct Kept {
    run: Run,
    /// The node in which it is suspended; `None` if it has come to its end, or its poll was abandoned.
    node: Option<NodeId>,
}

/// A bounded pool of runs, by their nodes.
pub(super) struct Pool {
    /// The most runs at this moment.
    runs_max: fn() -> usize,
    runs: AHashMap<RunNumber, Kept>,
    /// The runs that are suspended in each node; the one that was put there last comes last.
    by_node: AHashMap<NodeId, SmallVec<[RunNumber; 1]>>,
    /// The runs, by when they were put there.
    recency: Recency<RunNumber>,
    copies: Copies,
    copies_bytes_max: usize,
    made: RunNumber,
}

impl Pool {
    pub(super) fn new(has_arenas: bool, copies_bytes_max: usize) -> Self {
        let runs_max: fn() -> usize =
            if has_arenas { || WITH_ARENAS_MAX.min(Arena::share()) } else { || WITHOUT_ARENAS_MAX };
        Pool { copies_bytes_max, ..Pool::of(runs_max) }
    }

    /// For runs of which something is kept.
    pub(super) fn of_keepers() -> Self {
        Pool::of(|| KEEPERS_MAX)
    }

    fn of(runs_max: fn() -> usize) -> Self {
        let (runs, by_node, recency) = (AHashMap::new(), AHashMap::new(), Recency::default());
        Pool { runs_max, runs, by_node, recency, copies: Copies::default(), copies_bytes_max: 0, made: 0 }
    }

    /// A run that has taken no step yet.
    pub(super) fn new_run(&mut self, instance: Instance) -> Run {
        self.made += 1;
        Run { instance, is_recorded: true, number: self.made, last: None, is_set_back: false }
    }

    /// The last run that was suspended in a node, or else one that is set back there; or in the nearest node before it, with
    /// the steps from there to the node. All steps of the node's history if there is no such run.
    pub(super) fn nearest(&mut self, automata: &Automata, node: NodeId) -> (Option<Run>, Vec<(NodeId, Input)>) {
        let mut run = self.take_or_set_back(node);
        let mut steps = Vec::new();
        for step in automata.backwards(node) {
            if run.is_some() {
                break;
            }
            steps.push(step);
            run = self.take_or_set_back(step.0);
        }
        steps.reverse();
        (run, steps)
    }

    fn take_or_set_back(&mut self, node: NodeId) -> Option<Run> {
        match self.by_node.get(&node).and_then(|runs| runs.last()) {
            Some(&number) => self.take(number),
            None => self.set_back(node),
        }
    }

    fn take(&mut self, number: RunNumber) -> Option<Run> {
        let Kept { run, node } = self.runs.remove(&number)?;
        self.recency.remove(number);
        if let Some(node) = node
            && let Some(runs) = self.by_node.get_mut(&node)
        {
            runs.retain(|run| *run != number);
            if runs.is_empty() {
                self.by_node.remove(&node);
            }
        }
        Some(run)
    }

    /// A run that is set back to a node of which there is a copy.
    pub(super) fn set_back(&mut self, node: NodeId) -> Option<Run> {
        let number = self.copies.run_of(node)?;
        let mut run = self.take_from_where_it_is(number)?;
        let is_back = self.copies.set_back(node, &mut run.instance);
        (run.is_recorded, run.is_set_back, run.last) = (true, true, Some(node));
        is_back.then_some(run)
    }

    /// A run that is to be set back. Where it is suspended, there is a copy from then on; `None` if there can't be one.
    fn take_from_where_it_is(&mut self, number: RunNumber) -> Option<Run> {
        let Some(&Kept { node, .. }) = self.runs.get(&number) else {
            self.copies.forget(number);
            return None;
        };
        let mut run = self.take(number)?;
        match node {
            Some(node) if run.is_recorded && !self.copy(node, &mut run) => {
                self.put(node, run);
                None
            }
            _ => Some(run),
        }
    }

    /// Copies a run that is suspended in a node, if that is possible, and there is no copy. Returns whether there is one.
    pub(super) fn copy(&mut self, node: NodeId, run: &mut Run) -> bool {
        if run.is_recorded && self.copies_bytes_max > 0 && !self.copies.contains(node) {
            self.copies.save(node, (run.number, &run.instance), run.last, self.copies_bytes_max);
            run.last = Some(node).filter(|_| self.copies.contains(node)).or(run.last);
        }
        self.copies.contains(node)
    }

    /// Keeps a run that is suspended in a node, and drops the oldest ones if there are too many.
    pub(super) fn put(&mut self, node: NodeId, run: Run) {
        let runs = self.by_node.entry(node).or_default();
        runs.push(run.number);
        let surplus = (runs.len() > IN_ONE_NODE_MAX).then(|| runs[0]);
        self.keep(Some(node), run);
        surplus.into_iter().for_each(|surplus| self.drop_run(surplus));
    }

    /// Keeps a run that has come to its end, or whose poll was abandoned, if there are copies of it.
    pub(super) fn put_spent(&mut self, run: Run) {
        if self.copies.has_of(run.number) {
            self.keep(None, run);
        }
    }

    fn keep(&mut self, node: Option<NodeId>, run: Run) {
        self.recency.note(run.number);
        self.runs.insert(run.number, Kept { run, node });
        while self.runs.len() > (self.runs_max)()
            && let Some(oldest) = self.recency.pop()
        {
            self.drop_run(oldest);
        }
    }

    /// Drops a run, and its copies.
    fn drop_run(&mut self, number: RunNumber) {
        drop(self.take(number));
        self.copies.forget(number);
    }

    /// How often runs were set back, and the bytes that their copies take.
    pub(super) fn copied(&self) -> (u64, usize) {
        (self.copies.set_back, self.copies.bytes)
    }

    /// Drops the copies of a run.
    pub(super) fn forget_copies(&mut self, run: &Run) {
        self.copies.forget(run.number);
    }
}
