//! Numbers of allocations.

use crate::tables::{Live, SLABS, Tables};

/// A number for each allocation that has been reached.
pub struct Numbers {
    /// For each slab that has been reached, where its slots' numbers begin in `numbers`, plus 1; 0 for the others.
    slabs: Box<[u32; SLABS]>,
    /// The slabs that are not 0 in `slabs`.
    reached_slabs: Vec<u16>,
    /// The number of each slot's allocation, plus 1; 0 for one that has not been reached.
    numbers: Vec<u32>,
}

impl Numbers {
    pub fn new() -> Numbers {
        Numbers { slabs: Box::new([0; SLABS]), reached_slabs: Vec::new(), numbers: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.numbers.clear();
        for slab in self.reached_slabs.drain(..) {
            self.slabs[usize::from(slab)] = 0;
        }
    }

    /// The number of an allocation, plus 1; 0 if it has none.
    #[inline]
    pub fn of(&mut self, tables: &Tables, live: Live) -> &mut u32 {
        let first = match self.slabs[live.slab] {
            0 => self.begin_slab(tables, live.slab),
            first => first as usize - 1,
        };
        &mut self.numbers[first + live.slot]
    }

    #[cold]
    fn begin_slab(&mut self, tables: &Tables, slab: usize) -> usize {
        let first = self.numbers.len();
        self.numbers.resize(first + tables.slots(slab), 0);
        self.slabs[slab] = first as u32 + 1;
        self.reached_slabs.push(slab as u16);
        first
    }
}
