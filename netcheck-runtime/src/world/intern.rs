//! Values of components as numbers; 0 is the default value (absent).
//!
//! An `IndexSet` of `indexmap` could hold them: with 200,000 connections, look-ups by value take a third longer in it, and
//! those by number nearly twice as long.

use ahash::RandomState;
use hashbrown::HashTable;
use std::hash::Hash;

/// A table of values and their numbers.
pub struct Interner<T> {
    values: Vec<T>,
    /// The numbers of the values, by their hashes.
    ids: HashTable<u32>,
    hasher: RandomState,
}

impl<T: Clone + Eq + Hash + Default> Interner<T> {
    #[allow(clippy::new_without_default, reason = "an interner that is made by default might be thought to be empty")]
    pub fn new() -> Self {
        let mut interner = Interner { values: Vec::new(), ids: HashTable::new(), hasher: RandomState::new() };
        interner.intern(&T::default());
        interner
    }

    pub fn intern(&mut self, value: &T) -> u32 {
        if let Some(id) = self.find(value) {
            return id;
        }
        let id = self.values.len() as u32;
        self.values.push(value.clone());
        let Interner { values, ids, hasher } = self;
        ids.insert_unique(hasher.hash_one(value), id, |&id| hasher.hash_one(&values[id as usize]));
        id
    }

    /// The number of a value that was interned.
    pub(crate) fn find(&self, value: &T) -> Option<u32> {
        self.ids.find(self.hasher.hash_one(value), |&id| self.values[id as usize] == *value).copied()
    }

    pub fn get(&self, id: u32) -> &T {
        &self.values[id as usize]
    }
}
