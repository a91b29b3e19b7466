//! Which chunks are arenas in use, and which are free for the next arena.
//!
//! A chunk is free when no [`Arena`](crate::Arena) owns it and nothing in it is allocated. An arena that is dropped
//! while something in it is live is *retired*: the chunk is not used for another arena before the last of its
//! allocations is freed. Memory that a static, a thread-local variable or another run still holds is therefore never
//! given to another run, and an address never comes to mean something else while it is in use.
//!
//! Where a program has written a number over the first five bytes of a stale address, its byte 5 is left, which cannot be
//! told from a number (`image`). So a thread takes its arenas from one *group*: the chunks whose addresses have the same
//! byte 5, and of which a byte 4 of 0 is not one. They are 255. A thread that needs more has some states counted twice.
//!
//! Where a program has written a number over the byte 4 alone, the number and the byte 5 look like an address in the arena
//! whose byte 4 is that number. In this one arena a history would have another image than in all others. So a group gives
//! out first the chunks whose byte 4 is neither a small number nor text.

use crate::chunk::Chunk;
use crate::parts;
use crate::reservation::{Reservation, STRIDE_BYTES};
use crate::spin_lock::SpinLock;
use std::cell::Cell;
use std::sync::atomic::Ordering;

/// The chunks whose numbers, counted from a multiple of this, are one group.
const GROUP_CHUNKS: usize = 256;

/// At least as many as the largest reservation has: its chunks need not begin with a group.
const GROUPS_MAX: usize = 17;

/// The chunks that have been used as arenas, by their groups.
struct Pool {
    groups: [Group; GROUPS_MAX],
    retired: usize,
}

/// The free chunks of a group, as a list in the chunks themselves: freeing the last allocation of a retired chunk must not
/// allocate.
#[derive(Clone, Copy)]
struct Group {
    /// The number of the first free chunk; 0 (which is the engine's) for none.
    free: u32,
    /// How many chunks of the group have been tried, and one more: the index of the next, for [`place`].
    next: usize,
    in_use: usize,
    /// The threads that take their arenas from it.
    threads: usize,
}

static POOL: SpinLock<Pool> =
    SpinLock::new(Pool { groups: [Group { free: 0, next: 1, in_use: 0, threads: 0 }; GROUPS_MAX], retired: 0 });

thread_local! {
    static OWN: Own = const { Own(Cell::new(None)) };
}

/// The group of a thread, for the life of the thread.
struct Own(Cell<Option<usize>>);

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(group) = self.0.get() {
            POOL.lock().groups[group].threads -= 1;
        }
    }
}

/// A chunk for a new arena. `None` if nothing can be reserved, or all chunks are in use.
pub fn take() -> Option<&'static Chunk> {
    let reservation = Reservation::get()?;
    // A thread that is about to end has none.
    let own = OWN.try_with(|own| own.0.get()).ok().flatten();
    let mut pool = POOL.lock();
    if let Some(chunk) = own.and_then(|group| pool.take(reservation, group)) {
        return Some(chunk);
    }
    let mut groups: [usize; GROUPS_MAX] = std::array::from_fn(|group| group);
    groups.sort_unstable_by_key(|&group| (pool.groups[group].threads, pool.groups[group].in_use, group));
    let (group, chunk) = groups.into_iter().find_map(|group| Some((group, pool.take(reservation, group)?)))?;
    if own.is_none() && OWN.try_with(|own| own.0.set(Some(group))).is_ok() {
        pool.groups[group].threads += 1;
    }
    Some(chunk)
}

/// Ends an arena: its chunk is free at once, or when its last allocation is freed.
pub fn give_back(chunk: &'static Chunk) {
    let mut pool = POOL.lock();
    let tables = chunk.lock();
    if tables.live() > 0 {
        chunk.retired.store(true, Ordering::Relaxed);
        pool.retired += 1;
        return;
    }
    drop(tables);
    pool.put(chunk);
}

/// Makes a retired chunk free whose last allocation has been freed.
#[cold]
pub fn give_back_retired(chunk: &'static Chunk) {
    let mut pool = POOL.lock();
    pool.retired -= 1;
    pool.put(chunk);
}

/// The number of chunks that are retired.
pub fn retired() -> usize {
    POOL.lock().retired
}

/// How many arenas each thread that uses some may hold, so that others find some, too: its part of half of those that
/// are not retired. A thread that begins later, when others hold their parts, finds the other half.
pub fn share() -> usize {
    let Some(reservation) = Reservation::existing() else { return 0 };
    let pool = POOL.lock();
    let threads: usize = pool.groups.iter().map(|group| group.threads).sum();
    let arenas = (reservation.chunks() - reservation.engine_chunks()).min(parts::arenas_max(reservation));
    arenas.saturating_sub(pool.retired) / 2 / threads.max(1)
}

impl Pool {
    fn take(&mut self, reservation: Reservation, group: usize) -> Option<&'static Chunk> {
        let taken = &mut self.groups[group];
        let chunk = if taken.free != 0 {
            let chunk = Chunk::numbered(reservation, taken.free as usize);
            taken.free = chunk.next.load(Ordering::Relaxed);
            chunk
        } else {
            let mut unused = taken.next..GROUP_CHUNKS;
            let number = unused.find_map(|index| number(reservation, group, place(index)))?;
            let chunk = Chunk::open(reservation, number)?;
            taken.next = unused.start;
            chunk
        };
        taken.in_use += 1;
        Some(chunk)
    }

    fn put(&mut self, chunk: &'static Chunk) {
        let Some(reservation) = Reservation::existing() else { return };
        let group = &mut self.groups[group_of(reservation, chunk.number(reservation))];
        chunk.overflowed.store(false, Ordering::Relaxed);
        chunk.next.store(group.free, Ordering::Relaxed);
        group.free = chunk.number(reservation) as u32;
        group.in_use -= 1;
    }
}

/// The place in its group of the chunk that is given out as the `index`th, counted from 1: the byte 4 of its addresses.
fn place(index: usize) -> usize {
    match index {
        1..0x80 => 0x7f + index,
        0x80..0xff => 0xff - index,
        _ => index,
    }
}

/// The chunks between the first of the group in which the arenas begin, and the first of all.
fn before_groups(reservation: Reservation) -> usize {
    let first = reservation.engine_chunks();
    let stride = reservation.base() / STRIDE_BYTES;
    (stride + first) % GROUP_CHUNKS
}

/// The group of a chunk.
fn group_of(reservation: Reservation, number: usize) -> usize {
    (number - reservation.engine_chunks() + before_groups(reservation)) / GROUP_CHUNKS
}

/// The number of the chunk at a place of a group, if it is an arena's.
fn number(reservation: Reservation, group: usize, place: usize) -> Option<usize> {
    let arena = (group * GROUP_CHUNKS + place).checked_sub(before_groups(reservation))?;
    let number = reservation.engine_chunks() + arena;
    (number < reservation.chunks()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_group_gives_out_each_place_once_and_small_numbers_and_text_last() {
        let places: Vec<usize> = (1..GROUP_CHUNKS).map(place).collect();
        assert_eq!(places.iter().copied().collect::<BTreeSet<_>>(), (1..GROUP_CHUNKS).collect());
        assert!(places[..127].iter().all(|place| (0x80..0xff).contains(place)) && places[253..] == [1, 0xff]);
    }
}
