//! Collections whose contents can only be compared and hashed, such that equal contents are equal collections.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Items, some of them perhaps several times, in an order that depends on them alone.
///
/// They lie in the order of their hashes. Different items with one hash lie in the order in which they came: two bags of them
/// may differ although they hold the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bag<T> {
    items: Vec<(u64, T)>,
}

impl<T> Default for Bag<T> {
    fn default() -> Self {
        Bag { items: Vec::new() }
    }
}

fn hash(item: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.hash(&mut hasher);
    hasher.finish()
}

impl<T: Eq + Hash> Bag<T> {
    /// The items with a hash.
    fn alike(&self, hash: u64) -> std::ops::Range<usize> {
        let start = self.items.partition_point(|(other, _)| *other < hash);
        let length = self.items[start..].iter().take_while(|(other, _)| *other == hash).count();
        start..start + length
    }

    /// Adds an item, whether or not it is there.
    pub fn add(&mut self, item: T) {
        let hash = hash(&item);
        self.items.insert(self.alike(hash).end, (hash, item));
    }

    /// Adds an item that is not there; false if it is there.
    pub fn add_new(&mut self, item: T) -> bool {
        let hash = hash(&item);
        let alike = self.alike(hash);
        let is_new = self.items[alike.clone()].iter().all(|(_, other)| *other != item);
        if is_new {
            self.items.insert(alike.end, (hash, item));
        }
        is_new
    }

    /// Takes an item out once; false if it is not there.
    pub fn take(&mut self, item: &T) -> bool {
        let mut alike = self.alike(hash(item));
        let found = alike.find(|&index| self.items[index].1 == *item);
        found.map(|index| self.items.remove(index)).is_some()
    }

    /// Whether each item of another bag is here, as often as it is there.
    #[must_use]
    pub fn includes(&self, other: &Bag<T>) -> bool {
        let count =
            |bag: &Bag<T>, hash, item: &T| bag.items[bag.alike(hash)].iter().filter(|(_, other)| other == item).count();
        other.items.iter().all(|(hash, item)| count(self, *hash, item) >= count(other, *hash, item))
    }
}

impl<T> Bag<T> {
    /// All items; those that are there several times come as often.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().map(|(_, item)| item)
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<T: Eq + Hash> FromIterator<T> for Bag<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut bag = Bag::default();
        items.into_iter().for_each(|item| bag.add(item));
        bag
    }
}

/// Values by key, in an order that depends on the keys alone, as in a [`Bag`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table<K, V> {
    entries: Vec<(u64, K, V)>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Table { entries: Vec::new() }
    }
}

impl<K: Clone + Eq + Hash, V> Table<K, V> {
    /// Where the entry of a key is, or would be.
    fn place(&self, key: &K) -> Result<usize, usize> {
        let hash = hash(key);
        let start = self.entries.partition_point(|(other, ..)| *other < hash);
        let alike = self.entries[start..].iter().take_while(|(other, ..)| *other == hash);
        let mut end = start;
        for (_, other, _) in alike {
            if other == key {
                return Ok(end);
            }
            end += 1;
        }
        Err(end)
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.place(key).ok().map(|index| &self.entries[index].2)
    }

    /// Gives a key this value, or none.
    pub fn put(&mut self, key: &K, value: Option<V>) {
        match (self.place(key), value) {
            (Ok(index), Some(value)) => self.entries[index].2 = value,
            (Ok(index), None) => drop(self.entries.remove(index)),
            (Err(index), Some(value)) => self.entries.insert(index, (hash(key), key.clone(), value)),
            (Err(_), None) => {}
        }
    }

    /// All keys with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(_, key, value)| (key, value))
    }
}
