//! Everything that depends on the operating system and the processor.
//!
//! Supported are 64-bit Linux on x86_64 and aarch64. Elsewhere, and under Miri, nothing can be reserved, so there is no
//! arena and every allocation goes to the system; the rest of the crate compiles without any condition.

use std::ops::Range;

#[cfg(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
))]
#[path = "linux.rs"]
mod imp;

#[cfg(not(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
)))]
#[path = "elsewhere.rs"]
mod imp;

/// Ranges of addresses of this process.
pub struct Heaps {
    /// Where the system's heap begins.
    pub heap: usize,
    /// Where the system maps memory.
    pub mapped: Range<usize>,
    /// The executable and its libraries.
    pub loaded: Vec<Range<usize>>,
}

/// Thread-local variables, and what they are in a new thread.
pub struct ThreadLocals {
    /// Where those of this thread are.
    pub block: Range<usize>,
    /// The first bytes of each block in a new thread; the others are zero.
    initialised: &'static [u8],
}

impl ThreadLocals {
    /// The bytes of a variable in a new thread, by its distance from the start of the block.
    pub fn new_bytes<const N: usize>(&self, offset: usize) -> [u8; N] {
        std::array::from_fn(|index| self.initialised.get(offset + index).copied().unwrap_or(0))
    }
}

pub use imp::{
    ThreadNumber, address_space_bytes, call_on_new_thread, call_on_stack, call_with_clean_registers, discard,
    explain_faults, give_way, heap_end, heaps, map_executable, owner, page_faults, prefer_small_pages, protect,
    reserve, reserve_at, thread_locals, thread_number, touched_bytes,
};
