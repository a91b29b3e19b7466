//! Numbers from a seed.

/// SplitMix64.
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn within(&mut self, least: usize, most: usize) -> usize {
        least + self.below((most - least + 1) as u64) as usize
    }

    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

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
