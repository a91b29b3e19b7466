//! Runs that end, and runs that are set back.
//!
//! A node that is left a second way needs a run that is suspended in it. To run its history again takes as many polls as the
//! history has steps. So a run is copied where it is suspended, before it goes on ([`netcheck_memory::Saved`] says of what a
//! copy consists, and why it is the run that was copied), and set back there in place of a run of the whole history.
//!
//! A copy belongs to its run, since the addresses in it are those of the run's arena. A run that has come to its end, or
//! whose poll was abandoned, is *spent*: it goes on from any of its copies.
//!
//! Copies are bounded in bytes. The ones that were used least recently go first; a node whose copy is gone is reached from
//! the nearest node before it that has one.

use crate::id::{NodeId, UnitId};
use crate::unit::identity::memory::ImageId;
use crate::unit::instance::Instance;
use crate::unit::panics;
use crate::unit::poll::context::{self, State};
use crate::unit::poll::tasks::Task;
use crate::unit::program::Program;
use crate::unit::recency::Recency;
use ahash::{AHashMap, AHashSet};
use netcheck_memory::{Saved, call_on_step_stack, engine_region};
use std::rc::Rc;

/// Bytes that a copy takes beside the memory of its program, about.
const RECORD_BYTES: usize = 2048;

/// The number of a run among those of a learner.
pub(super) type RunNumber = u64;

/// A copy of a run.
pub(super) struct SavedRun {
    of: RunNumber,
    memory: Saved,
    state: State,
    spawned: Vec<(UnitId, Rc<Program>)>,
}

impl Instance {
    /// Ends the run. The program's destructors run in a context that is discarded: their calls get any answer, and have no
    /// effect.
    pub(super) fn end(&mut self) {
        self.context.set_discarded();
        let tasks = std::mem::take(&mut self.context.state().tasks.all);
        let tasks: Vec<Task> = tasks.into_iter().map(|(_, task)| task.take()).collect();
        // A panic in a destructor does not count, because the world is gone.
        let _ = panics::catch(|| context::enter(&self.context, || drop(tasks)));
        self.context.drop_rest();
        self.spawned.clear();
    }

    /// A copy, if the run is all that its program depends on and can change. It shares what is the same with another copy
    /// of the run.
    fn save(&self, of: RunNumber, like: Option<&SavedRun>) -> Option<SavedRun> {
        let like = like.filter(|like| like.of == of).map(|like| &like.memory);
        let (memory, state) = engine_region(|| self.context.save(like))?;
        Some(SavedRun { of, memory, state, spawned: self.spawned.clone() })
    }

    /// Ends the run, and puts a copy of it in place. Returns false if something outside still uses its memory.
    fn set_back(&mut self, saved: &SavedRun) -> bool {
        self.end();
        let is_back = engine_region(|| self.context.put_back(&saved.memory, &saved.state));
        if is_back {
            self.spawned = saved.spawned.clone();
        }
        is_back
    }

    /// Ends the run, and begins it anew in the same memory. Returns false if something outside still uses that.
    pub(super) fn restart(&mut self) -> bool {
        self.end();
        engine_region(|| self.context.begin_anew())
    }

    /// The image of the memory between two steps.
    pub(super) fn image(&self) -> Option<ImageId> {
        call_on_step_stack(|| engine_region(|| self.context.image().0))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.end();
    }
}

/// Copies of runs, by the nodes in which they are suspended.
#[derive(Default)]
pub(super) struct Copies {
    by_node: AHashMap<NodeId, SavedRun>,
    /// The nodes, by when their copies were made or used.
    recency: Recency<NodeId>,
    /// The nodes of each run's copies.
    nodes: AHashMap<RunNumber, AHashSet<NodeId>>,
    pub(super) bytes: usize,
    /// How often runs were set back.
    pub(super) set_back: u64,
}

impl Copies {
    /// Whether there is a copy of a run that is suspended in a node.
    pub(super) fn contains(&self, node: NodeId) -> bool {
        self.by_node.contains_key(&node)
    }

    /// The run of which there is a copy in a node.
    pub(super) fn run_of(&self, node: NodeId) -> Option<RunNumber> {
        self.by_node.get(&node).map(|saved| saved.of)
    }

    /// Copies a run that is suspended in a node without a copy; `before`: a node whose copy may have much in common
    /// with it. Of all copies, no more than so many bytes are kept.
    pub(super) fn save(
        &mut self,
        node: NodeId,
        (of, run): (RunNumber, &Instance),
        before: Option<NodeId>,
        bytes_max: usize,
    ) {
        let like = before.and_then(|before| self.by_node.get(&before));
        let Some(saved) = run.save(of, like) else { return };
        self.bytes += saved.memory.unshared_bytes() + RECORD_BYTES;
        self.by_node.insert(node, saved);
        self.nodes.entry(of).or_default().insert(node);
        self.recency.note(node);
        while self.bytes > bytes_max
            && let Some(oldest) = self.recency.pop()
        {
            self.remove(oldest);
        }
    }

    /// Sets a run back to its copy in a node. Returns false, and forgets all copies of the run, if it can't be.
    pub(super) fn set_back(&mut self, node: NodeId, run: &mut Instance) -> bool {
        let Some(saved) = self.by_node.get(&node) else { return false };
        let (of, is_back) = (saved.of, run.set_back(saved));
        self.set_back += u64::from(is_back);
        match is_back {
            true => self.recency.note(node),
            false => self.forget(of),
        }
        is_back
    }

    fn remove(&mut self, node: NodeId) {
        if let Some(saved) = self.by_node.remove(&node) {
            self.recency.remove(node);
            self.bytes = self.bytes.saturating_sub(saved.memory.unshared_bytes() + RECORD_BYTES);
            if let Some(nodes) = self.nodes.get_mut(&saved.of) {
                nodes.remove(&node);
            }
        }
    }

    /// Forgets the copies of a run that is gone.
    pub(super) fn forget(&mut self, of: RunNumber) {
        let nodes = self.nodes.remove(&of).unwrap_or_default();
        nodes.into_iter().for_each(|node| self.remove(node));
    }

    /// Whether there are copies of a run.
    pub(super) fn has_of(&self, of: RunNumber) -> bool {
        self.nodes.get(&of).is_some_and(|nodes| !nodes.is_empty())
    }
}
