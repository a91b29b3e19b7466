//! Values of components as numbers; 0 is the default value (absent).

use ahash::AHashMap;
use std::hash::Hash;

/// A table of values and their numbers.
pub(crate) struct Interner<T> {
    values: Vec<T>,
    ids: AHashMap<T, u32>,
}

impl<T: Clone + Eq + Hash + Default> Interner<T> {
    pub(crate) fn new() -> Self {
        let mut interner = Interner { values: Vec::new(), ids: AHashMap::new() };
        interner.intern(&T::default());
        interner
    }

    pub(crate) fn intern(&mut self, value: &T) -> u32 {
        if let Some(&id) = self.ids.get(value) {
            return id;
        }
        let id = self.values.len() as u32;
        self.values.push(value.clone());
        self.ids.insert(value.clone(), id);
        id
    }

    /// The number of a value that was interned.
    pub(crate) fn find(&self, value: &T) -> Option<u32> {
        self.ids.get(value).copied()
    }

    pub(crate) fn get(&self, id: u32) -> &T {
        &self.values[id as usize]
    }
}
