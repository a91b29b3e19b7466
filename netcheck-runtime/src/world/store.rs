//! The visited states.
//!
//! An exact store keeps each state in an arena: its values as varints (LEB128), after the parent (the state from which
//! it was first reached) and the depth. The id of a state is its offset in the arena, so that a look-up reads the table
//! once and the arena once. A store of fingerprints keeps 64 bits of each expanded state (C. Courcoubetis, M. Vardi, P.
//! Wolper, M. Yannakakis, "Memory-efficient algorithms for the verification of temporal properties", 1992; G. Holzmann
//! calls it hash compaction): two states with one fingerprint are taken for one, and the successors of the second are
//! omitted.

use super::components::StateVector;
use ahash::{AHashMap, AHashSet};
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

/// A visited state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u32);

/// How visited states are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All of them: nothing is missed.
    #[default]
    Exact,
    /// 64 bits of each: far less memory, and a small probability that states are missed, which
    /// the report states.
    Fingerprint,
}

/// The visited states, each stored once, with its parent.
pub struct Store {
    kept: Kept,
    scratch: Vec<u8>,
}

enum Kept {
    Exact(Exact),
    Fingerprints(Fingerprints),
}

/// A state as bytes, with their hash.
#[derive(Clone, Copy)]
pub(crate) struct Encoded<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) hash: u64,
}

/// Most values take one byte, so that several can be tested together.
const AT_ONCE: usize = 8;

/// The highest bits of eight bytes: each says that a value goes on.
const CONTINUED: u64 = 0x8080_8080_8080_8080;

/// The most bytes that a value takes.
const WORD_BYTES_MAX: usize = 5;

/// The parent of the first state.
const NO_PARENT: u32 = u32::MAX;

/// In the word of a state's depth: the state has been expanded.
const CLOSED: u32 = 1 << 31;

impl Store {
    pub(crate) fn new(keep: Keep) -> Self {
        Store {
            kept: match keep {
                Keep::Exact => Kept::Exact(Exact::default()),
                Keep::Fingerprint => Kept::Fingerprints(Fingerprints::default()),
            },
            scratch: Vec::new(),
        }
    }

    /// Appends a state as bytes; returns their hash.
    pub(crate) fn encode(state: &[u32], bytes: &mut Vec<u8>) -> u64 {
        let from = bytes.len();
        for words in state.chunks(AT_ONCE) {
            if words.iter().fold(0, |all, &word| all | word) < 0x80 {
                bytes.extend(words.iter().map(|&word| word as u8));
            } else {
                encode_words(words, bytes);
            }
        }
        // Fixed seeds, so that every run gives the same result.
        let mut hasher = ahash::RandomState::with_seeds(1, 2, 3, 4).build_hasher();
        hasher.write(&bytes[from..]);
        hasher.finish()
    }

    /// The state's id, and whether it is new.
    pub(crate) fn insert_encoded(&mut self, state: Encoded<'_>, parent: Option<StateId>) -> (StateId, bool) {
        match &mut self.kept {
            Kept::Exact(exact) => exact.insert(state, parent),
            Kept::Fingerprints(fingerprints) => fingerprints.insert(state, parent),
        }
    }

    /// The id of a state that was visited.
    pub(crate) fn find_encoded(&self, Encoded { bytes, hash }: Encoded<'_>) -> Option<StateId> {
        match &self.kept {
            Kept::Exact(exact) => exact.find(bytes, hash),
            Kept::Fingerprints(fingerprints) => fingerprints.find(hash),
        }
    }

    /// As [`Store::insert_encoded`], for a state that is not encoded yet.
    pub(crate) fn insert(&mut self, state: &[u32], parent: Option<StateId>) -> (StateId, bool) {
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        let hash = Store::encode(state, &mut bytes);
        let inserted = self.insert_encoded(Encoded { bytes: &bytes, hash }, parent);
        self.scratch = bytes;
        inserted
    }

    /// As [`Store::find_encoded`], for a state that is not encoded yet.
    pub(crate) fn find(&mut self, state: &[u32]) -> Option<StateId> {
        self.scratch.clear();
        let hash = Store::encode(state, &mut self.scratch);
        self.find_encoded(Encoded { bytes: &self.scratch, hash })
    }

    /// A state is expanded now, and will not be read any more.
    pub(crate) fn close(&mut self, id: StateId) {
        match &mut self.kept {
            Kept::Exact(exact) => {
                let (parent, depth, _) = exact.header(id);
                exact.set_way(id, [parent, depth | CLOSED]);
            }
            Kept::Fingerprints(fingerprints) => _ = fingerprints.open.remove(&id),
        }
    }

    /// Whether a state has been expanded, or is being expanded now.
    pub(crate) fn is_closed(&self, id: StateId) -> bool {
        match &self.kept {
            Kept::Exact(exact) => exact.header(id).1 & CLOSED != 0,
            Kept::Fingerprints(fingerprints) => !fingerprints.open.contains_key(&id),
        }
    }

    /// Decodes a state that is still to be expanded into `state`.
    pub(crate) fn look_at(&self, id: StateId, state: &mut Vec<u32>) {
        let bytes = match &self.kept {
            Kept::Exact(exact) => exact.get(id),
            Kept::Fingerprints(fingerprints) => fingerprints.open.get(&id).expect("a state is expanded once"),
        };
        decode(bytes, state);
    }

    /// As [`Store::look_at`], as a new vector.
    pub(crate) fn state(&self, id: StateId) -> StateVector {
        let mut state = Vec::new();
        self.look_at(id, &mut state);
        StateVector::from_vec(state)
    }

    /// Whether visited states are kept as they are, and not only their fingerprints.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self.kept, Kept::Exact(_))
    }

    /// A random visited state of an exact store: `below` returns a random number less than its argument.
    pub fn sample(&self, below: impl FnOnce(usize) -> usize) -> Option<StateVector> {
        let Kept::Exact(exact) = &self.kept else { return None };
        Some(self.state(exact.at(below(exact.bytes().max(1)))))
    }

    /// For each component, how many values it has in the visited states of an exact store, of which at most `states_max`
    /// are looked at.
    pub fn count_values(&self, states_max: usize) -> Vec<usize> {
        let count = self.len().min(states_max);
        let states = (0..count).map_while(|index| self.sample(|bytes| (bytes / count).saturating_mul(index)));
        let mut values: Vec<AHashSet<u32>> = Vec::new();
        let mut before = StateVector::default();
        for state in states {
            values.resize_with(values.len().max(state.len()), AHashSet::new);
            // From one state to the next, few components change.
            for (component, (values, &value)) in values.iter_mut().zip(&*state).enumerate() {
                if before.get(component) != Some(&value) {
                    values.insert(value);
                }
            }
            before = state;
        }
        values.iter().map(|values| values.len()).collect()
    }

    /// The states of an exact store.
    pub(crate) fn ids(&self) -> impl Iterator<Item = StateId> {
        let exact = match &self.kept {
            Kept::Exact(exact) => Some(exact.table.iter().map(|&(_, id)| id)),
            Kept::Fingerprints(_) => None,
        };
        exact.into_iter().flatten()
    }

    pub(crate) fn depth(&self, id: StateId) -> usize {
        match &self.kept {
            Kept::Exact(exact) => exact.depth(id) as usize,
            Kept::Fingerprints(fingerprints) => fingerprints.depths[id.0 as usize] as usize,
        }
    }

    /// For each depth, how many states were first reached there.
    pub fn states_by_depth(&self) -> Vec<usize> {
        let mut states = Vec::new();
        let mut count = |depth: u32| {
            let depth = depth as usize;
            states.resize(states.len().max(depth + 1), 0);
            states[depth] += 1;
        };
        match &self.kept {
            Kept::Exact(exact) => exact.table.iter().for_each(|&(_, id)| count(exact.depth(id))),
            Kept::Fingerprints(fingerprints) => fingerprints.depths.iter().for_each(|&depth| count(depth)),
        }
        states
    }

    /// Makes `parent` the parent of a state that was not expanded.
    pub(crate) fn lead(&mut self, id: StateId, parent: StateId) {
        let depth = self.depth(parent) as u32 + 1;
        match &mut self.kept {
            Kept::Exact(exact) => exact.set_way(id, [parent.0, depth]),
            Kept::Fingerprints(fingerprints) => {
                let index = id.0 as usize;
                (fingerprints.parents[index], fingerprints.depths[index]) = (parent.0, depth);
            }
        }
    }

    #[allow(clippy::len_without_is_empty, reason = "a search begins with a state")]
    pub fn len(&self) -> usize {
        match &self.kept {
            Kept::Exact(exact) => exact.states,
            Kept::Fingerprints(fingerprints) => fingerprints.states.len(),
        }
    }

    /// The states on the path from the first state to `id`.
    pub(crate) fn path(&self, id: StateId) -> Vec<StateId> {
        let parent = |id: &StateId| {
            let parent = match &self.kept {
                Kept::Exact(exact) => exact.header(*id).0,
                Kept::Fingerprints(fingerprints) => fingerprints.parents[id.0 as usize],
            };
            (parent != NO_PARENT).then_some(StateId(parent))
        };
        let mut path: Vec<StateId> = std::iter::successors(Some(id), parent).collect();
        path.reverse();
        path
    }

    /// Bytes held for the states.
    pub fn memory_bytes(&self) -> usize {
        match &self.kept {
            Kept::Exact(exact) => exact.memory_bytes(),
            Kept::Fingerprints(fingerprints) => fingerprints.memory_bytes(),
        }
    }

    /// An upper bound of the probability that two states had one fingerprint: n²/2⁶⁵ for n states.
    pub fn omission_probability(&self) -> Option<f64> {
        match &self.kept {
            Kept::Exact(_) => None,
            Kept::Fingerprints(fingerprints) => {
                let states = fingerprints.states.len() as f64;
                Some((states * states / 2f64.powi(65)).min(1.0))
            }
        }
    }
}

/// Whole states.
#[derive(Default)]
struct Exact {
    /// Chunks of states. No chunk is moved, so that growing needs no second copy.
    arena: Vec<Box<[u8]>>,
    /// Bytes of the last chunk that are used.
    taken: usize,
    /// For each block of the arena: the state with its first byte; past the end of a chunk's states, one of the last.
    blocks: Vec<StateId>,
    states: usize,
    /// The upper half of each state's hash, with its id: the table grows and skips other states without reading the
    /// arena.
    table: HashTable<(u32, StateId)>,
}

const CHUNK_BYTES: usize = 1 << 20;

/// Within so many bytes, a state is looked for from one to the next.
const BLOCK_BYTES: usize = 1 << 10;

/// States begin at multiples of this, so that an offset fits into 32 bits.
const ALIGNMENT: usize = 4;

/// Bytes in front of each state, for its parent, depth and length.
const HEADER_BYTES: usize = 12;

impl Exact {
    fn insert(&mut self, Encoded { bytes, hash }: Encoded<'_>, parent: Option<StateId>) -> (StateId, bool) {
        if let Some(id) = self.find(bytes, hash) {
            return (id, false);
        }
        let depth = parent.map_or(0, |parent| self.depth(parent) + 1);
        let size = (HEADER_BYTES + bytes.len()).next_multiple_of(ALIGNMENT);
        assert!(size <= CHUNK_BYTES, "a state fits into a chunk");
        if self.arena.is_empty() || self.taken + size > CHUNK_BYTES {
            self.arena.push(vec![0; CHUNK_BYTES].into_boxed_slice());
            self.taken = 0;
        }
        let at = (self.arena.len() - 1) * CHUNK_BYTES + self.taken;
        let id = StateId(u32::try_from(at / ALIGNMENT).expect("fewer than 16 GiB of states"));
        let place = &mut self.arena.last_mut().expect("just made")[self.taken..self.taken + size];
        let words = [parent.map_or(NO_PARENT, |parent| parent.0), depth, bytes.len() as u32];
        for (word, to) in words.iter().zip(place.chunks_exact_mut(4)) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        place[HEADER_BYTES..HEADER_BYTES + bytes.len()].copy_from_slice(bytes);
        self.taken += size;
        self.states += 1;
        while self.blocks.len() * BLOCK_BYTES < at + size {
            let ends_before = self.blocks.len() * BLOCK_BYTES < at;
            self.blocks.push(self.blocks.last().copied().filter(|_| ends_before).unwrap_or(id));
        }
        let tag = (hash >> 32) as u32;
        self.table.insert_unique(spread(tag), (tag, id), |&(tag, _)| spread(tag));
        (id, true)
    }

    fn find(&self, bytes: &[u8], hash: u64) -> Option<StateId> {
        let tag = (hash >> 32) as u32;
        let is_it = |&(other, id): &(u32, StateId)| other == tag && self.get(id) == bytes;
        self.table.find(spread(tag), is_it).map(|&(_, id)| id)
    }

    fn get(&self, id: StateId) -> &[u8] {
        let (_, _, length) = self.header(id);
        let (chunk, at) = self.place(id);
        &chunk[at + HEADER_BYTES..at + HEADER_BYTES + length as usize]
    }

    fn depth(&self, id: StateId) -> u32 {
        self.header(id).1 & !CLOSED
    }

    /// Parent, depth with the mark of expanded states, and length.
    fn header(&self, id: StateId) -> (u32, u32, u32) {
        let (chunk, at) = self.place(id);
        let word = |index: usize| {
            let bytes = chunk[at + 4 * index..at + 4 * index + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes)
        };
        (word(0), word(1), word(2))
    }

    fn memory_bytes(&self) -> usize {
        let blocks = self.blocks.capacity() * size_of::<StateId>();
        self.arena.len() * CHUNK_BYTES + self.table.allocation_size() + blocks
    }

    /// Bytes of all states.
    fn bytes(&self) -> usize {
        self.arena.len().saturating_sub(1) * CHUNK_BYTES + self.taken
    }

    /// The state whose bytes are at an offset; past the end, the last state of the chunk.
    fn at(&self, byte: usize) -> StateId {
        let chunk = byte / CHUNK_BYTES * CHUNK_BYTES;
        let block = (byte / BLOCK_BYTES).min(self.blocks.len() - 1);
        let id = |at: usize| StateId((at / ALIGNMENT) as u32);
        let size = |at: usize| (HEADER_BYTES + self.header(id(at)).2 as usize).next_multiple_of(ALIGNMENT);
        let mut at = self.blocks[block].0 as usize * ALIGNMENT;
        loop {
            let next = at + size(at);
            // After the last state of a chunk there are zeros, and no state is empty.
            let is_last = next + HEADER_BYTES > chunk + CHUNK_BYTES || self.header(id(next)).2 == 0;
            if byte < next || is_last {
                return id(at);
            }
            at = next;
        }
    }

    /// Sets the parent, and the depth with the mark of expanded states.
    fn set_way(&mut self, id: StateId, words: [u32; 2]) {
        let at = id.0 as usize * ALIGNMENT;
        let header = &mut self.arena[at / CHUNK_BYTES][at % CHUNK_BYTES..];
        for (word, to) in words.iter().zip(header.chunks_exact_mut(4)) {
            to.copy_from_slice(&word.to_le_bytes());
        }
    }

    fn place(&self, id: StateId) -> (&[u8], usize) {
        let at = id.0 as usize * ALIGNMENT;
        (&self.arena[at / CHUNK_BYTES], at % CHUNK_BYTES)
    }
}

/// Fingerprints of states; a state that is still to be expanded is kept whole.
#[derive(Default)]
struct Fingerprints {
    states: Vec<u64>,
    parents: Vec<u32>,
    depths: Vec<u32>,
    table: HashTable<u32>,
    open: AHashMap<StateId, Box<[u8]>>,
    open_bytes: usize,
}

impl Fingerprints {
    fn insert(&mut self, Encoded { bytes, hash }: Encoded<'_>, parent: Option<StateId>) -> (StateId, bool) {
        if let Some(id) = self.find(hash) {
            return (id, false);
        }
        let index = u32::try_from(self.states.len()).expect("fewer than 4 billion states");
        let id = StateId(index);
        let depth = parent.map_or(0, |parent| self.depths[parent.0 as usize] + 1);
        self.states.push(hash);
        self.parents.push(parent.map_or(NO_PARENT, |parent| parent.0));
        self.depths.push(depth);
        let Fingerprints { states, table, .. } = self;
        table.insert_unique(hash, index, |&index| states[index as usize]);
        self.open.insert(id, bytes.into());
        self.open_bytes = self.open_bytes.max(self.open.len() * (bytes.len() + size_of::<(StateId, Box<[u8]>)>()));
        (id, true)
    }

    fn find(&self, hash: u64) -> Option<StateId> {
        self.table.find(hash, |&index| self.states[index as usize] == hash).map(|&index| StateId(index))
    }

    fn memory_bytes(&self) -> usize {
        self.states.capacity() * size_of::<u64>()
            + (self.parents.capacity() + self.depths.capacity()) * size_of::<u32>()
            + self.table.allocation_size()
            + self.open_bytes
    }
}

/// The hash that the table uses for a tag: hashbrown takes the position from the lower bits and its control bytes from
/// the upper bits.
fn spread(tag: u32) -> u64 {
    u64::from(tag).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Encodes at most [`AT_ONCE`] values.
fn encode_words(words: &[u32], bytes: &mut Vec<u8>) {
    let mut encoded = [0; AT_ONCE * WORD_BYTES_MAX];
    let mut length = 0;
    for &word in words {
        let mut rest = word;
        while rest >= 0x80 {
            encoded[length] = rest as u8 | 0x80;
            length += 1;
            rest >>= 7;
        }
        encoded[length] = rest as u8;
        length += 1;
    }
    bytes.extend_from_slice(&encoded[..length]);
}

/// Decodes a state.
pub(crate) fn decode(mut bytes: &[u8], state: &mut Vec<u32>) {
    state.clear();
    while let Some((first, rest)) = bytes.split_first_chunk::<AT_ONCE>() {
        if u64::from_ne_bytes(*first) & CONTINUED == 0 {
            state.extend(first.iter().map(|&byte| u32::from(byte)));
            bytes = rest;
            continue;
        }
        // All values that begin there.
        while bytes.len() > rest.len() {
            let (word, after) = decode_word(bytes);
            state.push(word);
            bytes = after;
        }
    }
    while !bytes.is_empty() {
        let (word, rest) = decode_word(bytes);
        state.push(word);
        bytes = rest;
    }
}

/// The first value, and the bytes after it.
fn decode_word(bytes: &[u8]) -> (u32, &[u8]) {
    match *bytes {
        [only @ ..0x80, ref rest @ ..] => return (only.into(), rest),
        [first, last @ ..0x80, ref rest @ ..] => return (u32::from(first & 0x7F) | u32::from(last) << 7, rest),
        _ => {}
    }
    let last = bytes.iter().position(|&byte| byte < 0x80).expect("a word ends");
    let (word, rest) = bytes.split_at(last + 1);
    (word.iter().rev().fold(0, |word, &byte| word << 7 | u32::from(byte & 0x7F)), rest)
}

#[cfg(test)]
mod tests;
