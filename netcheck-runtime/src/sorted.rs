//! Maps and sets that are sorted vectors.
//!
//! Most tables of a process and of a state have a few entries. For these a vector is smaller than a tree, and is copied
//! in one go. And there is far less code to compile for each type of keys. What grows with the states of a search belongs
//! into trees or hash tables.

use std::borrow::Borrow;
use std::ops::{Index, RangeInclusive};

/// A map whose entries stand in a vector, by their keys. Adding or removing one moves those behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K: Ord, V> SortedMap<K, V> {
    pub(crate) const fn new() -> SortedMap<K, V> {
        SortedMap { entries: Vec::new() }
    }

    /// Where a key stands, or where it would.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.entries.binary_search_by(|(known, _)| known.borrow().cmp(key))
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &self.entries[at].1)
    }

    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &mut self.entries[at].1)
    }

    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Sets the value of a key, and gives the one that it had.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.entries[at].1, value)),
            Err(at) => {
                self.entries.insert(at, (key, value));
                None
            }
        }
    }

    /// The value of a key, which is made if there is none.
    pub(crate) fn or_insert_with(&mut self, key: K, value: impl FnOnce() -> V) -> &mut V {
        let at = match self.find(&key) {
            Ok(at) => at,
            Err(at) => {
                self.entries.insert(at, (key, value()));
                at
            }
        };
        &mut self.entries[at].1
    }

    /// The value of a key, which is the default one if there is none.
    pub(crate) fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert_with(key, V::default)
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| self.entries.remove(at).1)
    }

    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| is_kept(key, value));
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in the order of their keys.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The first entry whose key is neither smaller than the first nor greater than the last one.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    pub(crate) fn first_within(&self, keys: RangeInclusive<K>) -> Option<(&K, &V)> {
        let (Ok(first) | Err(first)) = self.find(keys.start());
        self.entries.get(first).filter(|(key, _)| key <= keys.end()).map(|(key, value)| (key, value))
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> SortedMap<K, V> {
        SortedMap { entries: Vec::new() }
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map has the key")
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    /// The later one of two entries with one key stays.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> SortedMap<K, V> {
        let mut map = SortedMap::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// A set whose elements stand in a vector, in their order. Adding or removing one moves those behind it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SortedSet<T> {
    elements: Vec<T>,
}

impl<T: Ord> SortedSet<T> {
    pub(crate) const fn new() -> SortedSet<T> {
        SortedSet { elements: Vec::new() }
    }

    pub(crate) fn contains(&self, element: &T) -> bool {
        self.elements.binary_search(element).is_ok()
    }

    /// Whether the element was not in the set.
    pub(crate) fn insert(&mut self, element: T) -> bool {
        let place = self.elements.binary_search(&element);
        if let Err(at) = place {
            self.elements.insert(at, element);
        }
        place.is_err()
    }

    /// Whether the element was in the set.
    pub(crate) fn remove(&mut self, element: &T) -> bool {
        let place = self.elements.binary_search(element);
        if let Ok(at) = place {
            self.elements.remove(at);
        }
        place.is_ok()
    }

    pub(crate) fn retain(&mut self, is_kept: impl FnMut(&T) -> bool) {
        self.elements.retain(is_kept);
    }

    pub(crate) fn clear(&mut self) {
        self.elements.clear();
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.elements.iter()
    }

    /// The elements from one on.
    pub(crate) fn starting_at(&self, first: &T) -> std::slice::Iter<'_, T> {
        let (Ok(at) | Err(at)) = self.elements.binary_search(first);
        self.elements[at..].iter()
    }
}

impl SortedSet<u32> {
    /// The smallest number from `first` on that is not in the set.
    pub(crate) fn first_absent(&self, first: u32) -> u32 {
        let (Ok(at) | Err(at)) = self.elements.binary_search(&first);
        first_gap(&self.elements[at..], first, |&element| element)
    }
}

impl<K, V> SortedMap<K, V> {
    /// The smallest number that no key has; `number`: those of the keys, which rise with them.
    pub(crate) fn first_absent(&self, number: impl Fn(&K) -> u32) -> u32 {
        first_gap(&self.entries, 0, |(key, _)| number(key))
    }
}

/// The smallest number from `first` on that none of the elements has, which have rising numbers from `first` on: up to it,
/// each has the number of its place.
fn first_gap<T>(elements: &[T], first: u32, number: impl Fn(&T) -> u32) -> u32 {
    let (mut from, mut to) = (0, elements.len());
    while from < to {
        let middle = from.midpoint(to);
        match number(&elements[middle]) == first + middle as u32 {
            true => from = middle + 1,
            false => to = middle,
        }
    }
    first + from as u32
}

impl<T> Default for SortedSet<T> {
    fn default() -> SortedSet<T> {
        SortedSet { elements: Vec::new() }
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> SortedSet<T> {
        let mut set = SortedSet::new();
        set.extend(elements);
        set
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.insert(element);
        }
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// All sequences of five insertions and removals of three keys.
    fn sequences() -> impl Iterator<Item = Vec<(bool, u32)>> {
        (0..6_u32.pow(5)).map(|number| {
            let digits = (0..5).map(move |place| number / 6_u32.pow(place) % 6);
            digits.map(|digit| (digit % 2 == 0, digit / 2)).collect()
        })
    }

    #[test]
    fn the_first_gap_is_found() {
        for members in 0..1_u32 << 8 {
            let numbers = || (0..8).filter(move |number| members >> number & 1 == 1);
            let set: SortedSet<u32> = numbers().collect();
            let mut map = SortedMap::new();
            numbers().for_each(|number| _ = map.insert(number, ()));
            let absent = |first: u32| (first..).find(|number| !set.contains(number)).unwrap();
            (0..10).for_each(|first| assert_eq!(set.first_absent(first), absent(first)));
            assert_eq!(map.first_absent(|&number| number), absent(0));
        }
    }

    #[test]
    fn maps_are_as_trees() {
        for sequence in sequences() {
            let (mut map, mut tree) = (SortedMap::new(), BTreeMap::new());
            for (value, (is_added, key)) in sequence.into_iter().enumerate() {
                match is_added {
                    true if value % 2 == 0 => assert_eq!(map.insert(key, value), tree.insert(key, value)),
                    true => assert_eq!(map.or_insert_with(key, || value), tree.entry(key).or_insert(value)),
                    false => assert_eq!(map.remove(&key), tree.remove(&key)),
                }
                assert!(map.iter().eq(tree.iter()));
                for from in 0..3 {
                    assert_eq!(map.get(&from), tree.get(&from));
                    assert_eq!(map.first_within(from..=from + 1), tree.range(from..=from + 1).next());
                }
            }
        }
    }

    #[test]
    fn sets_are_as_trees() {
        for sequence in sequences() {
            let (mut set, mut tree) = (SortedSet::new(), BTreeSet::new());
            for (is_added, element) in sequence {
                match is_added {
                    true => assert_eq!(set.insert(element), tree.insert(element)),
                    false => assert_eq!(set.remove(&element), tree.remove(&element)),
                }
                assert!(set.iter().eq(tree.iter()));
                for from in 0..3 {
                    assert_eq!(set.contains(&from), tree.contains(&from));
                    assert!(set.starting_at(&from).eq(tree.range(from..)));
                }
            }
        }
    }
}
