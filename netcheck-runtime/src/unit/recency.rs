//! Keys by their last uses, of which the least recent is found.

use ahash::AHashMap;
use std::collections::VecDeque;
use std::hash::Hash;

/// Keys, in the order of their last uses.
pub(super) struct Recency<K> {
    /// The number of each key's last use.
    last: AHashMap<K, u64>,
    /// All uses, the oldest first; also those of keys that were used or removed since.
    uses: VecDeque<(K, u64)>,
    count: u64,
}

impl<K> Default for Recency<K> {
    fn default() -> Self {
        Recency { last: AHashMap::new(), uses: VecDeque::new(), count: 0 }
    }
}

impl<K: Copy + Eq + Hash> Recency<K> {
    /// Notes a use of a key.
    pub(super) fn note(&mut self, key: K) {
        self.count += 1;
        self.last.insert(key, self.count);
        self.uses.push_back((key, self.count));
        if self.uses.len() > 4 * self.last.len() + 16 {
            let last = &self.last;
            self.uses.retain(|(key, number)| last.get(key) == Some(number));
        }
    }

    pub(super) fn remove(&mut self, key: K) {
        self.last.remove(&key);
    }

    /// Removes the key that was used least recently.
    pub(super) fn pop(&mut self) -> Option<K> {
        while let Some((key, number)) = self.uses.pop_front() {
            if self.last.get(&key) == Some(&number) {
                self.last.remove(&key);
                return Some(key);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Recency;

    #[test]
    fn the_key_that_was_used_least_recently_comes_first() {
        let mut recency = Recency::default();
        ['a', 'b', 'c', 'd'].into_iter().for_each(|key| recency.note(key));
        (0..100).for_each(|_| recency.note('a'));
        recency.remove('c');
        assert!(recency.uses.len() < 40, "uses that count no more are forgotten");
        assert_eq!([(); 4].map(|()| recency.pop()), [Some('b'), Some('d'), Some('a'), None]);
    }
}
