//! The steps of expanded states, so that a walk can pass through states that were explored before.

use super::Successor;
use crate::id::{NodeId, UnitId};
use crate::world::store::StateId;
use ahash::AHashMap;
use std::ops::Range;

/// A step of an expanded state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passable {
    pub(super) state: StateId,
    /// The unit that moves; [`NETWORK`] is the network.
    mover: u32,
    /// The unit's local state after it.
    pub(super) local: Option<NodeId>,
    pub(super) is_fault: bool,
}

const NETWORK: u32 = u32::MAX;

impl Passable {
    pub(super) fn mover(&self) -> Option<UnitId> {
        (self.mover != NETWORK).then_some(UnitId(self.mover))
    }
}

/// The steps of each expanded state.
#[derive(Default)]
pub(super) struct Passed {
    steps: Vec<Passable>,
    of: AHashMap<StateId, Range<u32>>,
}

impl Passed {
    pub(super) fn insert(&mut self, state: StateId, successors: &[Successor]) {
        let from = self.count();
        self.steps.extend(successors.iter().map(|successor| Passable {
            state: successor.state,
            mover: successor.unit.map_or(NETWORK, |unit| unit.0),
            local: successor.local,
            is_fault: successor.is_fault,
        }));
        self.of.insert(state, from..self.count());
    }

    /// The steps of a state; none if it was not expanded.
    pub(super) fn steps(&self, state: StateId) -> &[Passable] {
        self.of.get(&state).map_or(&[], |range| &self.steps[range.start as usize..range.end as usize])
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.steps.len() * size_of::<Passable>() + self.of.len() * 2 * size_of::<(StateId, Range<u32>)>()
    }

    fn count(&self) -> u32 {
        u32::try_from(self.steps.len()).expect("fewer than 4 billion steps")
    }
}
