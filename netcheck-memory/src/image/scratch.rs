//! Buffers of a traversal, kept for the next one of the same thread.

use crate::image::instants::{Held, Instants, Met};
use crate::image::numbers::Numbers;
use crate::image::typed::Typed;
use crate::tables::{Live, Tables};
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
    /// The instants as the image has them, once all of them have been written.
    pub held: Held,
    /// The allocations in the order of their numbers.
    pub reached: Vec<Reached>,
    numbers: Numbers,
    /// The types of allocations, where they are asked for.
    pub typed: Option<Box<Typed>>,
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
            held: Held::default(),
            reached: Vec::new(),
            numbers: Numbers::new(),
            typed: None,
        }
    }

    fn clear(&mut self) {
        self.words.clear();
        self.instants.clear();
        self.held = Held::default();
        self.reached.clear();
        self.numbers.clear();
        self.typed.iter_mut().for_each(|typed| typed.clear());
    }

    /// Writes where each instant lies among the others.
    pub fn write_instants(&mut self, recognised: Instants) {
        let Scratch { words, instants, held, .. } = self;
        *held = recognised.held(instants, |word| words.push(word));
    }

    /// The number of a live allocation: the next one if it is reached for the first time.
    #[inline]
    pub fn number(&mut self, tables: &Tables, live: Live) -> u32 {
        let number = self.numbers.of(tables, live);
        if *number == 0 {
            self.reached.push(Reached { offset: live.offset as u32, bytes: live.bytes as u32 });
            *number = self.reached.len() as u32;
        }
        *number - 1
    }
}
