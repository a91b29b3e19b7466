//! Sets of resource numbers.
//!
//! A mover touches few of all resources, and those that it touches were mostly numbered one after another: so a set
//! keeps only the words that are not zero.

use smallvec::SmallVec;

/// A set of numbers: words of 64 bits, in the order of their places, none of them zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits(SmallVec<[(u32, u64); 4]>);

impl Bits {
    pub(crate) fn insert(&mut self, bit: u32) {
        self.add(bit / 64, 1 << (bit % 64));
    }

    /// Adds bits to the word at a place; says whether any was new.
    fn add(&mut self, place: u32, more: u64) -> bool {
        match self.0.binary_search_by_key(&place, |&(place, _)| place) {
            Ok(index) => {
                let word = &mut self.0[index].1;
                let grew = more & !*word != 0;
                *word |= more;
                grew
            }
            Err(index) => {
                self.0.insert(index, (place, more));
                true
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn word(&self, place: u32) -> u64 {
        self.0.binary_search_by_key(&place, |&(place, _)| place).map_or(0, |index| self.0[index].1)
    }

    pub(crate) fn contains(&self, bit: u32) -> bool {
        self.word(bit / 64) & 1 << (bit % 64) != 0
    }

    /// The numbers in the set, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|&(place, word)| {
            let rests = std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
            rests.take_while(|&rest| rest != 0).map(move |rest| place * 64 + rest.trailing_zeros())
        })
    }

    /// Adds all of `other`; says whether anything was new.
    pub(crate) fn union_with(&mut self, other: &Bits) -> bool {
        let mut grew = false;
        for &(place, more) in &other.0 {
            grew |= self.add(place, more);
        }
        grew
    }

    pub(crate) fn contains_all(&self, other: &Bits) -> bool {
        other.0.iter().all(|&(place, word)| word & !self.word(place) == 0)
    }

    /// Removes a number.
    pub(crate) fn remove(&mut self, bit: u32) {
        if let Ok(index) = self.0.binary_search_by_key(&(bit / 64), |&(place, _)| place) {
            self.0[index].1 &= !(1 << (bit % 64));
            if self.0[index].1 == 0 {
                self.0.remove(index);
            }
        }
    }

    /// Removes the numbers of another set.
    pub(crate) fn remove_all(&mut self, other: &Bits) {
        if !other.is_empty() {
            self.0.iter_mut().for_each(|(place, word)| *word &= !other.word(*place));
            self.0.retain(|(_, word)| *word != 0);
        }
    }

    pub(crate) fn meets(&self, other: &Bits) -> bool {
        self.common(other).next().is_some()
    }

    /// Whether both have a number that is not in `except`.
    pub(crate) fn meets_outside(&self, other: &Bits, except: &Bits) -> bool {
        self.common(other).any(|(place, both)| both & !except.word(place) != 0)
    }

    /// The words of the numbers that are in both, none of them zero.
    fn common<'a>(&'a self, other: &'a Bits) -> impl Iterator<Item = (u32, u64)> + 'a {
        let mut others = other.0.iter().peekable();
        self.0.iter().filter_map(move |&(place, word)| {
            while others.next_if(|&&(other, _)| other < place).is_some() {}
            let &&(_, other) = others.peek().filter(|&&&(other, _)| other == place)?;
            Some((place, word & other)).filter(|&(_, both)| both != 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn bits(numbers: &BTreeSet<u32>) -> Bits {
        let mut bits = Bits::default();
        numbers.iter().for_each(|&number| bits.insert(number));
        bits
    }

    /// All sets of some numbers of three words.
    #[test]
    fn sets_of_numbers_are_those_of_the_definition() {
        let numbers = [0, 1, 63, 64, 130, 191];
        let sets: Vec<BTreeSet<u32>> = (0..1 << numbers.len())
            .map(|chosen| (0..numbers.len()).filter(|at| chosen >> at & 1 == 1).map(|at| numbers[at]).collect())
            .collect();
        for one in &sets {
            assert_eq!(bits(one).iter().collect::<BTreeSet<_>>(), *one);
            assert_eq!(bits(one).is_empty(), one.is_empty());
            for other in &sets {
                let mut both = bits(one);
                assert_eq!(both.union_with(&bits(other)), !other.is_subset(one));
                assert_eq!(both, bits(&(one | other)));
                assert_eq!(bits(one).meets(&bits(other)), !one.is_disjoint(other));
                assert_eq!(bits(one).contains_all(&bits(other)), other.is_subset(one));
            }
            assert!(numbers.iter().all(|number| bits(one).contains(*number) == one.contains(number)));
        }
    }
}
