//! Which chunks are arenas in use, and which are free for the next arena.
//!
//! A chunk is free when no [`Arena`](crate::Arena) owns it and nothing in it is allocated. An arena that is dropped
//! while something in it is live is *retired*: the chunk is not used for another arena before the last of its
//! allocations is freed. Memory that a static, a thread-local variable or another run still holds is therefore never
//! given to another run, and an address never comes to mean something else while it is in use.

use crate::chunk::Chunk;
use crate::reservation::Reservation;
use crate::spin_lock::SpinLock;
use std::sync::atomic::Ordering;

/// The free chunks, as a list in the chunks themselves: freeing the last allocation of a retired chunk must not
/// allocate.
struct Pool {
    /// The number of the first free chunk; 0 (which is the engine's) for none.
    free: u32,
    /// The number of chunks that have been used as arenas. They follow the engine's chunks.
    opened: usize,
    retired: usize,
}

static POOL: SpinLock<Pool> = SpinLock::new(Pool { free: 0, opened: 0, retired: 0 });

/// A chunk for a new arena. `None` if nothing can be reserved, or all chunks are in use.
pub fn take() -> Option<&'static Chunk> {
    let reservation = Reservation::get()?;
    let mut pool = POOL.lock();
    if pool.free != 0 {
        let chunk = Chunk::numbered(reservation, pool.free as usize);
        pool.free = chunk.next.load(Ordering::Relaxed);
        return Some(chunk);
    }
    let number = reservation.engine_chunks() + pool.opened;
    if number >= reservation.chunks() {
        return None;
    }
    let chunk = Chunk::numbered(reservation, number);
    chunk.open();
    pool.opened += 1;
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

impl Pool {
    fn put(&mut self, chunk: &'static Chunk) {
        let Some(reservation) = Reservation::existing() else { return };
        chunk.overflowed.store(false, Ordering::Relaxed);
        chunk.next.store(self.free, Ordering::Relaxed);
        self.free = chunk.number(reservation) as u32;
    }
}
