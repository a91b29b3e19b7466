//! The one range of addresses that all arenas and the engine's region lie in.
//!
//! It is reserved at the first use and stays for the life of the process, so an address in it never comes to mean
//! anything else. Where the system refuses so much address space, the range is the same, and what is used of it is mapped
//! in [`parts`](crate::parts). A chunk of 64 MiB begins in each 4 GiB, always at the same place; most of what lies between two chunks is
//! never used. So the low half of an address is its place in its chunk, and the high half says which chunk it is. A
//! number of 32 bits beside half of a stale address looks like an address only if it is one of the 2^26 that are low
//! halves; these are far from small numbers. The first quarter of the chunks is the engine's, the others are arenas. Behind each of the
//! engine's chunks is room for the stacks of a thread: the one that programs run on, and two of the engine's.

use crate::platform;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The binary logarithm of the size of a chunk.
pub const CHUNK_SHIFT: u32 = 26;
/// The size of a chunk.
pub const CHUNK_BYTES: usize = 1 << CHUNK_SHIFT;

/// The binary logarithm of the distance between chunks.
const STRIDE_SHIFT: u32 = 32;
/// The distance between chunks.
pub const STRIDE_BYTES: usize = 1 << STRIDE_SHIFT;

/// The place of the chunk in each stride: the least number of 32 bits that is the low half of an address. Numbers that
/// programs count with are smaller, text is ASCII mostly, and its first byte is no usual end of an address of a host.
pub const LOW_HALF_MIN: usize = 0xa4 << 24;

/// The place of the stack for programs in each of the engine's strides.
pub const PROGRAM_STACK: Range<usize> = CHUNK_BYTES..CHUNK_BYTES + (8 << 20);

/// The place of the stack for calls of the engine, behind it.
pub const ENGINE_STACK: Range<usize> = PROGRAM_STACK.end..PROGRAM_STACK.end + (4 << 20);

/// The place of the stack for steps, behind that.
pub const STEP_STACK: Range<usize> = ENGINE_STACK.end..ENGINE_STACK.end + (4 << 20);

/// The place of all. Their addresses have one byte 3.
pub const STACKS: Range<usize> = PROGRAM_STACK.start..STEP_STACK.end;

/// Where the range begins in each process in which nothing else is there: below what the system places, and above what
/// it loads. Then states are told apart by the same numbers in each process.
const WANTED: Option<usize> = 0x5b01_usize.checked_shl(STRIDE_SHIFT);

/// 16 TiB; where that is refused (a limit on address space, strict overcommit), 4 TiB or 1 TiB, or 16 TiB in parts.
const SHIFTS: [u32; 3] = [44, 42, 40];
const SHIFT_IN_PARTS: u32 = 44;

/// The most chunks that a range has.
pub const CHUNKS_MAX: usize = 1 << (SHIFTS[0] - STRIDE_SHIFT);

/// The base, with the binary logarithm of the size and [`IN_PARTS`] in its low bits, which are zero in the base; 0 if nothing
/// is reserved. One number, so that a reader sees all or nothing.
static RESERVED: AtomicUsize = AtomicUsize::new(0);

/// The bits of the binary logarithm.
const SHIFT_BITS: usize = 0x3f;

/// The bit that says that the range is mapped in parts.
const IN_PARTS: usize = 0x40;

/// A reserved range.
#[derive(Clone, Copy)]
pub struct Reservation(usize);

impl Reservation {
    /// The range, reserved now if it has not been yet. `None` if the system is not supported, or refuses.
    pub fn get() -> Option<Reservation> {
        static ATTEMPT: OnceLock<()> = OnceLock::new();
        Reservation::existing().or_else(|| {
            ATTEMPT.get_or_init(|| RESERVED.store(reserve().or_else(in_parts).unwrap_or(0), Ordering::Release));
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

    /// Whether nothing of the range is mapped but the [`parts`](crate::parts) that are used.
    #[inline]
    pub fn is_in_parts(self) -> bool {
        self.0 & IN_PARTS != 0
    }

    /// The number of chunks that are the engine's.
    pub fn engine_chunks(self) -> usize {
        self.chunks() / 4
    }

    /// The first address of the chunk in one of the engine's strides.
    pub fn engine_stride(self, number: usize) -> usize {
        self.base() + number * STRIDE_BYTES
    }

    /// The number of the stride in which an address of the range lies.
    pub fn stride_of(self, address: usize) -> usize {
        (address - self.base()) / STRIDE_BYTES
    }

    /// Whether an address lies in one of the engine's strides; then its distance from the chunk's base.
    #[inline]
    pub fn in_engine_stride(self, address: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.base());
        (offset >> STRIDE_SHIFT < self.engine_chunks()).then_some(offset & (STRIDE_BYTES - 1))
    }

    /// Whether an address lies in the range; then its distance from the base of its stride's chunk.
    #[inline]
    pub fn in_stride(self, address: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.base());
        (offset >> self.shift() == 0).then_some(offset & (STRIDE_BYTES - 1))
    }

    /// The number of chunks.
    pub fn chunks(self) -> usize {
        1 << (self.shift() - STRIDE_SHIFT)
    }

    /// All that is mapped for it, and no more than the strides beside that.
    pub fn mapped(self) -> Range<usize> {
        self.base() - 2 * STRIDE_BYTES..self.base() + (self.chunks() + 2) * STRIDE_BYTES
    }

    /// The first address.
    pub fn base(self) -> usize {
        self.0 & !(CHUNK_BYTES - 1)
    }

    fn shift(self) -> u32 {
        (self.0 & SHIFT_BITS) as u32
    }
}

/// Whether an address lies in the reservation. No address does before it is reserved.
#[inline]
pub fn contains(address: usize) -> bool {
    let reserved = RESERVED.load(Ordering::Relaxed);
    let (base, shift) = (reserved & !(CHUNK_BYTES - 1), reserved & SHIFT_BITS);
    // Without a reservation this is the address itself, which is not 0.
    address.wrapping_sub(base) >> shift == 0
}

fn reserve() -> Option<usize> {
    SHIFTS.iter().find_map(|&shift| {
        // Does not overflow where anything can be reserved.
        let bytes = 1_usize.checked_shl(shift)?;
        // Two strides more, of which the parts before and after the range stay unused.
        let start = platform::reserve(WANTED, bytes.checked_add(2 * STRIDE_BYTES)?)?.expose_provenance();
        let base = start.next_multiple_of(STRIDE_BYTES) + LOW_HALF_MIN;
        let (engine, arenas) = (bytes / 4, bytes / 4 * 3);
        // SAFETY: the last three quarters of the range lie in what was reserved.
        unsafe { platform::prefer_small_pages(std::ptr::with_exposed_provenance_mut(base + engine), arenas) };
        Some(base | shift as usize)
    })
}

/// The range where it is wanted, of which nothing is mapped yet. `None` if the system maps nothing at wanted addresses.
fn in_parts() -> Option<usize> {
    /// Before the range. They stay unused.
    const TRIED_BYTES: usize = 1 << 16;
    let base = WANTED? + LOW_HALF_MIN;
    platform::reserve_at(base - TRIED_BYTES, TRIED_BYTES)?;
    Some(base | IN_PARTS | SHIFT_IN_PARTS as usize)
}
