//! Depth-first by states of the network: see [`Search::NetworkStates`](super::Search::NetworkStates).
//!
//! A state is looked at when its turn has come: if a state with the same network has been explored before, it is put off,
//! and the next one on the stack is looked at. States that were put off have their turn when the stack is empty, the one
//! that has waited for the longest time first; what follows from them is looked at as before.

use super::Successor;
use crate::world::store::StateId;
use ahash::AHashSet;
use std::collections::VecDeque;

pub(crate) struct NetworkStates {
    open: Level,
    known: AHashSet<u64>,
}

impl NetworkStates {
    pub(super) const STATE_BYTES: usize = Level::STATE_BYTES;

    pub(super) fn new(first: StateId) -> NetworkStates {
        NetworkStates { open: Level::new(first), known: AHashSet::new() }
    }

    pub(super) fn extend(&mut self, successors: &[Successor]) {
        for successor in successors.iter().rev().filter(|successor| successor.is_new) {
            self.open.push(successor);
        }
    }

    pub(super) fn pop(&mut self) -> Option<StateId> {
        self.open.pop(Some(&mut self.known), |_| true)
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }
}

/// Open states on a stack, and those that were put off.
#[derive(Default)]
pub(super) struct Level {
    /// Each with its network; the next one is at the end.
    stack: Vec<(StateId, u64)>,
    /// The states that wait until the stack is empty.
    waiting: VecDeque<StateId>,
}

impl Level {
    /// Bytes of a state on the stack, and of a network that is known.
    pub(super) const STATE_BYTES: usize = size_of::<(StateId, u64)>() + 2 * size_of::<u64>();

    /// With the first state.
    pub(super) fn new(first: StateId) -> Level {
        Level { stack: Vec::new(), waiting: VecDeque::from([first]) }
    }

    pub(super) fn push(&mut self, successor: &Successor) {
        self.stack.push((successor.state, successor.network));
    }

    /// The next state of those that are still open. With `known` networks, states whose network is among them wait;
    /// without, the order is depth-first.
    pub(super) fn pop(
        &mut self,
        mut known: Option<&mut AHashSet<u64>>,
        is_open: impl Fn(StateId) -> bool,
    ) -> Option<StateId> {
        while let Some((state, network)) = self.stack.pop() {
            if !is_open(state) {
                continue;
            }
            if known.as_mut().is_none_or(|known| known.insert(network)) {
                return Some(state);
            }
            self.waiting.push_back(state);
        }
        loop {
            let state = self.waiting.pop_front()?;
            if is_open(state) {
                return Some(state);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.stack.len() + self.waiting.len()
    }
}
