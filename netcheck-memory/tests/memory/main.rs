//! Heaps and images in a program that has the allocator installed.

mod address_space;
mod allocations;
mod collections;
#[cfg(all(feature = "allocator", target_env = "gnu"))]
mod files;
mod hash_keys;
mod images;
mod instants;
mod lifecycle;
mod mute;
mod parts;
mod places;
mod random_structures;
mod return_addresses;
mod saved;
#[cfg(feature = "allocator")]
mod sources;
mod stack;
mod types;
#[cfg(feature = "allocator")]
mod variables;

use netcheck_memory::Arena;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(not(feature = "allocator"))]
#[global_allocator]
static ALLOCATOR: netcheck_memory::Allocator = netcheck_memory::Allocator;

fn arena() -> Arena {
    Arena::new().expect("an arena, where the allocator is installed")
}

/// Tests that leave something behind in a dropped arena do so one at a time: they count retired arenas.
fn retiring() -> MutexGuard<'static, ()> {
    static RETIRING: Mutex<()> = Mutex::new(());
    RETIRING.lock().unwrap_or_else(PoisonError::into_inner)
}
