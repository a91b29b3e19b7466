//! The visited states: vectors in one arena, found again by hash.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

/// A visited state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StateId(pub(crate) u32);

/// States, each stored once, with the state that it was first reached from.
pub(crate) struct Store {
    arena: Vec<u32>,
    /// Where each state ends in the arena.
    ends: Vec<usize>,
    parents: Vec<u32>,
    depths: Vec<u32>,
    table: HashTable<u32>,
    hasher: ahash::RandomState,
}

impl Store {
    pub(crate) fn new() -> Self {
        Store {
            arena: Vec::new(),
            ends: Vec::new(),
            parents: Vec::new(),
            depths: Vec::new(),
            table: HashTable::new(),
            // Fixed seeds: the same run is the same run, to the last byte.
            hasher: ahash::RandomState::with_seeds(1, 2, 3, 4),
        }
    }

    /// The state's id, and whether it is new.
    pub(crate) fn insert(&mut self, state: &[u32], parent: Option<StateId>) -> (StateId, bool) {
        let Store { arena, ends, parents, depths, table, hasher } = self;
        let hash_of_state = hash(hasher, state);
        if let Some(&id) = table.find(hash_of_state, |&id| slice(arena, ends, id) == state) {
            return (StateId(id), false);
        }
        let id = u32::try_from(ends.len()).expect("fewer than 2^32 states");
        arena.extend_from_slice(state);
        ends.push(arena.len());
        parents.push(parent.map_or(u32::MAX, |parent| parent.0));
        depths.push(parent.map_or(0, |parent| depths[parent.0 as usize] + 1));
        table.insert_unique(hash_of_state, id, |&id| hash(hasher, slice(arena, ends, id)));
        (StateId(id), true)
    }

    pub(crate) fn get(&self, id: StateId) -> &[u32] {
        slice(&self.arena, &self.ends, id.0)
    }

    pub(crate) fn depth(&self, id: StateId) -> usize {
        self.depths[id.0 as usize] as usize
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The states from the first one to `id`.
    pub(crate) fn path(&self, mut id: StateId) -> Vec<StateId> {
        let mut path = vec![id];
        while self.parents[id.0 as usize] != u32::MAX {
            id = StateId(self.parents[id.0 as usize]);
            path.push(id);
        }
        path.reverse();
        path
    }

    /// Bytes held for the states.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.arena.capacity() * 4
            + self.ends.capacity() * size_of::<usize>()
            + self.parents.capacity() * 4
            + self.depths.capacity() * 4
            + self.table.capacity() * 5
    }
}

fn slice<'a>(arena: &'a [u32], ends: &[usize], id: u32) -> &'a [u32] {
    let from = id.checked_sub(1).map_or(0, |previous| ends[previous as usize]);
    &arena[from..ends[id as usize]]
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
