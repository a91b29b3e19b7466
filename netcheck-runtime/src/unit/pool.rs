//! Suspended runs, for edges that are taken next.
//!
//! A future can't be cloned: a run that takes a step is gone from the node that it leaves. So to leave a node a second way
//! another run has to come there, by all steps from the program's beginning on, or by those from the nearest node before
//! it in which a run is suspended. Where ways that part come together again, a run arrives by each of them, and the next
//! parting has a run for each way: along a chain of such partings polls grow as the chain does.

use crate::id::NodeId;
use crate::operation::Input;
use crate::unit::automaton::Automata;
use crate::unit::instance::Instance;
use ahash::AHashMap;
use netcheck_memory::Arena;
use smallvec::SmallVec;
use std::collections::VecDeque;

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

/// A suspended run.
pub(super) struct Run {
    pub(super) instance: Instance,
    /// Whether the run took the recorded history of its node, and not another one that was merged into it.
    pub(super) is_recorded: bool,
}

/// A bounded pool of suspended runs, by their nodes.
pub(super) struct Pool {
    /// The most runs at this moment.
    runs_max: fn() -> usize,
    /// The runs in each node, with the numbers by which they were put there; the last one comes last.
    runs: AHashMap<NodeId, SmallVec<[(u64, Run); 1]>>,
    count: usize,
    put: u64,
    /// Where runs were put, and their numbers; also of runs that were taken since.
    oldest: VecDeque<(NodeId, u64)>,
}

impl Pool {
    pub(super) fn new(has_arenas: bool) -> Self {
        Pool::of(if has_arenas { || WITH_ARENAS_MAX.min(Arena::share()) } else { || WITHOUT_ARENAS_MAX })
    }

    /// For runs of which something is kept.
    pub(super) fn of_keepers() -> Self {
        Pool::of(|| KEEPERS_MAX)
    }

    fn of(runs_max: fn() -> usize) -> Self {
        Pool { runs_max, runs: AHashMap::new(), count: 0, put: 0, oldest: VecDeque::new() }
    }

    /// The last run that was suspended in a node, or in the nearest node before it, and the steps from there to the node;
    /// all steps of the node's history if there is no such run.
    pub(super) fn nearest(&mut self, automata: &Automata, node: NodeId) -> (Option<Run>, Vec<(NodeId, Input)>) {
        let mut run = self.take(node);
        let mut steps = Vec::new();
        for step in automata.backwards(node) {
            if run.is_some() {
                break;
            }
            steps.push(step);
            run = self.take(step.0);
        }
        steps.reverse();
        (run, steps)
    }

    fn take(&mut self, node: NodeId) -> Option<Run> {
        let runs = self.runs.get_mut(&node)?;
        let (_, run) = runs.pop()?;
        if runs.is_empty() {
            self.runs.remove(&node);
        }
        self.count -= 1;
        Some(run)
    }

    /// Keeps a run, and drops the oldest ones if there are too many.
    pub(super) fn put(&mut self, node: NodeId, run: Run) {
        let runs_max = (self.runs_max)();
        let runs = self.runs.entry(node).or_default();
        if runs.len() == IN_ONE_NODE_MAX {
            runs.remove(0);
            self.count -= 1;
        }
        runs.push((self.put, run));
        self.oldest.push_back((node, self.put));
        (self.put, self.count) = (self.put + 1, self.count + 1);
        while self.count > runs_max {
            let Some((node, put)) = self.oldest.pop_front() else { break };
            self.drop_run(node, put);
        }
        if self.oldest.len() > 4 * runs_max {
            let runs = &self.runs;
            let is_there =
                |&(node, put): &(NodeId, u64)| runs.get(&node).is_some_and(|runs| runs.iter().any(|run| run.0 == put));
            self.oldest.retain(is_there);
        }
    }

    /// Drops a run, if it is still there.
    fn drop_run(&mut self, node: NodeId, put: u64) {
        let Some(runs) = self.runs.get_mut(&node) else { return };
        let before = runs.len();
        runs.retain(|(number, _)| *number != put);
        self.count -= before - runs.len();
        if runs.is_empty() {
            self.runs.remove(&node);
        }
    }
}
