//! A program that does not have the allocator installed has no arenas.

#![cfg(not(feature = "allocator"))]

use netcheck_memory::{Arena, engine_region, outside};

#[test]
fn without_the_allocator_there_is_no_arena() {
    assert!(Arena::new().is_none());
    assert!(Arena::new().is_none(), "the second attempt has the same answer");
    assert_eq!(Arena::retired(), 0);
    assert_eq!(engine_region(|| vec![1, 2]), outside(|| vec![1, 2]));
}
