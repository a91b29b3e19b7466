//! The parts of an image: every word is that of the memory, and the code is known that has allocated it.

use crate::{arena, retiring};
use netcheck_memory::{Arena, Cell, Part, recording_allocations};
use std::backtrace::Backtrace;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// The memory of a program: small and large allocations, shared ones, zeros, and numbers that look like marks.
#[expect(dead_code, reason = "images read it")]
struct Held {
    texts: BTreeMap<u64, String>,
    queue: VecDeque<Rc<Vec<u64>>>,
    zeros: Vec<u64>,
    marks: Vec<u64>,
    large: Vec<u8>,
}

impl Held {
    fn new(seed: u64) -> Held {
        let texts = (0..seed % 50).map(|number| (number * seed, format!("text {}", number % 7))).collect();
        let shared = Rc::new(vec![seed; 5]);
        let queue =
            (0..seed % 9).map(|number| if number % 2 == 0 { Rc::clone(&shared) } else { Rc::new(vec![]) }).collect();
        let mut zeros = vec![0; (seed * 37 % 400) as usize];
        zeros.extend([1, 0, 0]);
        zeros.resize(zeros.len() + (seed * 11 % 300) as usize, 0);
        let marks = (0..20).map(|number| 0xa5c << 52 | (number % 16) << 48 | seed).collect();
        Held { texts, queue, zeros, marks, large: vec![7; (seed * 1_003 % 40_000) as usize] }
    }
}

fn word_at(address: usize) -> u64 {
    // SAFETY: the address is one of a live allocation of the test's arena, and a multiple of 8.
    unsafe { std::ptr::with_exposed_provenance::<u64>(address).read_volatile() }
}

/// Compares each word with the memory.
fn is_memory(arena: &Arena, parts: &[Part]) -> usize {
    let mut words = 0;
    for part in parts {
        let Some(address) = part.address else { continue };
        for (number, &cell) in part.cells.iter().enumerate() {
            let word = word_at(address + 8 * number);
            let is_same = match cell {
                Cell::Number(number) => number == word,
                Cell::Pointer { part, offset } => parts[part].address.map(|to| (to + offset) as u64) == Some(word),
                // The image has no number that tells such an address; it is a large one.
                Cell::Stale(_) => word > u64::from(u32::MAX),
                Cell::Instant(_) => false,
            };
            assert!(is_same, "{cell:?} is not {word:#x}");
            words += 1;
        }
    }
    assert!(parts.iter().filter_map(|part| part.address).all(|address| arena.contains(address as *const u8)));
    words
}

#[test]
fn the_words_of_parts_are_those_of_the_memory() {
    for seed in 0..60 {
        let arena = arena();
        let held = arena.enter(|| Box::new(Held::new(seed)));
        let in_parts = |roots: &dyn Fn(&mut netcheck_memory::Scan<'_>)| {
            (
                arena.parts(roots).expect("it has not overflowed"),
                arena.full_image(roots).expect("it has not overflowed"),
            )
        };
        let (parts, image) = in_parts(&|scan| {
            scan.bytes(&[1, 2, 3]);
            scan.word(0xa5c << 52 | seed);
            scan.object(&[seed; 3]);
            scan.pointer(&raw const *held);
        });
        assert!(parts[0].cells == [Cell::Number(0x0003_0201)] && parts[1].cells == [Cell::Number(0xa5c << 52 | seed)]);
        assert_eq!(parts[2].cells[1..4], [Cell::Number(seed); 3]);
        assert_eq!(parts[3].cells, [Cell::Pointer { part: 4, offset: 0 }]);
        assert_eq!(parts[4].address, Some((&raw const *held).addr()));
        let words = is_memory(&arena, &parts);
        assert!(words > 40 && words + 200 > image.words().len(), "{words} words");
        arena.enter(|| drop(held));
    }
}

#[inline(never)]
fn allocates_a_text() -> String {
    let mut text = "a text ".to_owned();
    text.push_str("that grows and is copied");
    text
}

#[inline(never)]
fn allocates_a_number() -> Box<u64> {
    let mut number = Box::new(7);
    *number += std::hint::black_box(1);
    number
}

/// The standard library holds a lock while it makes or writes a backtrace.
#[test]
fn a_program_that_takes_backtraces_is_not_held_up() {
    let arena = arena();
    let program = || {
        let taken = Backtrace::force_capture();
        (format!("{taken}\n{taken:?}"), Box::new(7))
    };
    let (made, allocations) = recording_allocations(|| arena.enter(program));
    assert!(made.0.contains("a_program_that_takes_backtraces"), "{}", made.0);
    assert!(allocations.of((&raw const *made.1).addr()).is_some());
    arena.enter(|| drop(made));
}

#[test]
fn what_allocates_is_told_and_changes_no_image() {
    let _one_at_a_time = retiring();
    let program = || (allocates_a_text(), allocates_a_number());
    let (first, second) = (arena(), arena());
    let (unrecorded, _) = (first.enter(program), ());
    let (recorded, allocations) = recording_allocations(|| second.enter(program));
    let image = |arena: &Arena, (text, number): &(String, Box<u64>)| {
        arena.full_image(|scan| {
            scan.pointer(text.as_ptr());
            scan.pointer(&raw const **number);
        })
    };
    assert_eq!(image(&first, &unrecorded), image(&second, &recorded));
    let of = |address: usize| allocations.of(address).expect("it was recorded").to_string();
    let of_text = of(recorded.0.as_ptr().addr());
    assert!(of_text.contains("allocates_a_text"), "{of_text}");
    let of_number = of((&raw const *recorded.1).addr());
    assert!(of_number.contains("allocates_a_number") && !of_number.contains("allocates_a_text"), "{of_number}");
    assert!(allocations.of(unrecorded.0.as_ptr().addr()).is_none(), "that was before");
}
