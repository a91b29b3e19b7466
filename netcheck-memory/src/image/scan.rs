//! The traversal.

use crate::chunk::{Chunk, HEAD_BYTES};
use crate::image::instants::{Instants, Met, Recognised};
use crate::image::scratch::{Reached, Scratch};
use crate::image::stale::{Addresses, Around, without};
use crate::image::typed::Typed;
use crate::image::words::{Mark, escaped};
use crate::place::Stay;
use crate::reservation::{self, CHUNK_BYTES, Reservation};
use crate::stacks::own_stacks;
use crate::tables::{Owner, Tables};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// The size of a word of an image.
const WORD_BYTES: usize = size_of::<u64>();
/// The words that are written as one mark, with others before and after, if all of them are zero: buffers are large, and
/// mostly unused.
pub(super) const BLOCK: usize = 64;

/// Names the roots of an image, in an order that is the same for equal states.
///
/// Its buffers are the system's memory, wherever the thread is: the arena's tables are locked while it reads.
pub struct Scan<'a> {
    chunk: &'static Chunk,
    scratch: &'a mut Scratch,
    classes: Classes,
}

/// The ranges of addresses that are replaced.
struct Classes {
    /// The first address of the arena.
    base: usize,
    reservation: Option<Reservation>,
    arena: Addresses,
    /// This thread's stacks for programs and for the engine.
    stack: Option<Addresses>,
    /// Which words are instants.
    instants: Instants,
}

impl<'a> Scan<'a> {
    pub(super) fn new(chunk: &'static Chunk, scratch: &'a mut Scratch) -> Scan<'a> {
        let base = chunk.base();
        let arena = Addresses::new(base, CHUNK_BYTES);
        let stack = own_stacks().map(|stack| Addresses::new(stack.start, stack.len()));
        Scan {
            chunk,
            scratch,
            classes: Classes { base, reservation: Reservation::existing(), arena, stack, instants: Instants::None },
        }
    }

    /// Roots are noted for the [types](crate::types) of what they reach. To be called before any root is named; false if types
    /// are not known.
    pub(super) fn read_types(&mut self) -> bool {
        let _stay = Stay::outside();
        self.scratch.typed = self.scratch.typed.take().or_else(Typed::new);
        self.scratch.typed.iter_mut().for_each(|typed| typed.begin(self.classes.base));
        self.scratch.typed.is_some()
    }

    fn add_root(&mut self, address: usize, table: Option<usize>) {
        self.scratch.typed.iter_mut().for_each(|typed| typed.add_root(address, table));
    }

    /// From here on, [instants](crate::Instants) are written as how long they are before the latest one.
    pub fn recognise(&mut self, instants: Instants) {
        self.classes.instants = instants;
    }

    /// Adds an instant that lies in no memory of the program, in nanoseconds.
    pub fn instant(&mut self, ns: i64) {
        let _stay = Stay::outside();
        self.scratch.words.push(Mark::Instant.with(0));
        self.scratch.instants.push(Met { ns, is_std: false });
    }

    /// Adds raw data: a word.
    pub fn word(&mut self, word: u64) {
        let _stay = Stay::outside();
        self.scratch.words.extend([Mark::Word.with(0), word]);
    }

    /// Adds raw data: bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let _stay = Stay::outside();
        let words = &mut self.scratch.words;
        words.push(Mark::Bytes.with(bytes.len() as u64));
        words.extend(bytes.chunks(WORD_BYTES).map(word_of));
    }

    /// Adds a pointer: what it points to, if that lies in the arena, is part of the image.
    pub fn pointer<T: ?Sized>(&mut self, pointer: *const T) {
        self.root(pointer.cast::<()>().addr(), None);
    }

    /// Adds the address of an object, with its table of functions if its type is told by that.
    fn root(&mut self, address: usize, table: Option<usize>) {
        let _stay = Stay::outside();
        self.add_root(address, table);
        let tables = self.chunk.lock();
        self.scratch.words.extend([Mark::Root.with(0), address as u64]);
        let first = self.scratch.words.len() - 1;
        self.classes.replace(&tables, self.scratch, first, Around::default());
    }

    /// Adds a pointer to an object whose type is known only when the program runs: the object, and its type by its table
    /// of functions.
    pub fn dynamic<T: ?Sized>(&mut self, object: &T) {
        let pointer = &raw const *object;
        self.word(metadata(pointer));
        self.root(pointer.cast::<()>().addr(), Some(metadata(pointer) as usize));
    }

    /// Adds an object that lies wherever it does, as a future in a variable of the engine: its memory is read as that of
    /// allocations is. An object in the arena is added as a [pointer](Scan::pointer) to it.
    #[inline(never)]
    pub fn object<T: ?Sized>(&mut self, object: &T) {
        let _stay = Stay::outside();
        let (start, bytes) = ((&raw const *object).cast::<u8>(), size_of_val(object));
        if bytes == 0 || start.addr().wrapping_sub(self.classes.base) < CHUNK_BYTES {
            return self.pointer(start);
        }
        let before = start.align_offset(WORD_BYTES).min(bytes);
        let words = (bytes - before) / WORD_BYTES;
        let kind = (bytes as u64) << 3 | (start.addr() % WORD_BYTES) as u64;
        self.scratch.words.push(Mark::Object.with(kind));
        let tables = self.chunk.lock();
        // SAFETY: the three ranges lie in the object, which is borrowed; the middle one begins at a multiple of 8.
        unsafe {
            self.scratch.words.push(read_bytes(start, before));
            self.classes.read(&tables, self.scratch, start.add(before), words);
            for position in 0..words {
                self.add_root(read_word(start.add(before).cast::<u64>().add(position)) as usize, None);
            }
            let after = before + words * WORD_BYTES;
            self.scratch.words.push(read_bytes(start.add(after), bytes - after));
        }
    }

    /// Writes a number over all bits of what the roots reach that no program can read.
    pub(super) fn overwrite_unread(&mut self, number: u64) {
        let (tables, base) = (self.chunk.lock(), self.classes.base);
        let Some(typed) = &mut self.scratch.typed else { return };
        typed.settle(&tables, |live, words| {
            let start = ptr::with_exposed_provenance::<u64>(base + live.offset);
            // SAFETY: the range is the room of a live allocation, aligned to 16 and mapped for the life of the process.
            words.extend((0..live.bytes / WORD_BYTES).map(|position| unsafe { read_word(start.add(position)) }));
        });
        typed.for_each(|offset, bits| {
            let start = ptr::with_exposed_provenance_mut::<u64>(base + offset);
            for (position, bits) in bits.iter().enumerate().filter(|(_, bits)| **bits != u64::MAX) {
                // SAFETY: the word lies in the room of a live allocation, aligned and mapped, and the bits that change are
                // those that no program reads before it writes them (`types`).
                let word = unsafe { AtomicU64::from_ptr(start.add(position)) };
                word.store(word.load(Ordering::Relaxed) & bits | number & !bits, Ordering::Relaxed);
            }
        });
    }

    /// Adds everything that has been reached.
    pub(super) fn finish(&mut self) {
        let tables = self.chunk.lock();
        let mut number = 0;
        while let Some(&Reached { offset, bytes }) = self.scratch.reached.get(number) {
            self.scratch.words.push(Mark::Allocation.with(u64::from(bytes)));
            let start = ptr::with_exposed_provenance(self.classes.base + offset as usize);
            // SAFETY: the range is the room of a live allocation, aligned to 16 and mapped for the life of the process.
            unsafe { self.classes.read(&tables, self.scratch, start, bytes as usize / WORD_BYTES) };
            number += 1;
        }
        self.scratch.write_instants(self.classes.instants);
    }
}

impl Classes {
    /// Writes words of memory.
    ///
    /// # Safety
    ///
    /// So many words can be read from `start`, which is a multiple of 8.
    unsafe fn read(&self, tables: &Tables, scratch: &mut Scratch, start: *const u8, words: usize) {
        let start = start.cast::<u64>();
        // Where the zeros before the next block are written.
        let mut zeros = None;
        // The second word of an instant whose first one ends a block, and the bits of it that are no part of the instant.
        let mut second: Option<(usize, u64)> = None;
        for block in (0..words).step_by(BLOCK) {
            let (block, first) = (block..words.min(block + BLOCK), scratch.words.len());
            let count = block.len() as u64;
            let begun = second.take();
            let read = |position| {
                // SAFETY: the caller's promise.
                let word = unsafe { read_word(start.add(position)) };
                begun.filter(|&(at, _)| at == position).map_or(word, |(_, rest)| word & rest)
            };
            // Most blocks that are not zero do not begin with a zero.
            if read(block.start) != 0 || block.clone().fold(0, |bits, position| bits | read(position)) != 0 {
                // Small numbers, as most words are, stay as they are.
                let mut large = 0_u64;
                scratch.words.extend(block.clone().map(|position| {
                    let word = read(position);
                    large |= u64::from(word >= CHUNK_BYTES as u64 || self.may_end(word)) << (position % BLOCK);
                    word
                }));
                while large != 0 {
                    let place = large.trailing_zeros() as usize;
                    large &= large - 1;
                    let at = |position: Option<usize>| position.filter(|&position| position < words).map_or(0, read);
                    let position = block.start + place;
                    let around = Around { before: at(position.checked_sub(1)), after: at(Some(position + 1)) };
                    let word = scratch.words[first + place];
                    let recognised = self.instants.at(word, around.after);
                    if let Some(Recognised::Number(number)) = recognised {
                        scratch.words[first + place] = Mark::Number.with(number.into());
                        continue;
                    }
                    if let Some(Recognised::Instant(met, rest)) = recognised {
                        scratch.words[first + place] = Mark::Instant.with(0);
                        scratch.instants.push(met);
                        if !met.is_std {
                            continue;
                        }
                        if position + 1 == block.end {
                            second = Some((position + 1, rest));
                            continue;
                        }
                        let word = scratch.words[first + place + 1] & rest;
                        scratch.words[first + place + 1] = word;
                        let is_large = word >= CHUNK_BYTES as u64 || self.may_end(word);
                        large = large & !(2 << place) | u64::from(is_large) << (place + 1);
                        continue;
                    }
                    self.replace(tables, scratch, first + place, around);
                }
                zeros = None;
                continue;
            }
            match zeros {
                Some(position) => scratch.words[position] += count,
                None => {
                    zeros = Some(first);
                    scratch.words.push(Mark::Zeros.with(count));
                }
            }
        }
    }

    /// Replaces the word at a position, if it is an address or looks like a mark.
    #[inline]
    fn replace(&self, tables: &Tables, scratch: &mut Scratch, position: usize, around: Around) {
        let word = scratch.words[position];
        scratch.words[position] = self.replacement(tables, scratch, word, around);
    }

    /// The replacement of a word.
    #[inline]
    fn replacement(&self, tables: &Tables, scratch: &mut Scratch, word: u64, around: Around) -> u64 {
        let offset = (word as usize).wrapping_sub(self.base);
        if offset >= CHUNK_BYTES {
            let token = self.foreign(word).or_else(|| self.stale(scratch, word, around));
            return token.unwrap_or_else(|| escaped(&mut scratch.words, word));
        }
        match tables.find(offset) {
            Some(live) if live.owner == Owner::Program => {
                Mark::pointer(scratch.number(tables, live), offset - live.offset)
            }
            Some(_) => Mark::Engine.with(offset as u64),
            None => Mark::Free.with(offset as u64),
        }
    }

    /// The token for an address in the head of another arena, or in a stack.
    #[inline]
    fn foreign(&self, word: u64) -> Option<u64> {
        let (reservation, address) = (self.reservation?, word as usize);
        let place = reservation.in_stride(address)?;
        if place < HEAD_BYTES {
            return Some(Mark::Free.with(place as u64));
        }
        let is_stack = reservation::STACKS.contains(&place) && reservation.in_engine_stride(address).is_some();
        is_stack.then(|| Mark::Stack.with(place as u64))
    }

    /// Whether a small number may be the end of a stale address.
    #[inline]
    fn may_end(&self, word: u64) -> bool {
        self.arena.may_end(word) || self.stack.as_ref().is_some_and(|stack| stack.may_end(word))
    }

    /// The token for a word with parts of stale addresses.
    #[inline]
    fn stale(&self, scratch: &mut Scratch, word: u64, around: Around) -> Option<u64> {
        let arena = self.arena.strides(word, around);
        let stack = self.stack.as_ref().map_or(0, |stack| stack.strides(word, around));
        (arena | stack != 0).then(|| {
            scratch.words.push(without(word, arena | stack));
            Mark::Stale.with(arena << 8 | stack)
        })
    }
}

/// The second word of a pointer to an unsized object; else 0.
fn metadata<T: ?Sized>(pointer: *const T) -> u64 {
    if size_of::<*const T>() != 2 * WORD_BYTES {
        return 0;
    }
    // SAFETY: the pointer consists of two words, and all bits of a pointer's words are initialised.
    let [_, metadata] = unsafe { std::mem::transmute_copy::<*const T, [u64; 2]>(&pointer) };
    metadata
}

/// Reads a word that may be padding, or a part of an object that another thread changes.
///
/// # Safety
///
/// The word can be read, and is aligned.
#[inline]
unsafe fn read_word(word: *const u64) -> u64 {
    // SAFETY: the word is mapped memory: zeroed pages of the system, or a live object. Nothing in this function tells
    // the compiler which of its bytes a program has written, so it reads what is there. The access is atomic, so that
    // one that another thread makes at the same time, which the documentation of `Arena::image` forbids, gives a wrong
    // image and nothing worse.
    unsafe { AtomicU64::from_ptr(word.cast_mut()).load(Ordering::Relaxed) }
}

/// Reads fewer than eight bytes, as the low bytes of a word.
///
/// # Safety
///
/// The bytes can be read.
unsafe fn read_bytes(start: *const u8, bytes: usize) -> u64 {
    // SAFETY: the caller's promise; volatile, so that bytes of padding are read as they are.
    (0..bytes).fold(0, |word, byte| word | u64::from(unsafe { start.add(byte).read_volatile() }) << (8 * byte))
}

fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; WORD_BYTES];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}
