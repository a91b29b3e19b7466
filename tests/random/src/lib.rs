//! Random numbers for tests: the same ones for the same seed, on every machine and with every version of other crates.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::ops::Range;

/// The seeds that the environment asks a suite to run: with `MOVED`, those of `NETCHECK_MOVED_SEED=17` or of
/// `NETCHECK_MOVED_SEEDS=5000..9000`.
///
/// # Panics
/// If a seed is no number, or the seeds are no range.
#[must_use]
pub fn seeds_asked_for(suite: &str) -> Option<Range<u64>> {
    let asked = |word: &str| std::env::var(format!("NETCHECK_{suite}_{word}")).ok();
    let number = |text: &str| text.parse::<u64>().expect("a seed is a number");
    if let Some(seed) = asked("SEED") {
        let seed = number(&seed);
        return Some(seed..seed + 1);
    }
    let seeds = asked("SEEDS")?;
    let (first, end) = seeds.split_once("..").expect("seeds are first..end");
    Some(number(first)..number(end))
}

/// A sequence of numbers that follows from its seed: SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number
/// generators*, 2014).
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// Another sequence, which leaves this one as it is.
    pub fn aside(&self) -> Random {
        Random(self.0 ^ 0x7472_616e_7369_656e)
    }

    /// A number below a bound, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    /// An index below a length, which is not 0.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A number between two, both of which are possible.
    pub fn within(&mut self, least: usize, most: usize) -> usize {
        least + self.index(most - least + 1)
    }

    /// True with this probability.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of several items.
    pub fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())]
    }

    /// One of several items, each as often as its weight says.
    pub fn weighted<'a, T>(&mut self, items: &'a [(u64, T)]) -> &'a T {
        let mut drawn = self.below(items.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in items {
            match drawn.checked_sub(*weight) {
                Some(rest) => drawn = rest,
                None => return item,
            }
        }
        unreachable!("drawn below the sum of the weights")
    }
}

/// A number that follows from another one, without a pattern.
pub fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
