//! Arenas that are dropped, and arenas that are full.

use crate::{arena, retiring};
use netcheck_memory::Arena;
use std::sync::{Barrier, Mutex};

#[test]
fn memory_in_a_static_retires_the_arena_and_stays_valid() {
    static HELD: Mutex<Option<String>> = Mutex::new(None);
    let _one_at_a_time = retiring();
    let before = Arena::retired();

    let arena = arena();
    arena.enter(|| *HELD.lock().unwrap() = Some("held by a static".to_owned()));
    let address = HELD.lock().unwrap().as_ref().unwrap().as_ptr();
    assert!(arena.contains(address));
    drop(arena);
    assert_eq!(Arena::retired(), before + 1);

    let others: Vec<Arena> = (0..20).map(|_| crate::arena()).collect();
    assert!(others.iter().all(|other| !other.contains(address)), "a retired arena is used for no other run");
    for other in &others {
        other.enter(|| drop(vec![0xff_u8; 100]));
    }
    HELD.lock().unwrap().as_mut().unwrap().push_str(", and grown");
    assert_eq!(HELD.lock().unwrap().as_deref(), Some("held by a static, and grown"));

    *HELD.lock().unwrap() = None;
    assert_eq!(Arena::retired(), before);
    assert!(crate::arena().contains(address), "its last allocation is freed, so it is free");
}

#[test]
fn other_threads_free_and_grow_memory_of_an_arena() {
    let _one_at_a_time = retiring();
    let before = Arena::retired();
    let arena = arena();
    let lists: Vec<Vec<String>> =
        arena.enter(|| (0..4).map(|list| (0..500).map(|number| format!("{list} {number}")).collect()).collect());
    std::thread::scope(|scope| {
        for (number, mut list) in lists.into_iter().enumerate() {
            scope.spawn(move || {
                list.retain(|text| text.len() % 2 == 0);
                list.iter_mut().for_each(|text| text.push_str(&"x".repeat(100)));
                assert!(list.iter().all(|text| text.starts_with(&number.to_string())));
            });
        }
        arena.enter(|| drop((0..2_000).map(Box::new).collect::<Vec<_>>()));
    });
    // The list of lists was freed in this thread, outside of the arena.
    assert_eq!(arena.live(), 0);
    drop(arena);
    assert_eq!(Arena::retired(), before);
}

/// The arenas of the largest reservation.
const ARENAS_MAX: usize = 3_072;

#[test]
fn threads_share_half_of_the_arenas() {
    const THREADS: usize = 4;
    let barrier = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let _arena = arena();
                // Each holds one by now, until all have asked.
                barrier.wait();
                let share = Arena::share();
                barrier.wait();
                assert!(0 < share && share * THREADS <= ARENAS_MAX / 2, "{share}");
            });
        }
    });
}

#[test]
fn what_does_not_fit_goes_to_the_system_and_there_is_no_image() {
    let arena = arena();
    assert!(arena.image(|_| {}).is_some());
    let blocks: Vec<Vec<u8>> = arena.enter(|| (0..90).map(|number| vec![number; 1 << 20]).collect());
    assert!(arena.has_overflowed());
    assert!(!arena.contains(blocks[89].as_ptr()));
    assert!(blocks.iter().zip(0..).all(|(block, number)| block.iter().all(|&byte| byte == number)));
    assert_eq!(arena.image(|scan| scan.object(&blocks)), None);
    drop(blocks);
    assert_eq!(arena.live(), 0);
    let single = arena.enter(|| vec![1_u8; 70 << 20]);
    assert_eq!(single.iter().map(|&byte| usize::from(byte)).sum::<usize>(), 70 << 20);
}

#[test]
fn small_objects_can_fill_an_arena() {
    let arena = arena();
    let all: Vec<Box<u64>> = arena.enter(|| (0..4_300_000).map(Box::new).collect());
    assert!(arena.has_overflowed());
    assert!(all.iter().zip(0..).all(|(boxed, number)| **boxed == number));
    drop(all);
    assert_eq!(arena.live(), 0);
}

#[test]
fn an_arena_that_overflowed_is_as_good_as_new_for_the_next_run() {
    let address = {
        let arena = arena();
        let full = arena.enter(|| vec![1_u8; 65 << 20]);
        assert!(arena.has_overflowed());
        drop(full);
        arena.enter(|| (&raw const *Box::new(1_u8)).addr())
    };
    let next: Vec<Arena> = (0..30).map(|_| arena()).collect();
    assert!(next.iter().all(|arena| !arena.has_overflowed() && arena.image(|_| {}).is_some()));
    let arena = &next[0];
    assert_eq!(arena.enter(|| (&raw const *Box::new(1_u8)).addr()) % (1 << 26), address % (1 << 26));
}

#[test]
fn three_hundred_arenas_are_live_at_once() {
    let arenas: Vec<(Arena, Vec<u64>)> = (0..300)
        .map(|number| {
            let arena = arena();
            let contents = arena.enter(|| vec![number; 100]);
            (arena, contents)
        })
        .collect();
    let places = arenas.iter().map(|(_, contents)| contents.as_ptr().addr() % (1 << 26));
    assert!(places.clone().all(|place| Some(place) == places.clone().next()));
    for (number, (arena, contents)) in arenas.into_iter().enumerate() {
        assert_eq!(contents, vec![number as u64; 100]);
        drop(contents);
        drop(arena);
    }
}

/// A stale address with a number over its first five bytes must not tell the arenas of a thread apart.
#[test]
fn byte_5_of_addresses_is_the_same_in_250_arenas_of_a_thread() {
    let byte_5 = |arena: &Arena| {
        let memory = arena.enter(|| Box::new(0_u64));
        (&raw const *memory).addr().to_le_bytes()[5]
    };
    let of_a_thread = || {
        let arenas: Vec<Arena> = (0..250).map(|_| arena()).collect();
        let bytes: std::collections::BTreeSet<u8> = arenas.iter().map(byte_5).collect();
        assert_eq!(bytes.len(), 1, "{bytes:x?}");
    };
    std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(of_a_thread))));
}
