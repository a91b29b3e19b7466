//! The memory of the programs that netcheck checks.
//!
//! A *run* is a live instance of a program. Each run has a heap of its own, an [`Arena`], so that two runs can be told
//! to be in the same local state by comparing [images](image) of the memory that they reach.
//!
//! - [`Allocator`]: the global allocator, which puts allocations where a thread is;
//! - [`Arena`]: the heap of one run; [`Arena::enter`] runs a poll in it;
//! - [`engine()`], [`engine_guard`], [`engine_region`], [`outside`]: for what the engine allocates while it serves a poll;
//!   [`Handed`]: what it returns to a program;
//! - [`image`]: images, and the argument why equal images mean equal futures;
//! - [`hash_keys`](mod@hash_keys), [`call_on_program_stack`]: so that a program finds the same in each of its runs;
//! - [`with_source`]: random numbers and time of a [`Source`] in place of the system's, and what it makes of a poll that ends
//!   the process; [`generators`], so that those of `rand` and `fastrand` are among them.
//! - [`First`], [`Own`]: a run's own statics and thread-locals.
//! - [`Saved`], [`Carried`]: copies of a run, to which it is set back.
//! - [`Part`]: an image in parts, and [`recording_allocations`]: the code that has allocated them, for readers.
//! - [`types`]: which bytes of a program's memory can be read, by the debug information of its executable.
//! - [`mute`](fn@mute): what a program prints while it is searched is dropped.
//! - [`poll_begins`]: what is said where a program ends the process.
//! - [`ThreadNumber::give_way`]: for a thread whose poll does not return.
//! - [`waker`]: wakers that tell of their clones, which need a table of functions.
//! - [`return_addresses`](fn@return_addresses): which functions are running, by the system's unwinder.
//!
//! This is the only crate of the workspace with unsafe code. It knows no protocol, no task and no search, and polls
//! nothing. It has an effect on 64-bit Linux on x86_64 and aarch64; elsewhere [`Arena::new`] returns `None`, and all
//! memory is the system's.
//!
//! The layers, each of which uses only those before it: `platform` (what depends on the system), `handed` (the engine's
//! results), `stack` (calls with nothing stale on the stack), `reservation` (the range of addresses), `parts` (what of it
//! is mapped where it can't be reserved), `stacks` (on which stack functions run), `size_class` and `tables` (rooms of allocations), `chunk` (64 MiB of rooms), `pool` and `engine`
//! (which chunks are whose), `place` (where a thread is), `allocations`, `allocator`, `image`, `arena`, `saved`. Beside them: `carried`, `symbols` (the
//! executable's variables by name), `types`, `file_call`, `source`, `generators`, `variables`, `last_words`, `mute`, `interposed`, `thread`, `waker`,
//! `return_addresses`.

#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(clippy::too_many_lines)]

mod allocations;
mod allocator;
mod arena;
mod carried;
mod chunk;
mod engine;
mod file_call;
pub mod generators;
mod handed;
pub mod hash_keys;
pub mod image;
#[cfg(all(
    feature = "allocator",
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
))]
mod interposed;
mod last_words;
mod mute;
mod parts;
mod place;
mod platform;
mod pool;
mod reservation;
mod return_addresses;
mod saved;
mod size_class;
mod source;
mod spin_lock;
mod stack;
mod stacks;
mod symbols;
mod tables;
mod thread;
pub mod types;
mod variables;
mod waker;

pub use allocations::{Allocations, recording_allocations};
pub use allocator::Allocator;
pub use arena::{Arena, ArenaGuard};
pub use carried::Carried;
#[cfg(unix)]
pub use file_call::stand_in;
pub use file_call::{At, FileCall, Named, Opens, STAND_IN_MIN, Status, Unmodelled, Whence};
pub use generators::with_source;
pub use handed::{Cloned, Handed};
pub use hash_keys::{hash_keys, set_hash_keys};
pub use image::{
    Cell, Dated, Digest, GROUPS_MAX, Held, Image, Instants, Met, ORIGIN_NS, Part, RANGE_NS, Reach, Sample, Scan,
    is_recognised, is_recognised_in_group, middle_of_range, range_of,
};
pub use last_words::{operation_begins, poll_begins, poll_ends};
pub use mute::{has_dropped_output, is_muted, mute, start_apart, take_output};
pub use place::{EngineGuard, engine, engine_guard, engine_region, outside};
pub use platform::owner;
pub use return_addresses::return_addresses;
pub use saved::{Saved, Unsaved};
pub use source::{
    Addresses, Answer, CALENDAR, Clock, Forbidden, Interface, LOCALHOST, Membership, SocketAddress, SocketSort, Source,
    UPTIME, interposes, without_source,
};
pub use stack::{call_with_clean_registers, made_clean, wipe_stack};
pub use stacks::{call_on_program_stack, call_on_step_stack, call_on_used_program_stack};
pub use thread::ThreadNumber;
pub use variables::{First, Own, destroy_thread_locals};
pub use waker::{Target, target, waker};
