//! The engine's region: chunks that all threads share.
//!
//! Each thread begins at one of a few chunks, so that threads seldom wait for each other, and goes on to the next ones
//! when that is full.

use crate::chunk::Chunk;
use crate::reservation::Reservation;
use crate::spin_lock::SpinLock;
use crate::tables::Owner;
use std::alloc::Layout;
use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The chunks over which threads are spread.
const HOMES: usize = 8;
/// The full chunks that are tried before a new one is opened.
const TRIES: usize = 8;

/// The number of chunks that are ready. Raised under `OPENING`.
static OPENED: AtomicUsize = AtomicUsize::new(0);
static OPENING: SpinLock<()> = SpinLock::new(());
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The number of the chunk that this thread tries first; `usize::MAX` before it has one.
    static HOME: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Allocates zeroed memory. `None` if nothing can be reserved, or if there is no room.
#[inline]
pub fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    let reservation = Reservation::get()?;
    let home = HOME.get();
    if home != usize::MAX
        && let Some(memory) = Chunk::numbered(reservation, home).allocate(layout, Owner::Engine)
    {
        return Some(memory);
    }
    allocate_elsewhere(reservation, layout)
}

#[cold]
fn allocate_elsewhere(reservation: Reservation, layout: Layout) -> Option<NonNull<u8>> {
    let home = match HOME.get() {
        usize::MAX => THREADS.fetch_add(1, Ordering::Relaxed) % HOMES,
        home => home,
    };
    open(reservation, home + 1);
    let opened = OPENED.load(Ordering::Acquire);
    if opened == 0 {
        return None;
    }
    let allocate_in = |number| {
        let memory = Chunk::numbered(reservation, number).allocate(layout, Owner::Engine)?;
        HOME.set(number);
        Some(memory)
    };
    (0..TRIES.min(opened))
        .find_map(|further| allocate_in((home + further) % opened))
        .or_else(|| if open(reservation, opened + 1) { allocate_in(opened) } else { None })
}

/// Makes sure that this many chunks are ready. Returns false if there are not so many, or the system refuses.
fn open(reservation: Reservation, chunks: usize) -> bool {
    if chunks > reservation.engine_chunks() {
        return false;
    }
    let _guard = OPENING.lock();
    for number in OPENED.load(Ordering::Relaxed)..chunks {
        if Chunk::open(reservation, number).is_none() {
            return false;
        }
        OPENED.store(number + 1, Ordering::Release);
    }
    true
}

/// Whether a chunk is the engine's.
pub fn owns(chunk: &Chunk) -> bool {
    Reservation::existing().is_some_and(|reservation| chunk.number(reservation) < reservation.engine_chunks())
}
