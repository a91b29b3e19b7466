//! Systems and processors that are not supported: nothing can be reserved.

use super::{Heaps, ThreadLocals};

pub type ThreadNumber = ();

pub fn thread_number() -> Option<ThreadNumber> {
    None
}

pub fn give_way((): ThreadNumber) {}

pub fn reserve(_: Option<usize>, _: usize) -> Option<*mut u8> {
    None
}

pub fn reserve_at(_: usize, _: usize) -> Option<*mut u8> {
    None
}

pub fn address_space_bytes() -> Option<usize> {
    None
}

/// # Safety
///
/// None is needed: nothing is done.
pub unsafe fn prefer_small_pages(_: *mut u8, _: usize) {}

/// # Safety
///
/// None is needed: nothing is done.
pub unsafe fn discard(_: *mut u8, _: usize) -> bool {
    false
}

/// # Safety
///
/// None is needed: nothing is done.
pub unsafe fn protect(_: *mut u8, _: usize) {}

/// # Safety
///
/// None is needed: nothing is done.
pub unsafe fn touched_bytes<const BYTES: usize>(_: *mut u8) -> Option<usize> {
    None
}

pub fn page_faults() -> Option<u64> {
    None
}

pub fn explain_faults(_: fn(usize) -> bool, _: &'static str) {}

/// # Safety
///
/// `function` may be called with `data`.
pub unsafe fn call_on_new_thread(function: extern "C" fn(*mut u8), data: *mut u8) {
    function(data);
}

pub fn thread_locals() -> Option<ThreadLocals> {
    None
}

/// # Safety
///
/// `function` may be called with `data`.
pub unsafe extern "C" fn call_with_clean_registers(function: extern "C" fn(*mut u8), data: *mut u8) {
    function(data);
}

/// # Safety
///
/// `function` may be called with `data`.
pub unsafe extern "C" fn call_on_stack(function: extern "C" fn(*mut u8), data: *mut u8, _: *mut u8) {
    function(data);
}

pub fn heaps(_: std::ops::Range<usize>) -> Heaps {
    Heaps { heap: 0, mapped: 0..0, loaded: Vec::new() }
}

pub fn heap_end() -> usize {
    0
}

pub fn map_executable() -> Option<&'static [u8]> {
    None
}

/// The user and the group of the system process: not known.
pub fn owner() -> (u32, u32) {
    (0, 0)
}
