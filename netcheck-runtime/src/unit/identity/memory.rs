//! Local states by the memory of a program: its futures, and the heap that they reach.
//!
//! The argument why equal images mean equal futures is at `netcheck_memory::image`. The image of a unit is completed by
//! everything that the engine knows of the unit and that its future depends on (`unit::poll::image`).

use netcheck_memory::Digest;

/// The image of a unit's memory, as a hash of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageId(pub Digest);
