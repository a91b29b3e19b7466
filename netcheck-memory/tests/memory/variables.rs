//! A run's own thread-locals.

use netcheck_memory::{Arena, First, Own};
use std::cell::Cell;
use std::hint::black_box;

thread_local! {
    static COUNT: Cell<u8> = const { Cell::new(7) };
    static HELD: Cell<Option<&'static Vec<u8>>> = const { Cell::new(None) };
}

/// A compiler that sees that nothing reads the variable would leave it out, with what it holds.
fn hold(bytes: &[u8]) {
    HELD.with(|held| black_box(held).set(Some(Box::leak(Box::new(bytes.to_vec())))));
}

#[test]
fn each_run_finds_its_own_values_and_the_thread_its_own() {
    let first = First::new(false);
    let [a, b] = [Own::default(), Own::default()];
    for round in 0..3 {
        first.during(&a, || COUNT.set(COUNT.get() + 1));
        first.during(&b, || COUNT.set(COUNT.get() + 10));
        assert_eq!(COUNT.get(), 7 + round);
        COUNT.set(8 + round);
    }
    assert_eq!(first.during(&a, || COUNT.get()), 10);
    assert_eq!(first.during(&b, || COUNT.get()), 37);
    first.during(&a, || COUNT.set(7));
    assert!(a.is_empty(), "the first value is none of its own");
}

#[test]
fn values_are_roots_of_images() {
    let first = First::new(false);
    let image = |bytes: &[u8], count| {
        let (own, arena) = (Own::default(), Arena::new().expect("there is room"));
        first.during(&own, || {
            arena.enter(|| hold(bytes));
            COUNT.set(count);
        });
        let image = arena.full_image(|scan| own.scan(scan)).expect("it has not overflowed");
        arena.free_held(&own);
        assert_eq!(arena.live(), 0, "what only variables hold is freed");
        image
    };
    assert_eq!(image(&[1, 2], 3), image(&[1, 2], 3));
    assert_ne!(image(&[1, 2], 3), image(&[1, 3], 3));
    assert_ne!(image(&[1, 2], 3), image(&[1, 2], 4));
    assert_ne!(image(&[1, 2], 3), image(&[1, 2], 7));
}

#[test]
fn nothing_is_freed_if_something_else_is_held() {
    let first = First::new(false);
    let (own, arena) = (Own::default(), Arena::new().expect("there is room"));
    let other = first.during(&own, || {
        arena.enter(|| {
            hold(&[1, 2, 3]);
            Box::new(5)
        })
    });
    arena.free_held(&own);
    assert_eq!(arena.live(), 3);
    drop(other);
    arena.free_held(&own);
    assert_eq!(arena.live(), 0);
}
