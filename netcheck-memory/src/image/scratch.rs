//! Buffers of a traversal, kept for the next one of the same thread.

use crate::image::instants::{Dated, Instants, Met};
use crate::tables::{Live, SLABS, Tables};
use std::cell::RefCell;

/// Buffers larger than this are not kept: 8 MiB.
const KEPT_WORDS_MAX: usize = 1 << 20;

/// An allocation that has been reached.
#[derive(Clone, Copy)]
pub struct Reached {
    /// Its place in its chunk.
    pub offset: u32,
    /// The size of its room.
    pub bytes: u32,
}

/// The buffers of one traversal.
pub struct Scratch {
    /// The image so far.
    pub words: Vec<u64>,
    /// The instants in the order in which they are met.
    pub instants: Vec<Met>,
    /// The latest of the instants, once all of them have been written.
    pub dated: Option<Dated>,
    /// The allocations in the order of their numbers.
    pub reached: Vec<Reached>,
    /// For each slab that has been reached, where its slots' numbers begin in `numbers`, plus 1; 0 for the others.
    slabs: Box<[u32; SLABS]>,
    /// The slabs that are not 0 in `slabs`.
    reached_slabs: Vec<u16>,
    /// The number of each slot's allocation, plus 1; 0 for one that has not been reached.
    numbers: Vec<u32>,
}

thread_local! {
    static KEPT: RefCell<Option<Scratch>> = const { RefCell::new(None) };
}

impl Scratch {
    /// Calls a function with empty buffers.
    pub fn with<R>(function: impl FnOnce(&mut Scratch) -> R) -> R {
        // A traversal within a traversal, or while the thread ends, has buffers of its own.
        let mut scratch = KEPT.try_with(RefCell::take).ok().flatten().unwrap_or_else(Scratch::new);
        scratch.clear();
        let result = function(&mut scratch);
        if scratch.words.capacity() > KEPT_WORDS_MAX {
            return result;
        }
        let _ = KEPT.try_with(|kept| kept.replace(Some(scratch)));
        result
    }

    fn new() -> Scratch {
        Scratch {
            words: Vec::new(),
            instants: Vec::new(),
            dated: None,
            reached: Vec::new(),
            slabs: Box::new([0; SLABS]),
            reached_slabs: Vec::new(),
            numbers: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.words.clear();
        self.instants.clear();
        self.dated = None;
        self.reached.clear();
        self.numbers.clear();
        for slab in self.reached_slabs.drain(..) {
            self.slabs[usize::from(slab)] = 0;
        }
    }

    /// Writes how long each instant is before the latest one.
    pub fn write_instants(&mut self, recognised: Instants) {
        let Scratch { words, instants, dated, .. } = self;
        *dated = recognised.dated(instants, |before| words.push(before));
    }

    /// The number of a live allocation: the next one if it is reached for the first time.
    #[inline]
    pub fn number(&mut self, tables: &Tables, live: Live) -> u32 {
        let first = match self.slabs[live.slab] {
            0 => self.begin_slab(tables, live.slab),
            first => first as usize - 1,
        };
        let number = &mut self.numbers[first + live.slot];
        if *number == 0 {
            self.reached.push(Reached { offset: live.offset as u32, bytes: live.bytes as u32 });
            *number = self.reached.len() as u32;
        }
        *number - 1
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
