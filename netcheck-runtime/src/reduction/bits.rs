//! Small growing sets of resource numbers.

use smallvec::SmallVec;

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits(SmallVec<[u64; 4]>);

impl Bits {
    pub(crate) fn insert(&mut self, bit: u32) {
        let word = bit as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (bit % 64);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(crate) fn contains(&self, bit: u32) -> bool {
        self.0.get(bit as usize / 64).is_some_and(|word| word & 1 << (bit % 64) != 0)
    }

    /// Adds all of `other`; says whether anything was new.
    pub(crate) fn union_with(&mut self, other: &Bits) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut grew = false;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            grew |= more & !*word != 0;
            *word |= more;
        }
        grew
    }

    pub(crate) fn contains_all(&self, other: &Bits) -> bool {
        let own = self.0.iter().copied().chain(std::iter::repeat(0));
        other.0.iter().zip(own).all(|(&word, own)| word & !own == 0)
    }

    pub(crate) fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether both have a number that is not in `except`.
    pub(crate) fn meets_outside(&self, other: &Bits, except: &Bits) -> bool {
        let outside = except.0.iter().copied().chain(std::iter::repeat(0));
        self.0.iter().zip(&other.0).zip(outside).any(|((a, b), except)| a & b & !except != 0)
    }
}
