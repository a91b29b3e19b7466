//! The global allocator: the system's, except where a thread is in an arena or in the engine's region.

use crate::chunk::Chunk;
use crate::place::{self, Place};
use crate::stack::wipe_stack;
use crate::tables::Owner;
use crate::{allocations, engine, pool, reservation};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering;

/// The stack that a call of the allocator is supposed to need.
const CALL_BYTES: usize = 512;

/// The allocator that gives each run a heap of its own.
///
/// Allocations go where the thread is (see [`Arena::enter`](crate::Arena::enter) and [`engine`](fn@crate::engine)); frees and
/// reallocations go to where the memory is, from any thread. Outside of arenas it is [`System`] after one look at a
/// thread-local variable.
///
/// The feature `allocator` of this crate installs it. Without that, a program declares it:
///
/// ```
/// # #[cfg(not(feature = "allocator"))]
/// #[global_allocator]
/// static ALLOCATOR: netcheck_memory::Allocator = netcheck_memory::Allocator;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator;

#[cfg(feature = "allocator")]
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: each method gives memory of the system's allocator to that allocator, and memory of a chunk to that chunk;
// the two are told apart by an address range that is reserved once. A chunk's rooms are disjoint, at least as large and
// as aligned as the layout, and mapped for the life of the process. No method unwinds.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match place::current() {
            // SAFETY: the caller's promise.
            Place::System => unsafe { System.alloc(layout) },
            place => allocate(place, layout),
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match place::current() {
            // SAFETY: the caller's promise.
            Place::System => unsafe { System.alloc_zeroed(layout) },
            // Memory of chunks, and what overflows, is zero.
            place => allocate(place, layout),
        }
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !reservation::contains(memory.addr()) {
            // SAFETY: the memory is not in the reservation, so the system allocated it.
            return unsafe { System.dealloc(memory, layout) };
        }
        // SAFETY: the memory is in the reservation, so a chunk allocated it, with this layout (the caller's promise).
        unsafe { free(memory, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if !reservation::contains(memory.addr()) {
            // SAFETY: the memory is not in the reservation, so the system allocated it.
            return unsafe { System.realloc(memory, layout, new_size) };
        }
        // SAFETY: as in `dealloc`.
        unsafe { reallocate(memory, layout, new_size) }
    }
}

/// Allocates zeroed memory at a place, or from the system if the place is full.
#[inline(never)]
fn allocate(place: Place, layout: Layout) -> *mut u8 {
    let memory = match place {
        Place::System => None,
        Place::Engine => engine::allocate(layout),
        Place::Arena(base, owner) => {
            // SAFETY: an arena's base lies in the reservation.
            let memory = allocate_in(unsafe { Chunk::containing(base) }, layout, owner);
            wipe_stack::<CALL_BYTES>();
            memory
        }
    };
    // SAFETY: the layout has a size above 0, as every layout that an allocator is asked for.
    memory.map_or_else(|| unsafe { System.alloc_zeroed(layout) }, NonNull::as_ptr)
}

/// Allocates in an arena. If it is full, notes that memory beyond it is not seen any more.
///
/// Its frame is wiped behind it, and of the registers that it saves nothing is left on the program's stack.
#[inline(never)]
fn allocate_in(chunk: &'static Chunk, layout: Layout, owner: Owner) -> Option<NonNull<u8>> {
    let memory = chunk.allocate(layout, owner);
    match memory {
        Some(memory) if owner == Owner::Program => allocations::note(memory.addr().get()),
        Some(_) => {}
        None => chunk.overflowed.store(true, Ordering::Relaxed),
    }
    memory
}

/// Frees memory of a chunk.
///
/// # Safety
///
/// A chunk allocated the memory with this layout, and nobody uses it any more.
#[inline(never)]
unsafe fn free(memory: *mut u8, layout: Layout) {
    // SAFETY: the caller's promise; memory of a chunk has no null address.
    let (chunk, memory) = unsafe { (Chunk::containing(memory.addr()), NonNull::new_unchecked(memory)) };
    // SAFETY: the caller's promise.
    if unsafe { chunk.free(memory, layout) } {
        pool::give_back_retired(chunk);
    }
    if let Place::Arena(..) = place::current() {
        wipe_stack::<CALL_BYTES>();
    }
}

/// Changes the size of an allocation of a chunk: where it is, in the same arena or region, or in the system's memory if
/// that is full.
///
/// # Safety
///
/// A chunk allocated the memory with this layout, only the caller uses it, and the new size is a valid one above 0.
#[inline(never)]
unsafe fn reallocate(memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
    // SAFETY: `GlobalAlloc::realloc` asks its caller for a size that makes a layout with this alignment.
    let new = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
    // SAFETY: the caller's promise; memory of a chunk has no null address.
    let (chunk, old) = unsafe { (Chunk::containing(memory.addr()), NonNull::new_unchecked(memory)) };
    // SAFETY: the caller's promise.
    if unsafe { chunk.resize(old, layout, new) } {
        return memory;
    }
    let place = if engine::owns(chunk) { Place::Engine } else { Place::Arena(chunk.base(), chunk.owner(old)) };
    let moved = allocate(place, new);
    if !moved.is_null() {
        // SAFETY: both are allocations of at least this many bytes, and the new one is apart from the old one.
        unsafe { ptr::copy_nonoverlapping(memory, moved, layout.size().min(new_size)) };
        // SAFETY: the caller gives the old memory up.
        unsafe { free(memory, layout) };
    }
    moved
}
