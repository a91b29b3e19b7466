//! Which states have the same image.

use crate::{arena, retiring};
use netcheck_memory::{Arena, Image, call_on_program_stack, engine_region};
use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::thread;

/// The image of what a program keeps, in an arena of its own.
fn image<T: 'static>(program: impl FnOnce() -> T) -> Image {
    // Some programs leak.
    let _one_at_a_time = retiring();
    let arena = arena();
    let state: Box<dyn Any> = arena.enter(|| Box::new(program()));
    let image = arena.full_image(|scan| scan.pointer(&raw const *state)).expect("an image");
    assert_eq!(arena.image(|scan| scan.pointer(&raw const *state)), Some(image.digest()));
    image
}

#[expect(dead_code, reason = "images read it")]
struct Node {
    value: u64,
    next: Option<Box<Node>>,
}

#[test]
fn the_same_program_has_the_same_image_in_each_arena() {
    let program = || {
        let names: BTreeMap<u32, String> = (0..100).map(|number| (number, format!("name {number}"))).collect();
        let shared = Rc::new(names);
        (Rc::clone(&shared), vec![shared], VecDeque::from([1, 2, 3]), Box::new([7_u8; 3]) as Box<dyn Any>)
    };
    // All of them are live, so they lie in different arenas.
    let arenas: Vec<(Arena, Image)> = (0..3).map(|_| (arena(), image(program))).collect();
    assert!(arenas.iter().all(|(_, image)| *image == arenas[0].1));
    assert!(arenas[0].1.words().len() > 500);
}

#[test]
fn the_order_of_allocation_does_not_count() {
    let node = |value| Box::new(Node { value, next: None });
    let link = |mut first: Box<Node>, mut second: Box<Node>, third: Box<Node>| {
        second.next = Some(third);
        first.next = Some(second);
        first
    };
    let forwards = image(|| {
        let [first, second, third] = [1, 2, 3].map(node);
        link(first, second, third)
    });
    let backwards = image(|| {
        let [third, second, first] = [3, 2, 1].map(node);
        link(first, second, third)
    });
    let after_others = image(|| {
        let others = [9, 9, 9].map(node);
        let [second, third, first] = [2, 3, 1].map(node);
        drop(others);
        link(first, second, third)
    });
    assert_eq!(forwards, backwards);
    assert_eq!(forwards, after_others);
    assert_ne!(forwards, image(|| link(node(1), node(2), node(4))));
    assert_ne!(forwards, image(|| link(node(1), node(3), node(2))));
}

#[test]
fn what_has_shrunk_is_like_what_was_never_larger() {
    let shrunk = image(|| {
        let mut numbers: Vec<u64> = (0..1_000).collect();
        numbers.truncate(3);
        numbers.shrink_to_fit();
        numbers
    });
    assert_eq!(shrunk, image(|| Vec::from([0_u64, 1, 2])));
}

#[test]
fn two_pointers_to_one_object_differ_from_pointers_to_two_equal_objects() {
    let one = image(|| {
        let shared = Rc::new(5_u64);
        // The count of both is 2.
        [Rc::clone(&shared), shared]
    });
    let two = image(|| {
        let pair = [Rc::new(5_u64), Rc::new(5_u64)];
        pair.iter().for_each(|object| std::mem::forget(Rc::clone(object)));
        pair
    });
    assert_ne!(one, two);
}

#[test]
fn a_position_in_a_ring_counts() {
    let ring = |start: usize, position: usize| {
        image(move || {
            let items = Box::leak(Box::new([1_u64, 2, 3, 4]));
            items.rotate_left(start);
            (&raw const items[position], &raw const *items)
        })
    };
    // The item at the position is the same, and its place in the ring is not.
    assert_ne!(ring(0, 2), ring(1, 1));
    assert_ne!(ring(0, 2), ring(0, 1));
    assert_eq!(ring(1, 2), ring(1, 2));
}

#[test]
fn the_end_of_a_slice_belongs_to_that_slice() {
    // A pointer to the end of the first, or to the beginning of the second: equal numbers where slots had no gap.
    let end_or_start = |end: bool| {
        image(move || {
            let [first, second] = [Vec::leak(vec![1_u64, 2]), Vec::leak(vec![1_u64, 2])];
            let first = &*first;
            (first, &*second, if end { first.as_ptr_range().end } else { second.as_ptr() })
        })
    };
    assert_ne!(end_or_start(true), end_or_start(false));
    let end_of = |which: usize| {
        image(move || {
            let both = [Vec::leak(vec![1_u64, 2]), Vec::leak(vec![1_u64, 2])].map(|slice| &*slice);
            (both, both[which].as_ptr_range().end)
        })
    };
    assert_ne!(end_of(0), end_of(1));
}

#[test]
fn tagged_pointers_are_followed() {
    let tagged =
        |tag: usize, value: u64| image(move || Box::into_raw(Box::new(value)).map_addr(|address| address | tag));
    assert_eq!(tagged(1, 5), tagged(1, 5));
    assert_ne!(tagged(1, 5), tagged(1, 6), "what is behind it counts");
    assert_ne!(tagged(1, 5), tagged(2, 5), "the tag counts");
}

#[test]
fn free_memory_is_a_token_and_foreign_memory_is_not() {
    let dangling = |number: usize| {
        image(move || {
            // The second one keeps the slab, so that nothing else gets the memory of the first.
            let [freed, kept] = [Box::new([5_u64; 40]), Box::new([6_u64; 40])];
            let freed = Box::into_raw(freed);
            // SAFETY: it is live, and only its address is used afterwards.
            drop(unsafe { Box::from_raw(freed) });
            (freed.map_addr(|address| address & !0xffff | number), kept)
        })
    };
    assert_eq!(dangling(1), dangling(1));
    for (one, other) in [(1, 2), (16, 32), (0x100, 0x1100), (0x7777, 0xf777)] {
        assert_ne!(dangling(one), dangling(other), "numbers over the first bytes of a stale address");
    }
    static NUMBERS: [u64; 2] = [1, 2];
    assert_ne!(image(|| &NUMBERS[0]), image(|| &NUMBERS[1]), "a program can use a static");
    let system = [Box::new(1_u64), Box::new(1_u64)].map(|boxed| &*Box::leak(boxed));
    assert_ne!(image(move || system[0]), image(move || system[1]), "memory from before the run");
}

/// An object that the engine keeps in the arena has an address, and nothing else, in images.
#[test]
fn what_the_engine_keeps_in_an_arena_is_its_address() {
    let kept = |number: u64, which: usize| {
        let arena = arena();
        let guard = arena.keep();
        let objects =
            [Box::leak(Box::new([number; 20])), Box::leak(Box::new([7; 20]))].map(|object| &raw const object[0]);
        drop(guard);
        let pointer = arena.enter(|| Box::new(objects[which]));
        arena.full_image(|scan| scan.pointer(&raw const *pointer)).unwrap()
    };
    assert_eq!(kept(1, 0), kept(2, 0), "what it holds");
    assert_ne!(kept(1, 0), kept(1, 1), "which one it is");
}

/// The engine's other objects lie anywhere, so their addresses stay as they are.
#[test]
fn addresses_in_the_engines_region_stay_as_they_are() {
    let [first, second] = engine_region(|| [Box::new(1_u64), Box::new(2_u64)]);
    let (first, second) = (&raw const *first, &raw const *second);
    assert_eq!(image(move || first), image(move || first));
    assert_ne!(image(move || first), image(move || second));
}

/// Addresses of variables are the same on each thread, and no number over their first bytes is lost.
#[test]
fn the_stack_for_programs_is_the_same_on_each_thread() {
    let on_stack = |bits: usize| {
        let arena = arena();
        call_on_program_stack(|| {
            arena.enter(|| {
                let variable = 1_u64;
                let address = Box::new((&raw const variable).map_addr(|address| address ^ bits));
                arena.full_image(|scan| scan.pointer(&raw const *address)).unwrap()
            })
        })
    };
    let here = on_stack(0);
    assert_eq!(thread::spawn(move || on_stack(0)).join().unwrap(), here);
    let both = thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| on_stack(0))).collect();
        threads.into_iter().all(|thread| thread.join().unwrap() == here)
    });
    assert!(both);
    for bits in [1, 16, 0x100, 0x8000] {
        assert_ne!(on_stack(bits), here, "{bits:#x}");
    }
}

#[test]
fn memory_of_another_arena_is_told_apart() {
    // As a static that is initialised at its first use, in another run.
    let other = arena();
    let [one, two] = [1_u64, 2].map(|value| other.enter(|| Box::into_raw(Box::new(value))));
    assert_eq!(image(move || one), image(move || one));
    assert_ne!(image(move || one), image(move || two));
    // So that the arena is not retired.
    for object in [one, two] {
        // SAFETY: it was a box, and nobody uses it any more.
        drop(unsafe { Box::from_raw(object) });
    }
}

#[test]
fn roots_are_told_apart() {
    let arena = arena();
    let number = 5_u64;
    let images = [
        arena.full_image(|_| {}),
        arena.full_image(|scan| scan.word(5)),
        arena.full_image(|scan| scan.word(6)),
        arena.full_image(|scan| scan.bytes(&[5])),
        arena.full_image(|scan| scan.bytes(&[5, 0])),
        arena.full_image(|scan| scan.bytes(&[5, 0, 0, 0, 0, 0, 0, 0])),
        arena.full_image(|scan| scan.object(&number)),
        arena.full_image(|scan| scan.object(&5_u32)),
        arena.full_image(|scan| scan.object(&[5_u64, 0])),
        arena.full_image(|scan| scan.pointer(std::ptr::without_provenance::<()>(5))),
        arena.full_image(|scan| (0..2).for_each(|_| scan.word(5))),
    ];
    for (position, image) in images.iter().enumerate() {
        assert!(!images[..position].contains(image), "{position}: {image:?}");
    }
}

#[test]
fn words_that_look_like_marks_are_escaped() {
    // The first words of an image that has a pointer in it: as contents they are something else.
    let arena = arena();
    let (target, numbers) =
        arena.enter(|| (Box::new(1_u64), Box::new([0xa5c0_0000_0000_0000_u64, 0xa5c1_0000_0000_0000])));
    let pointer = &raw const *target;
    let with_pointer = arena.full_image(|scan| scan.object(&[pointer, pointer])).unwrap();
    let mark = with_pointer.words()[2];
    let with_mark = arena.full_image(|scan| scan.object(&[mark, mark])).unwrap();
    assert_ne!(with_pointer.words()[..4], with_mark.words()[..4]);
    let numbers = arena.full_image(|scan| scan.pointer(&raw const *numbers)).unwrap();
    assert!(numbers.words().contains(&0xa5c0_0000_0000_0000));
}

#[test]
fn each_word_that_looks_like_a_mark_keeps_its_place() {
    let arena = arena();
    let of = |numbers: &[u64]| arena.full_image(|scan| scan.object(numbers)).unwrap();
    let like = |mark: u64, value: u64| 0xa5c << 52 | mark << 48 | value;
    let words: Vec<u64> = (0..16).flat_map(|mark| [like(mark, 0), like(mark, 64), like(mark, 5 << 26), 0, 7]).collect();
    for position in 1..words.len() {
        let mut exchanged = words.clone();
        exchanged.swap(position - 1, position);
        assert_eq!(of(&words) == of(&exchanged), words == exchanged);
    }
}

#[test]
fn blocks_of_zeros_are_short_and_keep_their_place() {
    let arena = arena();
    let of = |buffer: &[u64]| arena.full_image(|scan| scan.object(buffer)).unwrap();
    let mut buffer = vec![0_u64; 10_000];
    let zeros = of(&buffer);
    assert!(zeros.words().len() < 10);
    assert_ne!(zeros, of(&buffer[1..]));
    let mut images = vec![zeros];
    for position in [0, 1, 63, 64, 65, 127, 128, 5_000, 9_983, 9_984, 9_999] {
        buffer[position] = 1;
        images.push(of(&buffer));
        assert!(images.last().unwrap().words().len() < 1_000);
        buffer[position] = 0;
    }
    for (position, image) in images.iter().enumerate() {
        assert!(!images[..position].contains(image));
    }
}

#[test]
fn roots_may_be_named_from_anywhere() {
    let arena = arena();
    let state: Vec<Box<u64>> = arena.enter(|| (0..1_000).map(Box::new).collect());
    let image = arena.image(|scan| scan.object(&state));
    let from_inside = arena.enter(|| arena.image(|scan| arena.enter(|| scan.object(&state))));
    assert_eq!(image, from_inside);
    assert_eq!(arena.live(), 1_001);
    let within = arena.image(|scan| {
        assert_eq!(arena.image(|scan| scan.object(&state)), image);
        scan.object(&state);
    });
    assert_eq!(within, image);
}

#[test]
fn an_object_outside_of_the_arena_is_read_where_it_lies() {
    let arena = arena();
    let state = |value: u8| {
        let list = arena.enter(|| vec![value; 10]);
        let on_the_stack = (value, list);
        arena.image(|scan| scan.object(&on_the_stack))
    };
    assert_eq!(state(1), state(1));
    assert_ne!(state(1), state(2));
    let bytes = [1_u8, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20];
    let parts = |first: usize| arena.image(|scan| scan.object(&bytes[first..first + 13]));
    assert_ne!(parts(1), parts(2));
    assert_eq!(parts(1), parts(1));
}

/// Half of an address that was copied to a multiple of 4, and was overwritten in part, differs from arena to arena.
#[test]
fn half_of_a_stale_address_is_a_token_wherever_it_is_in_its_word() {
    let with_half = |number: u64, is_high: bool| {
        let image = image(move || {
            let here = Box::new(number);
            let half = (&raw const *here).addr() as u64 >> 32;
            Box::new(if is_high { half << 32 | number } else { number << 32 | half })
        });
        // The next image is that of another arena.
        (image, arena())
    };
    for is_high in [false, true] {
        for number in [5, 70_000, 0x7f00_0001] {
            let [once, again, other] = [number, number, number + 1].map(|number| with_half(number, is_high));
            assert_eq!(once.0, again.0);
            assert_ne!(once.0, other.0, "{number}");
        }
    }
    assert_ne!(with_half(5, true).0, with_half(5, false).0);
}

/// A copy of stale bytes may begin anywhere, and a number may be written over any part of an old address.
#[test]
fn a_stale_address_is_the_same_in_each_arena_at_whichever_byte_it_begins() {
    let shifted = |shift: usize, written: std::ops::Range<usize>, number: u8| {
        let image = image(move || {
            let mut bytes = Box::new([[0_u8; 8]; 3]);
            let old = (&raw const *bytes).addr().to_le_bytes();
            let bytes_of_old = bytes.as_flattened_mut();
            bytes_of_old[shift..shift + 8].copy_from_slice(&old);
            bytes_of_old[written.start + shift..written.end + shift].fill(number);
            bytes
        });
        (image, arena())
    };
    for shift in 1..16 {
        for written in [0..0, 0..1, 0..3, 0..4, 1..2] {
            // The rest can't be told from a number: it is a word of its own.
            if written == (0..4) && shift % 8 == 4 {
                continue;
            }
            let [once, again] = [(); 2].map(|()| shifted(shift, written.clone(), 7));
            assert_eq!(once.0, again.0, "{shift}, {written:?}");
            if !written.is_empty() {
                assert_ne!(once.0, shifted(shift, written.clone(), 8).0, "{shift}, {written:?}");
            }
        }
    }
}
