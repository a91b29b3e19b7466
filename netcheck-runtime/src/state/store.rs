//! The visited states: vectors in one arena, found again by hash.
//!
//! A state lies in the arena behind a header of its own, and its id is where it lies: one
//! look at the table and one at the arena find it again.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

/// A visited state: where its vector begins in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StateId(u32);

/// Words in front of a vector: its length, the state that it was first reached from, its depth.
const HEADER_WORDS: usize = 3;

/// The parent of the first state.
const NO_PARENT: u32 = u32::MAX;

/// States, each stored once, with the state that it was first reached from.
pub(crate) struct Store {
    arena: Vec<u32>,
    states: usize,
    /// The upper half of each state's hash beside its id: growing the table and passing over
    /// other states touches no vector.
    table: HashTable<(u32, StateId)>,
    hasher: ahash::RandomState,
}

impl Store {
    pub(crate) fn new() -> Self {
        Store {
            arena: Vec::new(),
            states: 0,
            table: HashTable::new(),
            // Fixed seeds: the same run is the same run, to the last byte.
            hasher: ahash::RandomState::with_seeds(1, 2, 3, 4),
        }
    }

    /// The state's id, and whether it is new.
    pub(crate) fn insert(&mut self, state: &[u32], parent: Option<StateId>) -> (StateId, bool) {
        let Store { arena, states, table, hasher } = self;
        let tag = (hash(hasher, state) >> 32) as u32;
        let found = table.find(spread(tag), |&(other, id)| other == tag && vector(arena, id) == state);
        if let Some(&(_, id)) = found {
            return (id, false);
        }
        let depth = parent.map_or(0, |parent| arena[parent.0 as usize - 1] + 1);
        arena.extend([state.len() as u32, parent.map_or(NO_PARENT, |parent| parent.0), depth]);
        let id = StateId(u32::try_from(arena.len()).expect("fewer than 16 GiB of states"));
        arena.extend_from_slice(state);
        *states += 1;
        table.insert_unique(spread(tag), (tag, id), |&(tag, _)| spread(tag));
        (id, true)
    }

    pub(crate) fn get(&self, id: StateId) -> &[u32] {
        vector(&self.arena, id)
    }

    pub(crate) fn depth(&self, id: StateId) -> usize {
        self.arena[id.0 as usize - 1] as usize
    }

    pub(crate) fn len(&self) -> usize {
        self.states
    }

    /// The states from the first one to `id`.
    pub(crate) fn path(&self, id: StateId) -> Vec<StateId> {
        let parent = |id: &StateId| Some(self.arena[id.0 as usize - 2]).filter(|&id| id != NO_PARENT).map(StateId);
        let mut path: Vec<StateId> = std::iter::successors(Some(id), parent).collect();
        path.reverse();
        path
    }

    /// Bytes held for the states.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.arena.capacity() * size_of::<u32>() + self.table.allocation_size()
    }
}

fn vector(arena: &[u32], id: StateId) -> &[u32] {
    let from = id.0 as usize;
    &arena[from..from + arena[from - HEADER_WORDS] as usize]
}

/// A table hash from a tag: hashbrown takes the position from the lower bits and its control
/// bytes from the upper ones.
fn spread(tag: u32) -> u64 {
    u64::from(tag).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn hash(hasher: &ahash::RandomState, state: &[u32]) -> u64 {
    let mut hasher = hasher.build_hasher();
    // Two ids at a time: half the rounds.
    let mut pairs = state.chunks_exact(2);
    for pair in &mut pairs {
        hasher.write_u64(u64::from(pair[0]) << 32 | u64::from(pair[1]));
    }
    for &last in pairs.remainder() {
        hasher.write_u32(last);
    }
    hasher.finish()
}
