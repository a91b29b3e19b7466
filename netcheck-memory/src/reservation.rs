//! The one range of addresses that all arenas and the engine's region lie in.
//!
//! It is reserved at the first use and stays for the life of the process, so an address in it never comes to mean
//! anything else. A chunk of 64 MiB begins at each multiple of 4 GiB; what lies between two chunks is never used. So the
//! low half of an address is its place in its chunk, and half of a stale address, before or behind a small number, is the
//! same in each arena or begins like the arena. The first quarter of the chunks is the engine's, the others are arenas.

use crate::platform;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The binary logarithm of the size of a chunk.
pub const CHUNK_SHIFT: u32 = 26;
/// The size of a chunk.
pub const CHUNK_BYTES: usize = 1 << CHUNK_SHIFT;

/// The binary logarithm of the distance between chunks.
const STRIDE_SHIFT: u32 = 32;
/// The distance between chunks, and their alignment.
pub const STRIDE_BYTES: usize = 1 << STRIDE_SHIFT;

/// 16 TiB; where that is refused (a limit on address space, strict overcommit), 4 TiB or 1 TiB.
const SHIFTS: [u32; 3] = [44, 42, 40];

/// The base, with the binary logarithm of the size in its low bits, which are zero in the base; 0 if nothing is
/// reserved. One number, so that a reader sees both or neither.
static RESERVED: AtomicUsize = AtomicUsize::new(0);

/// A reserved range.
#[derive(Clone, Copy)]
pub struct Reservation(usize);

impl Reservation {
    /// The range, reserved now if it has not been yet. `None` if the system is not supported, or refuses.
    pub fn get() -> Option<Reservation> {
        static ATTEMPT: OnceLock<()> = OnceLock::new();
        Reservation::existing().or_else(|| {
            ATTEMPT.get_or_init(|| RESERVED.store(reserve().unwrap_or(0), Ordering::Release));
            Reservation::existing()
        })
    }

    /// The range, if it has been reserved.
    pub fn existing() -> Option<Reservation> {
        match RESERVED.load(Ordering::Relaxed) {
            0 => None,
            reserved => Some(Reservation(reserved)),
        }
    }

    /// The number of chunks that are the engine's.
    pub fn engine_chunks(self) -> usize {
        self.chunks() / 4
    }

    /// The number of chunks.
    pub fn chunks(self) -> usize {
        1 << (self.shift() - STRIDE_SHIFT)
    }

    /// The first address.
    pub fn base(self) -> usize {
        self.0 & !(CHUNK_BYTES - 1)
    }

    fn shift(self) -> u32 {
        (self.0 & (CHUNK_BYTES - 1)) as u32
    }
}

/// Whether an address lies in the reservation. No address does before it is reserved.
#[inline]
pub fn contains(address: usize) -> bool {
    let reserved = RESERVED.load(Ordering::Relaxed);
    let (base, shift) = (reserved & !(CHUNK_BYTES - 1), reserved & (CHUNK_BYTES - 1));
    // Without a reservation this is the address itself, which is not 0.
    address.wrapping_sub(base) >> shift == 0
}

fn reserve() -> Option<usize> {
    SHIFTS.iter().find_map(|&shift| {
        // Does not overflow where anything can be reserved.
        let bytes = 1_usize.checked_shl(shift)?;
        // One stride more, of which the parts before and after the aligned range stay unused.
        let start = platform::reserve(bytes.checked_add(STRIDE_BYTES)?)?.expose_provenance();
        let base = start.next_multiple_of(STRIDE_BYTES);
        let (engine, arenas) = (bytes / 4, bytes / 4 * 3);
        // SAFETY: the last three quarters of the aligned range lie in what was reserved.
        unsafe { platform::prefer_small_pages(std::ptr::with_exposed_provenance_mut(base + engine), arenas) };
        Some(base | shift as usize)
    })
}
