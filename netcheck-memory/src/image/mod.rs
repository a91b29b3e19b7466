//! Canonical images of the memory that a run can reach.
//!
//! An *image* is a sequence of words that does not depend on where allocations lie. The engine names the roots (the
//! run's futures, and raw data of its own); from them a breadth-first traversal gives each live allocation of the arena
//! the next number when it is first reached, and writes down all words of its slot. Each aligned word is one of these:
//!
//! - an address in the room of a live allocation of this arena (also of its inside, its end, or with tags in its low
//!   bits): written as the number of the allocation and the offset;
//! - an address in an object that the engine [keeps](crate::Arena::keep) in this arena, in this arena's free memory, in the
//!   tables of any arena, or in a [stack for programs](crate::call_on_program_stack), on which no frame of the program is
//!   left then, or in a stack for the engine. Written as a *token*: which of these it is, and its low half. A run that does
//!   the same finds the same low half, on whichever thread, and a number that a program has written over the first bytes of
//!   a stale address is not lost;
//! - a number with a part of a stale address in it, which a copy of stale bytes has left there, at whichever of its bytes:
//!   the high half of an address in this arena, or in this thread's stacks. Written as a token, with the other bytes;
//! - an [instant](Instants), where they are recognised: written as how long it is before the latest one;
//! - anything else: written as it is. Blocks of zeros are written as their length.
//!
//! No two different sequences of such items are written with the same words.
//!
//! # Why equal images mean equal futures
//!
//! Take two runs of one deterministic program that keeps its state in its futures and its heap, and whose images are
//! equal. Numbering gives a one-to-one map between the allocations that the runs reach. Allocations that correspond
//! have equal contents, except that pointers point to what corresponds. By induction over its steps, the program does
//! the same in both: each instruction reads equal numbers or corresponding pointers, and writes equal numbers or
//! corresponding pointers, as long as it computes with no address. New allocations correspond, and free memory is zero
//! in both, so what is read without having been written is equal too. Tokens are read as well (a future that is copied
//! copies them), and stand for addresses that differ in their high halves only, which are those of the two arenas or of
//! threads. What lies there is nothing that the program uses: freed memory, tables, stack frames that have ended, and objects that
//! only the engine reads, by keys that it names among the roots. So no step depends on them.
//!
//! Instants that correspond lie equally long before the latest one of each run. A program that only compares, adds and
//! subtracts them does the same in both as long as what it reads of the clock lies equally long after that one: this is
//! part of the local state, beside the image. Where they form groups, those that correspond are in groups that correspond,
//! equally far from the anchors: so a program does the same that computes with instants of one group, and asks how far
//! those of two groups lie apart.
//!
//! A pointer to anything else stays as it is. It may point to a static, to a function, to a table of functions, to
//! memory that was allocated before the run, or into another arena: a static that is initialised at its first use, as a
//! `LazyLock`, holds memory of the run that used it first. Such objects differ, and a program can use them. (Replacing
//! them by one token merged different states.) An arena is not given to another run while anything in it is live, so a
//! raw address means the same object as long as a program can use it.
//!
//! # Why one history has one image
//!
//! A program that does the same in two runs of one check writes the same words, but for addresses and for bytes of no
//! meaning, which copies of variables take along from the stack and from registers. Each of these is one of:
//!
//! - an address in the run's arena. Its low half is its place, which depends on what the run has allocated (`tables`). Its
//!   high half is a token;
//! - an address in the stack for programs, or of what the engine lends to a program on its own stacks, which begin anew at
//!   each step and call (`stacks`). These have the same low half on each thread, and their high half is a token;
//! - an address of a static, a function, or this thread's variables: the same in each run of a check, because one thread
//!   polls all of them;
//! - bytes that the program has left on its stack, or zeros: the stack is wiped before each poll (`stacks`), and registers
//!   are zero when a poll begins and when a call of the engine returns;
//! - nothing of the engine's: it runs on a stack of its own, and of its results a program gets the fields ([`Handed`]),
//!   with copies of payloads that are the program's memory. What it keeps for programs to point to lies in the arena.
//!
//! So two checks have the same states whatever runs beside them. A build lays variables out in another way than the next
//! one, and leaves other stale bytes in futures: figures may differ between builds, as far as these differ within one
//! history's states.
//!
//! # What the argument leaves out
//!
//! - State elsewhere: statics that are not [taken over](crate::First), variables of C code, files, memory of the system's
//!   allocator (what was allocated outside of the arena), other threads.
//! - Pointers that no aligned word shows: compressed, XORed, with tags in their high bits, or in packed structures. The
//!   memory behind them is not part of the image if nothing else points there.
//! - Programs that compute with addresses: that hash or order by address. Their images may be equal although they
//!   differ. The low half of addresses repeats in each run of one history, which makes one history deterministic but
//!   does not help when two histories merge.
//! - Programs that compute with the number of an instant: that print, hash or send it.
//! - Numbers that equal an address which is replaced, or its high half, by chance: each arena has one high half, which
//!   is a number of about 24,000, and two states are confused only if each holds the one of its own arena at the same
//!   place.
//! - A number over the first bytes of a stale address of a live allocation, where two histories have put that allocation
//!   at places whose difference is that of the numbers.
//!
//! The opposite does not hold: states whose images differ may have equal futures. Stale bytes, the capacity of a vector,
//! and positions in buffers differ where nothing observable does. Stale bytes of which the [types](crate::types) say that no
//! program can read them can be [cleared](crate::Arena::overwrite_unread) before. Two histories that have merged can have
//! two images after a further step: what is stale lies at other places. One history can have two images where numbers are written around
//! the byte of a stale address which differs between arenas, so that it is alone, or neither follows byte 3 nor comes
//! before zeros: byte 4; or byte 5, if a thread has more than 255 arenas in use. Then a state is counted twice, and none
//! is missed.
//!
//! [`Handed`]: crate::Handed
//! Full images ([`Arena::full_image`](crate::Arena::full_image)) tell whether two equal digests come from equal images;
//! a [`Sample`] of a check's images is compared.

mod instants;
mod numbers;
mod parts;
mod sample;
mod scan;
mod scratch;
mod stale;
mod typed;
mod words;

pub use instants::{
    Dated, GROUPS_MAX, Held, Instants, Met, ORIGIN_NS, RANGE_NS, Reach, is_recognised, is_recognised_in_group,
    middle_of_range, range_of,
};
pub use parts::{Cell, Part};
pub use sample::Sample;
pub use scan::Scan;
pub use words::{Digest, Image};

pub(crate) use words::digest;

use crate::chunk::Chunk;
use crate::tables::Owner;
pub(crate) use parts::of as parts_of;
use scratch::Scratch;
use std::sync::atomic::Ordering;

/// Traverses what the roots reach in an arena, and makes something of what is written; with the instants in
/// it. `None` if the arena has overflowed.
pub(crate) fn of<R>(
    chunk: &'static Chunk,
    roots: impl FnOnce(&mut Scan<'_>),
    finish: impl FnOnce(&Scratch) -> R,
) -> Option<(R, Held)> {
    Scratch::with(|scratch| {
        let mut scan = Scan::new(chunk, scratch);
        roots(&mut scan);
        scan.finish();
        (!chunk.overflowed.load(Ordering::Relaxed)).then(|| (finish(scratch), std::mem::take(&mut scratch.held)))
    })
}

/// Writes a number over the bytes that no program can read, of what the roots reach in an arena.
pub(crate) fn overwrite_unread(chunk: &'static Chunk, roots: impl FnOnce(&mut Scan<'_>), number: u64) {
    Scratch::with(|scratch| {
        let mut scan = Scan::new(chunk, scratch);
        if scan.read_types() {
            roots(&mut scan);
            scan.overwrite_unread(number);
        }
    });
}

/// Frees what some roots reach in an arena, if that is all that the program has allocated there.
pub(crate) fn free_reached(chunk: &'static Chunk, roots: impl FnOnce(&mut Scan<'_>)) {
    Scratch::with(|scratch| {
        let mut scan = Scan::new(chunk, scratch);
        roots(&mut scan);
        scan.finish();
        if scratch.reached.len() == chunk.lock().live_of(Owner::Program) {
            // SAFETY: these are all allocations of the program, whose run has ended, and nothing else holds one.
            scratch.reached.iter().for_each(|reached| unsafe { chunk.free_room(reached.offset as usize) });
        }
    });
}
