//! Runs that are set back: copies of what an arena holds for its program.
//!
//! # Why a run that was set back is the run that was saved
//!
//! A run is its arena's memory, its variables ([`Own`]), and what the engine keeps of it ([`Carried`](crate::Carried) and
//! plain values). All three are copied at one moment between two polls, and put back together: bit for bit, at the same
//! addresses. So whatever the program reads of them, it reads as it did then. What it could find changed lies elsewhere: in
//! memory outside of the run that it holds a pointer to, as a counter of references that its end has lowered. Such a run is
//! not saved: none of the words of its memory may be an address in the system's heap, in another arena, or of something
//! live in the engine's region ([`Outside`]). What the program reaches without a pointer are variables; those of which each
//! run has its own are copied, and the others are shared by all runs, in whichever way they are made.
//!
//! In the other direction, something outside may hold a pointer into the arena: a variable that is not the run's, a list of
//! another thread. So an arena is written only when its run has ended as every run ends, by the destructors of all that it
//! holds, and when nothing in it is live: then nothing outside knows an address in it, or an arena that is dropped would
//! not be free either.
//!
//! # What is copied
//!
//! Blocks of a kilobyte in which something is live. Memory that is not allocated is zero, before and after. A block that is
//! the same as in another copy is shared with it: a poll changes few. What the engine keeps in the arena lies in slabs of its
//! own, which stay as they are.

use crate::arena::Arena;
use crate::chunk::Chunk;
use crate::parts;
use crate::place;
use crate::platform::{self, Heaps};
use crate::reservation::{CHUNK_BYTES, Reservation};
use crate::size_class::SLAB_BYTES;
use crate::tables::{SLABS, SlabTable};
use crate::variables::Own;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The size of a block.
const BLOCK_BYTES: usize = 1024;
const BLOCK_WORDS: usize = BLOCK_BYTES / size_of::<u64>();

/// Bytes that a copy takes for each block and each slab, beside these.
const ENTRY_BYTES: usize = 24;

type Block = [u64; BLOCK_WORDS];

/// A copy of what an arena holds for its program, and of the program's variables.
#[derive(Clone, Debug)]
pub struct Saved {
    /// By slab.
    slabs: Vec<(u16, Arc<SlabTable>)>,
    /// By block of the chunk.
    blocks: Vec<(u32, Arc<Block>)>,
    own: Own,
}

/// Why the memory of a run can't be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsaved {
    /// A word of it may be the address of something outside of the run.
    Outside,
    /// It does not lie in the arena as a whole.
    Overflowed,
}

impl Saved {
    /// The bytes that are freed when this copy is dropped: those that no other copy shares.
    #[must_use]
    pub fn unshared_bytes(&self) -> usize {
        let blocks = self.blocks.iter().filter(|(_, block)| Arc::strong_count(block) == 1).count();
        let slabs = self.slabs.iter().filter(|(_, slab)| Arc::strong_count(slab) == 1).count();
        blocks * BLOCK_BYTES + slabs * size_of::<SlabTable>() + ENTRY_BYTES * (self.blocks.len() + self.slabs.len())
    }
}

impl Arena {
    /// A copy of what this arena holds for its program, and of the values of its variables. It shares what is the same with
    /// another copy of this arena.
    ///
    /// To be called between two polls, on the thread that the program runs on.
    ///
    /// # Errors
    /// If the memory is not all that the program depends on and can change.
    pub fn save(&self, own: &Own, like: Option<&Saved>) -> Result<Saved, Unsaved> {
        place::outside(|| {
            if self.has_overflowed() {
                return Err(Unsaved::Overflowed);
            }
            let outside = Outside::of(self.chunk());
            if own.has_word(|word| outside.contains(word)) {
                return Err(Unsaved::Outside);
            }
            let mut copy = Copying { chunk: self.chunk(), outside, like, slab: 0, block: 0 };
            let mut saved = Saved { slabs: Vec::new(), blocks: Vec::new(), own: own.clone() };
            let tables = self.chunk().lock();
            for slab in 0..SLABS {
                let Some(table) = tables.of_program(slab) else { continue };
                saved.slabs.push((slab as u16, copy.slab(slab as u16, table)));
                for within in 0..SLAB_BYTES / BLOCK_BYTES {
                    if tables.has_live(slab, within * BLOCK_BYTES..(within + 1) * BLOCK_BYTES) {
                        let block = (slab * (SLAB_BYTES / BLOCK_BYTES) + within) as u32;
                        saved.blocks.push((block, copy.block(block).ok_or(Unsaved::Outside)?));
                    }
                }
            }
            Ok(saved)
        })
    }

    /// Puts a copy of this arena back, and the values of the variables. Returns false, and does nothing, if something of the
    /// program's is still live in the arena.
    pub fn put_back(&self, own: &Own, saved: &Saved) -> bool {
        place::outside(|| {
            if !self.is_unused() {
                return false;
            }
            let mut tables = self.chunk().lock();
            if !saved.slabs.iter().all(|(slab, _)| tables.is_free(usize::from(*slab))) {
                return false;
            }
            saved.slabs.iter().for_each(|(slab, table)| tables.put_back(usize::from(*slab), table));
            drop(tables);
            for (number, block) in &saved.blocks {
                for (index, &word) in block.iter().enumerate() {
                    // SAFETY: the word lies in a room that was free, and is live from here on, by the tables.
                    unsafe { AtomicU64::from_ptr(word_of(self.chunk(), *number, index)) }
                        .store(word, Ordering::Relaxed);
                }
            }
            own.put_back(&saved.own);
            true
        })
    }
}

/// A copy that is being made.
struct Copying<'a> {
    chunk: &'static Chunk,
    outside: Outside,
    like: Option<&'a Saved>,
    /// The first slab and block of the other copy that are not before those that are copied.
    slab: usize,
    block: usize,
}

impl Copying<'_> {
    fn slab(&mut self, number: u16, table: SlabTable) -> Arc<SlabTable> {
        let known = self.like.and_then(|like| find(&like.slabs, &mut self.slab, number));
        known.filter(|known| ***known == table).map_or_else(|| Arc::new(table), Arc::clone)
    }

    /// A block; `None` if one of its words may be an address outside.
    fn block(&mut self, number: u32) -> Option<Arc<Block>> {
        let mut block = [0; BLOCK_WORDS];
        for (index, word) in block.iter_mut().enumerate() {
            // SAFETY: the word lies in the chunk, which is mapped for the life of the process.
            *word = unsafe { AtomicU64::from_ptr(word_of(self.chunk, number, index)) }.load(Ordering::Relaxed);
        }
        if let Some(known) = self.like.and_then(|like| find(&like.blocks, &mut self.block, number))
            && **known == block
        {
            return Some(Arc::clone(known));
        }
        let is_outside = block.iter().any(|&word| self.outside.contains(word));
        (!is_outside).then(|| Arc::new(block))
    }
}

/// The entry of a number, in a list by number that is gone through once.
fn find<'a, N: Ord + Copy, T>(list: &'a [(N, T)], from: &mut usize, number: N) -> Option<&'a T> {
    while list.get(*from)?.0 < number {
        *from += 1;
    }
    list.get(*from).filter(|(other, _)| *other == number).map(|(_, entry)| entry)
}

fn word_of(chunk: &Chunk, block: u32, index: usize) -> *mut u64 {
    ptr::with_exposed_provenance_mut(chunk.base() + block as usize * BLOCK_BYTES + index * size_of::<u64>())
}

/// The addresses of memory that is not a run's own, and that a run can change.
struct Outside {
    base: usize,
    reservation: Option<Reservation>,
    /// The variables of this thread.
    locals: Range<usize>,
    /// The system's heap at this moment: what grows there later is in no word yet. Behind it lie numbers that a program has
    /// written over the low half of an address of its executable.
    heap: Range<usize>,
    system: &'static Heaps,
}

impl Outside {
    fn of(chunk: &Chunk) -> Outside {
        static SYSTEM: OnceLock<Heaps> = OnceLock::new();
        let reservation = Reservation::existing();
        let system = SYSTEM.get_or_init(|| platform::heaps(reservation.map_or(0..0, Reservation::mapped)));
        let locals = platform::thread_locals().map_or(0..0, |locals| locals.block);
        let heap = system.heap..platform::heap_end();
        Outside { base: chunk.base(), reservation, locals, heap, system }
    }

    fn contains(&self, word: u64) -> bool {
        let address = word as usize;
        if let Some(reservation) = self.reservation
            && let Some(offset) = reservation.in_stride(address)
        {
            if offset >= CHUNK_BYTES || address.wrapping_sub(self.base) < CHUNK_BYTES {
                return false;
            }
            let is_open = || parts::is_mapped(reservation, reservation.stride_of(address));
            // SAFETY: the address lies in the reservation, in a chunk that is open.
            let is_live = || is_open() && unsafe { Chunk::containing(address) }.lock().find(offset).is_some();
            return reservation.in_engine_stride(address).is_none() || is_live();
        }
        let Heaps { mapped, loaded, .. } = self.system;
        (self.heap.contains(&address) || mapped.contains(&address))
            && !loaded.iter().any(|range| range.contains(&address))
            && !self.locals.contains(&address)
    }
}
