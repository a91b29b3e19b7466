//! Suspended runs, for edges that are taken next.

use crate::id::NodeId;
use crate::unit::instance::Instance;
use ahash::AHashMap;
use netcheck_memory::Arena;
use std::collections::VecDeque;

/// The most suspended runs that are kept if each has an arena. With those that are running and memory that a static holds,
/// they are less than the 255 arenas of a group: then what is left of a stale address is the same in all of them. Where
/// many checks run at once, or few arenas are left, they are a thread's share.
const WITH_ARENAS_MAX: usize = 192;

/// The most suspended runs that are kept else. Their futures and buffers may take tens of kilobytes each.
const WITHOUT_ARENAS_MAX: usize = 1_024;

/// A suspended run.
pub(super) struct Run {
    pub(super) instance: Instance,
    /// Whether the run took the recorded history of its node, and not another one that was merged into it.
    pub(super) is_recorded: bool,
}

/// A bounded pool of suspended runs, by their nodes.
pub(super) struct Pool {
    has_arenas: bool,
    runs: AHashMap<NodeId, Run>,
    oldest: VecDeque<NodeId>,
}

impl Pool {
    pub(super) fn new(has_arenas: bool) -> Self {
        Pool { has_arenas, runs: AHashMap::new(), oldest: VecDeque::new() }
    }

    /// The run that is suspended in a node, if it is kept.
    pub(super) fn take(&mut self, node: NodeId) -> Option<Run> {
        self.runs.remove(&node)
    }

    /// Keeps a run, and drops the oldest one if there are too many.
    pub(super) fn put(&mut self, node: NodeId, run: Run) {
        let runs_max = if self.has_arenas { WITH_ARENAS_MAX.min(Arena::share()) } else { WITHOUT_ARENAS_MAX };
        self.runs.insert(node, run);
        self.oldest.push_back(node);
        while self.runs.len() > runs_max {
            let Some(oldest) = self.oldest.pop_front() else { break };
            self.runs.remove(&oldest);
        }
        if self.oldest.len() > 4 * runs_max {
            self.oldest.retain(|node| self.runs.contains_key(node));
        }
    }
}
