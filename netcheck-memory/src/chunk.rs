//! A chunk of 64 MiB: its tables at its head, and the slabs behind them.
//!
//! Memory that is not allocated is zero in every chunk: it was zero when it was reserved, and is zeroed when it is
//! freed. So allocations need no zeroing, and whatever a program leaves unwritten is the same in each of its runs.

use crate::parts;
use crate::platform;
use crate::reservation::{CHUNK_BYTES, LOW_HALF_MIN, Reservation, STRIDE_BYTES};
use crate::size_class::{Room, SLAB_BYTES};
use crate::spin_lock::{SpinGuard, SpinLock};
use crate::tables::{Owner, SLABS, Tables};
use std::alloc::Layout;
use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const _: () = assert!(SLABS * SLAB_BYTES == CHUNK_BYTES);

/// The slabs at the head of a chunk in which its tables lie.
const HEAD_SLABS: usize = size_of::<Chunk>().div_ceil(SLAB_BYTES);

/// The size of a chunk's head, in which nothing is allocated.
pub const HEAD_BYTES: usize = HEAD_SLABS * SLAB_BYTES;

/// From this size on, memory is zeroed by giving it back to the system.
const DISCARD_BYTES_MIN: usize = 256 * 1024;

/// The head of a chunk. Valid when all its bytes are zero.
#[repr(C)]
pub struct Chunk {
    /// Whether an allocation had to go elsewhere because this chunk was full.
    pub overflowed: AtomicBool,
    /// Whether no arena owns this chunk any more while allocations in it are live. Changed under the tables' lock.
    pub retired: AtomicBool,
    /// The next chunk in the list of free ones.
    pub next: AtomicU32,
    tables: SpinLock<Tables>,
}

impl Chunk {
    /// The chunk with a number below that of the reservation's chunks, which is open.
    pub fn numbered(reservation: Reservation, number: usize) -> &'static Chunk {
        assert!(number < reservation.chunks(), "no chunk has this number");
        Chunk::at(reservation.base() + number * STRIDE_BYTES)
    }

    /// The chunk that contains an address of the reservation.
    ///
    /// # Safety
    ///
    /// The address lies in the reservation, in a chunk that is open.
    #[inline]
    pub unsafe fn containing(address: usize) -> &'static Chunk {
        Chunk::at(address & !(STRIDE_BYTES - 1) | LOW_HALF_MIN)
    }

    #[inline]
    fn at(base: usize) -> &'static Chunk {
        // SAFETY: all callers pass the first address of an open chunk, whose head is mapped for the life of the process, was
        // zero at first, and is written only through this type. Zeros are a valid `Chunk`: numbers, `false`, and
        // `Use::Nothing`.
        unsafe { &*ptr::with_exposed_provenance(base) }
    }

    /// The first address.
    #[inline]
    pub fn base(&self) -> usize {
        (&raw const *self).addr()
    }

    /// The number of the chunk.
    pub fn number(&self, reservation: Reservation) -> usize {
        (self.base() - reservation.base()) / STRIDE_BYTES
    }

    /// Makes a chunk that has never been used ready; `None` if the system refuses.
    pub fn open(reservation: Reservation, number: usize) -> Option<&'static Chunk> {
        parts::map(reservation, number, HEAD_BYTES).then(|| {
            let chunk = Chunk::numbered(reservation, number);
            chunk.tables.lock().withhold(HEAD_SLABS);
            chunk
        })
    }

    /// The tables, for this thread alone.
    #[inline]
    pub fn lock(&self) -> SpinGuard<'_, Tables> {
        self.tables.lock()
    }

    /// Allocates zeroed memory. `None` if there is no room.
    #[inline]
    pub fn allocate(&self, layout: Layout, owner: Owner) -> Option<NonNull<u8>> {
        let offset = self.lock().take(Room::of(layout), owner)?;
        if !self.has(offset, layout) {
            let is_given_back = self.lock().give_back(offset, Room::of(layout));
            debug_assert!(is_given_back, "it was taken just now");
            return None;
        }
        NonNull::new(ptr::with_exposed_provenance_mut(self.base() + offset))
    }

    /// Whether the memory of an allocation is there: where chunks are mapped in parts, it is mapped now.
    #[inline]
    fn has(&self, offset: usize, layout: Layout) -> bool {
        let in_parts = Reservation::existing().filter(|reservation| reservation.is_in_parts());
        // Its room may be a slab longer than the layout.
        let end = || (offset + layout.size() + 1).next_multiple_of(SLAB_BYTES);
        in_parts.is_none_or(|reservation| parts::map(reservation, self.number(reservation), end()))
    }

    /// Whose memory a live allocation is.
    pub fn owner(&self, memory: NonNull<u8>) -> Owner {
        let live = self.lock().find(memory.addr().get() - self.base());
        live.map_or(Owner::Program, |live| live.owner)
    }

    /// Zeroes and frees an allocation. Returns whether it was the last one of a retired chunk, which the caller is to
    /// make free.
    ///
    /// # Safety
    ///
    /// This chunk allocated the memory, with this layout, and nobody uses it any more.
    #[inline]
    #[must_use]
    pub unsafe fn free(&self, memory: NonNull<u8>, layout: Layout) -> bool {
        let room = Room::of(layout);
        // SAFETY: the allocation has this size, and belongs to the caller.
        unsafe { zero(memory, layout.size()) };
        let mut tables = self.lock();
        if !tables.give_back(memory.addr().get() - self.base(), room) {
            // A second free of the same memory, or one with another layout. A panic must not leave an allocator.
            std::process::abort();
        }
        tables.live() == 0 && self.retired.swap(false, Ordering::Relaxed)
    }

    /// Zeroes and frees the live allocation at an offset, in a chunk that is not retired.
    ///
    /// # Safety
    ///
    /// Nobody uses it any more.
    pub unsafe fn free_room(&self, offset: usize) {
        let Some(live) = self.lock().find(offset) else { return };
        if let Some(memory) = NonNull::new(ptr::with_exposed_provenance_mut(self.base() + live.offset)) {
            // SAFETY: the room is that of the allocation, and belongs to the caller.
            unsafe { zero(memory, live.bytes) };
            self.lock().give_back_live(live);
        }
    }

    /// Changes the size of an allocation where it is, if its room stays the same or consists of slabs that can be given
    /// back. Returns false if it has to move.
    ///
    /// An allocation that would fit a smaller slot moves too: then the image of what has shrunk is the image of what was
    /// never larger.
    ///
    /// # Safety
    ///
    /// This chunk allocated the memory, with this layout, and the caller may access it alone.
    pub unsafe fn resize(&self, memory: NonNull<u8>, layout: Layout, new: Layout) -> bool {
        let (from, to) = (Room::of(layout), Room::of(new));
        let shortened = match (from, to) {
            (Room::Slabs { slabs: old, .. }, Room::Slabs { slabs: new, .. }) if new < old => Some(new),
            _ => None,
        };
        if from != to && shortened.is_none() {
            return false;
        }
        if let Some(tail) = layout.size().checked_sub(new.size()) {
            // SAFETY: the tail lies in the allocation, which belongs to the caller.
            unsafe { zero(memory.add(new.size()), tail) };
        }
        if let Some(slabs) = shortened {
            self.lock().shorten(memory.addr().get() - self.base(), slabs);
        }
        true
    }
}

impl fmt::Debug for Chunk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Chunk").field("base", &(self.base() as *const u8)).finish_non_exhaustive()
    }
}

/// Zeroes memory.
///
/// # Safety
///
/// The range lies in an allocation of a chunk, and belongs to the caller.
#[inline]
unsafe fn zero(memory: NonNull<u8>, bytes: usize) {
    if bytes < DISCARD_BYTES_MIN {
        // SAFETY: the caller's promise.
        unsafe { memory.write_bytes(0, bytes) };
    } else {
        // SAFETY: the caller's promise.
        unsafe { zero_many(memory, bytes) };
    }
}

/// Zeroes memory: whole slabs by giving them back, and the rest by writing.
///
/// # Safety
///
/// As for [`zero`].
#[cold]
unsafe fn zero_many(memory: NonNull<u8>, bytes: usize) {
    let before = memory.addr().get().next_multiple_of(SLAB_BYTES) - memory.addr().get();
    let whole = (bytes - before) / SLAB_BYTES * SLAB_BYTES;
    // SAFETY: `before + whole <= bytes`, so all three parts lie in the caller's range. The middle part consists of whole
    // slabs, so of whole pages, which are at most 64 KiB large.
    unsafe {
        memory.write_bytes(0, before);
        let middle = memory.add(before);
        if !platform::discard(middle.as_ptr(), whole) {
            middle.write_bytes(0, whole);
        }
        middle.add(whole).write_bytes(0, bytes - before - whole);
    }
}
