//! Where allocations go.

use crate::arena;
use netcheck_memory::{Arena, engine, engine_guard, engine_region, outside};
use std::panic::{self, AssertUnwindSafe};

/// Where an allocation of this thread goes now.
#[derive(Debug, PartialEq)]
enum Place {
    First,
    Second,
    /// In the reservation, but in neither arena.
    Engine,
    System,
}

struct Arenas {
    first: Arena,
    second: Arena,
}

impl Arenas {
    fn new() -> Arenas {
        Arenas { first: arena(), second: arena() }
    }

    fn place(&self) -> Place {
        let boxed = Box::new(1_u64);
        let address = (&raw const *boxed).addr();
        let engine = engine_region(|| Box::new(1_u64));
        let is_near = (&raw const *engine).addr() >> 26 == address >> 26;
        match () {
            () if self.first.contains(&raw const *boxed) => Place::First,
            () if self.second.contains(&raw const *boxed) => Place::Second,
            () if is_near => Place::Engine,
            () => Place::System,
        }
    }
}

#[test]
fn places_nest_and_are_restored() {
    let arenas = Arenas::new();
    let place = || arenas.place();
    assert_eq!(place(), Place::System);
    arenas.first.enter(|| {
        assert_eq!(place(), Place::First);
        arenas.second.enter(|| {
            assert_eq!(place(), Place::Second);
            engine(|| {
                assert_eq!(place(), Place::Engine);
                arenas.first.enter(|| assert_eq!(place(), Place::First));
                outside(|| {
                    assert_eq!(place(), Place::System);
                    engine(|| assert_eq!(place(), Place::System, "in no arena"));
                    engine_region(|| assert_eq!(place(), Place::Engine));
                });
                assert_eq!(place(), Place::Engine);
            });
            assert_eq!(place(), Place::Second);
        });
        {
            let _guard = engine_guard();
            assert_eq!(place(), Place::Engine);
        }
        assert_eq!(place(), Place::First);
    });
    assert_eq!(place(), Place::System);
}

#[test]
fn a_panic_restores_the_place() {
    let arenas = Arenas::new();
    let place = || arenas.place();
    let unwind = |function: &dyn Fn()| {
        let panic = outside(|| panic::catch_unwind(AssertUnwindSafe(function)));
        assert!(panic.is_err());
    };
    arenas.first.enter(|| {
        unwind(&|| arenas.second.enter(|| engine(|| panic::resume_unwind(Box::new(())))));
        assert_eq!(place(), Place::First);
        unwind(&|| {
            let _guard = engine_guard();
            outside(|| panic::resume_unwind(Box::new(())))
        });
        assert_eq!(place(), Place::First);
    });
    assert_eq!(place(), Place::System);
}

#[test]
fn threads_share_the_engine_region() {
    let lists: Vec<Vec<Box<usize>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..12)
            .map(|thread| {
                scope.spawn(move || {
                    engine_region(|| {
                        let mut list: Vec<Box<usize>> = (0..20_000).map(|number| Box::new(thread + number)).collect();
                        list.retain(|number| **number % 3 > 0);
                        list.extend((0..5_000).map(Box::new));
                        list
                    })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (thread, list) in lists.iter().enumerate() {
        assert!(
            list.iter()
                .map(|number| **number)
                .eq((0..20_000).map(|number| thread + number).filter(|number| number % 3 > 0).chain(0..5_000))
        );
    }
}

#[test]
fn a_full_chunk_of_the_engine_gives_way_to_the_next() {
    engine_region(|| {
        let blocks: Vec<Vec<u8>> = (1..=40).map(|number| vec![number; 5 << 20]).collect();
        assert!(blocks.iter().zip(1..).all(|(block, number)| block.iter().all(|&byte| byte == number)));
        // Too large for a chunk.
        let large = vec![1_u8; 80 << 20];
        assert_eq!(large[large.len() - 1], 1);
    });
}
