//! The parts of chunks that are mapped, where the system refuses to reserve the whole range: under a limit on address
//! space (`ulimit -v`), or with strict overcommit.
//!
//! Chunks then lie where they lie in a range that is reserved, so that images and figures are the same; but a part of a
//! chunk is mapped when something in it is allocated for the first time, and the stacks of a thread when the thread needs
//! them. The system places nothing else in the range (`reservation`); if something is there, the part is not mapped, and the
//! chunk has no more room. A part that was mapped stays so for the life of the process.

use crate::platform;
use crate::reservation::{CHUNK_BYTES, CHUNKS_MAX, Reservation, STRIDE_BYTES};
use crate::spin_lock::SpinLock;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

/// The size of a part: most programs of a check need one for each of their runs.
const PART_BYTES: usize = 1 << 22;
const _: () = assert!(CHUNK_BYTES / PART_BYTES <= u8::MAX as usize);

/// By chunk: how many parts from its start on are mapped. Raised under `MAPPING`.
static MAPPED: [AtomicU8; CHUNKS_MAX] = [const { AtomicU8::new(0) }; CHUNKS_MAX];
static MAPPING: SpinLock<()> = SpinLock::new(());

/// The arenas that there is room for where no limit is known.
const ARENAS_UNLIMITED: usize = 1024;

/// Maps the first bytes of a chunk, unless they are. Returns false if the system refuses.
pub fn map(reservation: Reservation, chunk: usize, bytes: usize) -> bool {
    if !reservation.is_in_parts() {
        return true;
    }
    let wanted = bytes.min(CHUNK_BYTES).div_ceil(PART_BYTES);
    if usize::from(MAPPED[chunk].load(Ordering::Acquire)) >= wanted {
        return true;
    }
    let _guard = MAPPING.lock();
    let base = reservation.base() + chunk * STRIDE_BYTES;
    for part in usize::from(MAPPED[chunk].load(Ordering::Relaxed))..wanted {
        if !map_at(base + part * PART_BYTES, PART_BYTES) {
            return false;
        }
        // Fits, by the assertion above.
        MAPPED[chunk].store((part + 1) as u8, Ordering::Release);
    }
    true
}

/// Maps the stacks of a thread in one of the engine's strides. Returns false if the system refuses.
pub fn map_stacks(reservation: Reservation, stride: usize, stacks: Range<usize>) -> bool {
    !reservation.is_in_parts() || map_at(reservation.engine_stride(stride) + stacks.start, stacks.len())
}

/// Whether the head of a chunk is mapped.
pub fn is_mapped(reservation: Reservation, chunk: usize) -> bool {
    !reservation.is_in_parts() || MAPPED[chunk].load(Ordering::Acquire) > 0
}

/// How many arenas there is room for, about: half of the address space, of which an arena takes two parts.
pub fn arenas_max(reservation: Reservation) -> usize {
    if !reservation.is_in_parts() {
        return usize::MAX;
    }
    platform::address_space_bytes().map_or(ARENAS_UNLIMITED, |bytes| bytes / 2 / (2 * PART_BYTES))
}

fn map_at(address: usize, bytes: usize) -> bool {
    let Some(start) = platform::reserve_at(address, bytes) else { return false };
    // SAFETY: the range was mapped just now.
    unsafe { platform::prefer_small_pages(start, bytes) };
    true
}
