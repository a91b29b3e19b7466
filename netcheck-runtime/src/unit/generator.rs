//! Numbers without a pattern that are the same in every check, and with every version of netcheck's dependencies: pinned
//! numbers of states depend on them. (A minor version of `fastrand` has changed which numbers follow from a seed.)

/// Numbers that follow from some words: `SplitMix64` (Steele, Lea, Flood: *Fast splittable pseudorandom number
/// generators*), begun at a hash of them.
#[derive(Default)]
pub(in crate::unit) struct Generator(u64);

impl Generator {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    pub(in crate::unit) fn of(words: impl IntoIterator<Item = u64>) -> Generator {
        words.into_iter().fold(Generator(0), |mut generator, word| {
            generator.0 ^= word;
            Generator(generator.next())
        })
    }

    pub(in crate::unit) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
