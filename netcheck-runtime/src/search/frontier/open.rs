//! Open states, any of which can be taken out or drawn.

use super::Random;
use crate::world::store::StateId;
use ahash::AHashMap;

#[derive(Default)]
pub(super) struct Open {
    states: Vec<StateId>,
    positions: AHashMap<StateId, u32>,
}

impl Open {
    /// Bytes of the state itself, and of its entry in the table.
    pub(super) const STATE_BYTES: usize = size_of::<StateId>() + 2 * size_of::<(StateId, u32)>();

    pub(super) fn insert(&mut self, state: StateId) {
        if self.contains(state) {
            return;
        }
        let position = u32::try_from(self.states.len()).expect("fewer than 4 billion states");
        self.positions.insert(state, position);
        self.states.push(state);
    }

    pub(super) fn contains(&self, state: StateId) -> bool {
        self.positions.contains_key(&state)
    }

    /// Says whether it was open.
    pub(super) fn remove(&mut self, state: StateId) -> bool {
        let Some(position) = self.positions.remove(&state) else { return false };
        self.states.swap_remove(position as usize);
        if let Some(moved) = self.states.get(position as usize) {
            self.positions.insert(*moved, position);
        }
        true
    }

    /// A random one; there is one.
    pub(super) fn any(&self, random: &mut Random) -> StateId {
        self.states[random.below(self.states.len())]
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }
}
