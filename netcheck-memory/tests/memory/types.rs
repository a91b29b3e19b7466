//! Objects that differ in bytes that no program can read have equal images once these are cleared; all others have not.

#![expect(clippy::disallowed_types, reason = "programs use hash tables of the standard library")]

use crate::arena;
use netcheck_memory::{Arena, Image};
use proptest::prelude::*;
use std::any::Any;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

fn image<T: ?Sized>(arena: &Arena, object: &T) -> Image {
    arena.full_image(|scan| scan.dynamic(object)).expect("an image")
}

/// Two images of an object: once its unread bytes are cleared, and before.
fn images<T: ?Sized>(arena: &Arena, object: &T) -> [Image; 2] {
    let before = image(arena, object);
    arena.overwrite_unread(|scan| scan.dynamic(object), 0);
    [image(arena, object), before]
}

/// Whether two objects, each made in an arena of its own, have equal images, with unread bytes cleared and as they are.
fn are_equal<T: ?Sized>(make: [&dyn Fn() -> Box<T>; 2]) -> [bool; 2] {
    let images = make.map(|make| {
        let arena = arena();
        let object = arena.enter(make);
        let images = images(&arena, &*object);
        arena.enter(|| drop(object));
        images
    });
    [0, 1].map(|which| images[0][which] == images[1][which])
}

/// Equal only once unread bytes are cleared.
const BY_TYPES: [bool; 2] = [true, false];
const DIFFERENT: [bool; 2] = [false, false];

#[test]
fn types_are_known() {
    assert!(netcheck_memory::types::are_known(), "tests are compiled with full debug information");
}

enum Shape {
    Circle { radius: u64 },
    Box([u64; 4]),
    Named(String, u8),
    Nothing,
}

impl Shape {
    fn area(&self) -> u64 {
        match self {
            Shape::Circle { radius } => 3 * radius * radius,
            Shape::Box(sides) => sides.iter().product(),
            Shape::Named(name, size) => name.len() as u64 * u64::from(*size),
            Shape::Nothing => 0,
        }
    }
}

/// An object that was something else before.
fn changed(before: Shape, after: Shape) -> Box<dyn Any> {
    let mut object = Box::new(before);
    assert!(std::hint::black_box(&*object).area() < u64::MAX);
    *object = after;
    object
}

#[test]
fn variants_that_are_not_there_are_unread() {
    let circle = || Shape::Circle { radius: 5 };
    let before = [1, 2].map(|side| move || Shape::Box([7, side, 3, 4]));
    assert!(are_equal([&|| changed(before[0](), circle()), &|| changed(before[1](), circle())])[0]);
    let nothing = || Shape::Nothing;
    assert!(are_equal([&|| changed(before[0](), nothing()), &|| changed(before[1](), nothing())])[0]);
    let named = |size| move || Shape::Named("name".to_owned(), size);
    assert!(are_equal([&|| changed(before[0](), named(1)()), &|| changed(before[1](), named(1)())])[0]);
    assert_eq!(are_equal([&|| changed(before[0](), named(1)()), &|| changed(before[0](), named(2)())]), DIFFERENT);
    assert_eq!(are_equal([&|| changed(before[0](), before[0]()), &|| changed(before[0](), before[1]())]), DIFFERENT);
}

/// Values behind pointers are read as what they are.
#[test]
fn variants_behind_pointers_are_unread() {
    type Nested = Option<Rc<Vec<Box<Shape>>>>;
    let nested = |side: u64, radius: u64| {
        move || {
            let mut shape = Box::new(Shape::Box([side, 8, 9, side]));
            assert!(std::hint::black_box(&*shape).area() < u64::MAX);
            *shape = Shape::Circle { radius };
            let nested: Nested = Some(Rc::new(vec![shape, Box::new(Shape::Nothing)]));
            Box::new(nested) as Box<dyn Any>
        }
    };
    assert_eq!(are_equal([&nested(1, 1), &nested(2, 1)]), BY_TYPES);
    assert_eq!(are_equal([&nested(1, 1), &nested(1, 2)]), DIFFERENT);
}

/// Polls a future so many times, all of which it waits.
fn polled(future: impl Future<Output = ()> + 'static, polls: usize) -> Box<dyn Future<Output = ()>> {
    let mut future: Box<dyn Future<Output = ()>> = Box::new(future);
    for _ in 0..polls {
        // SAFETY: nobody moves it: it stays in the box.
        let pinned = unsafe { Pin::new_unchecked(&mut *future) };
        assert!(pinned.poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    future
}

/// Waits once.
async fn once() {
    let mut is_over = false;
    std::future::poll_fn(|_| if std::mem::replace(&mut is_over, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

#[test]
fn variables_of_other_awaits_are_unread() {
    let future = |first: u64, kept: u64| async move {
        {
            let early = [first, first + 1, first + 2];
            once().await;
            assert!(std::hint::black_box(early)[0] < 100);
        }
        let late = [kept];
        once().await;
        once().await;
        assert!(std::hint::black_box(late)[0] < 100);
    };
    assert_eq!(are_equal([&|| polled(future(1, 5), 2), &|| polled(future(1, 6), 2)]), DIFFERENT);
    let boxed = |first: u64, polls: usize| {
        move || {
            let number = Rc::new(std::cell::Cell::new(first));
            let in_it = Rc::clone(&number);
            let future = async move {
                {
                    let early = [in_it.get(); 3];
                    once().await;
                    assert!(std::hint::black_box(early)[0] < 100);
                }
                once().await;
                once().await;
            };
            let future = polled(future, polls);
            number.set(0);
            future
        }
    };
    assert_eq!(are_equal([&boxed(1, 1), &boxed(2, 1)]), DIFFERENT);
    assert_eq!(are_equal([&boxed(1, 2), &boxed(2, 2)]), BY_TYPES);
}

/// Each of several variables with one name is read, also in a function that was optimized, which does not say where they lie.
#[test]
fn all_variables_of_one_name_are_read() {
    let future = |first: u64, second: u64| async move {
        let number = Box::new(first);
        let seen = &number;
        let number = [second; 3];
        once().await;
        assert!(std::hint::black_box(number)[1] + **std::hint::black_box(seen) < 100);
    };
    for polls in 0..2 {
        let make = |first: u64, second: u64| move || polled(future(first, second), polls);
        assert_eq!(are_equal([&make(1, 5), &make(1, 5)]), [true, true]);
        assert_eq!(are_equal([&make(1, 5), &make(2, 5)]), DIFFERENT);
        assert_eq!(are_equal([&make(1, 5), &make(1, 6)]), DIFFERENT);
    }
}

/// An object that is more than bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    number: u64,
    /// Makes it more than bytes.
    boxed: Box<u64>,
}

fn item(number: u64) -> Item {
    Item { number, boxed: Box::new(0) }
}

fn vector(numbers: &[u64], count: usize) -> Vec<Item> {
    let mut items: Vec<Item> = numbers.iter().copied().map(item).collect();
    items.truncate(count);
    items
}

#[test]
fn room_of_vectors_is_unread() {
    let of = |numbers: &'static [u64]| move || Box::new(vector(numbers, 1)) as Box<dyn Any>;
    assert_eq!(are_equal([&of(&[1, 2]), &of(&[1, 3])]), BY_TYPES);
    assert_eq!(are_equal([&of(&[1, 2]), &of(&[2, 2])]), DIFFERENT);
    let text = |text: &'static str, bytes: usize| {
        move || {
            let mut shortened = text.to_owned();
            shortened.truncate(bytes);
            Box::new((shortened, vec![1_u16])) as Box<dyn Any>
        }
    };
    assert_eq!(are_equal([&text("abcd", 3), &text("abce", 3)]), BY_TYPES);
    assert_eq!(are_equal([&text("abcd", 3), &text("abce", 4)]), DIFFERENT);
    let ring = |numbers: &'static [u64]| {
        move || {
            let mut ring: VecDeque<Item> = VecDeque::with_capacity(4);
            ring.extend(numbers.iter().copied().map(item));
            ring.pop_front();
            Box::new(ring) as Box<dyn Any>
        }
    };
    assert_eq!(are_equal([&ring(&[1, 2, 3]), &ring(&[4, 2, 3])]), BY_TYPES);
    assert_eq!(are_equal([&ring(&[1, 2, 3]), &ring(&[1, 2, 4])]), DIFFERENT);
}

#[test]
fn empty_buckets_of_hash_tables_are_unread() {
    let table = |removed: u64, kept: u64| {
        move || {
            let mut table: HashMap<u32, Item, std::hash::BuildHasherDefault<Same>> = HashMap::default();
            table.insert(1, item(removed));
            table.insert(2, item(kept));
            table.remove(&1);
            Box::new(table) as Box<dyn Any>
        }
    };
    assert_eq!(are_equal([&table(1, 2), &table(3, 2)]), BY_TYPES);
    assert_eq!(are_equal([&table(1, 2), &table(1, 3)]), DIFFERENT);
}

/// The same for all.
#[derive(Default)]
struct Same;

impl std::hash::Hasher for Same {
    fn finish(&self) -> u64 {
        1 << 40
    }

    fn write(&mut self, _: &[u8]) {}
}

/// Elements that a vector does not count, since something is taking them out.
#[test]
fn elements_that_are_being_taken_out_are_read() {
    let drained = |last: u64| {
        move || {
            polled(
                async move {
                    let mut items = vector(&[1, 2, 3, last], 4);
                    let mut drained = items.drain(..2);
                    assert!(drained.next().is_some());
                    once().await;
                    drop(drained);
                    assert_eq!(items[1].number, last);
                },
                1,
            )
        }
    };
    assert_eq!(are_equal([&drained(4), &drained(5)]), DIFFERENT);
    let of_ring = |last: u64| {
        move || {
            polled(
                async move {
                    let mut items: VecDeque<Item> = vector(&[1, 2, 3, last], 4).into();
                    let drained = items.drain(..2);
                    once().await;
                    drop(drained);
                    assert_eq!(items[1].number, last);
                },
                1,
            )
        }
    };
    assert_eq!(are_equal([&of_ring(4), &of_ring(5)]), DIFFERENT);
    let peeked = |least: u64| {
        move || {
            polled(
                async move {
                    let mut heap: BinaryHeap<Item> = vector(&[9, least], 2).into();
                    let mut peeked = heap.peek_mut().expect("two");
                    peeked.number = 8;
                    once().await;
                    drop(peeked);
                    assert_eq!(heap.into_sorted_vec()[0].number, least);
                },
                1,
            )
        }
    };
    assert_eq!(are_equal([&peeked(1), &peeked(2)]), DIFFERENT);
}

/// Memory that a stale pointer was the owner of is what its present owner says.
#[test]
fn stale_pointers_give_no_type() {
    let moved = |value: u64| {
        move || {
            polled(
                async move {
                    let is_given = std::hint::black_box(true);
                    let shape = Box::new(Shape::Nothing);
                    // dropped here or at the end: the variable is kept over the wait either way
                    if is_given {
                        drop(shape);
                        let other = Box::new([u64::MAX, value, value, value, value]);
                        let address: *const [u64; 5] = Box::into_raw(other);
                        let erased = address.cast::<u8>().cast_mut();
                        once().await;
                        // SAFETY: it is the box from above.
                        drop(unsafe { Box::from_raw(erased.cast::<[u64; 5]>()) });
                    } else {
                        once().await;
                        drop(shape);
                    }
                },
                1,
            )
        }
    };
    assert_eq!(are_equal([&moved(4), &moved(5)]), DIFFERENT);
}

/// Something of each kind that values are made of.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Leaf,
    Small(u8),
    Wide(u8, u64, u16),
    Text(String),
    Niche(Option<Box<Tree>>),
    Deep(Option<Option<bool>>, Result<u8, Box<u64>>),
    Many(Vec<Tree>),
    Ring(VecDeque<Tree>),
    Shared(Rc<(u8, Tree)>),
    Slice(Box<[Tree]>),
    Table(HashMap<u8, Tree>),
    Array([Option<Box<u16>>; 3]),
    Kept(std::mem::ManuallyDrop<Box<u8>>),
    Point { x: std::num::NonZero<u8>, y: char, z: (u8, u32, u8) },
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Leaf),
        any::<u8>().prop_map(Tree::Small),
        any::<(u8, u64, u16)>().prop_map(|(a, b, c)| Tree::Wide(a, b, c)),
        "[a-z]{0,20}".prop_map(Tree::Text),
        any::<(Option<Option<bool>>, Result<u8, u64>)>().prop_map(|(a, b)| Tree::Deep(a, b.map_err(Box::new))),
        any::<[Option<u16>; 3]>().prop_map(|array| Tree::Array(array.map(|number| number.map(Box::new)))),
        any::<u8>().prop_map(|number| Tree::Kept(std::mem::ManuallyDrop::new(Box::new(number)))),
        any::<(std::num::NonZero<u8>, char, (u8, u32, u8))>().prop_map(|(x, y, z)| Tree::Point { x, y, z }),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let many = || prop::collection::vec(inner.clone(), 0..5);
        prop_oneof![
            prop::option::of(inner.clone()).prop_map(|tree| Tree::Niche(tree.map(Box::new))),
            many().prop_map(Tree::Many),
            (many(), 0..4_usize).prop_map(|(trees, turns)| {
                let mut ring = VecDeque::with_capacity(6);
                (0..turns).for_each(|_| {
                    ring.push_back(Tree::Leaf);
                    ring.pop_front();
                });
                ring.extend(trees);
                Tree::Ring(ring)
            }),
            (any::<u8>(), inner.clone()).prop_map(|pair| Tree::Shared(Rc::new(pair))),
            many().prop_map(|trees| Tree::Slice(trees.into())),
            prop::collection::hash_map(any::<u8>(), inner, 0..6).prop_map(Tree::Table),
        ]
    })
}

/// A tree in which something was something else before.
fn with_remains(tree: &Tree, others: &[Tree]) -> Tree {
    let mut made = Tree::Leaf;
    for other in others {
        made = std::hint::black_box(other).clone();
    }
    match (&mut made, tree) {
        (Tree::Many(trees), Tree::Many(wanted)) => {
            trees.clear();
            trees.extend(wanted.iter().cloned());
        }
        (Tree::Ring(trees), Tree::Ring(wanted)) => {
            trees.pop_front();
            trees.clear();
            trees.extend(wanted.iter().cloned());
        }
        (Tree::Table(trees), Tree::Table(wanted)) => {
            trees.clear();
            trees.extend(wanted.iter().map(|(&key, tree)| (key, tree.clone())));
        }
        _ => made = tree.clone(),
    }
    made
}

/// A value that was made twice.
struct MadeTwice {
    /// Whether the images are equal: once unread bytes are cleared, and before.
    equal: [bool; 2],
    /// Where the values were. No other value is made there before these are dropped.
    _arenas: [Arena; 2],
}

/// Makes a value in two arenas, in the same way.
fn made_alike(wanted: &Tree, others: &[Tree]) -> MadeTwice {
    let arenas = [(); 2].map(|()| arena());
    let [one, other] = arenas.each_ref().map(|arena| {
        let made = arena.enter(|| {
            netcheck_memory::call_on_program_stack(|| Box::new(with_remains(wanted, others)) as Box<dyn Any>)
        });
        let images = images(arena, &*made);
        arena.enter(|| drop(made));
        images
    });
    MadeTwice { equal: [0, 1].map(|which| one[which] == other[which]), _arenas: arenas }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// A value that is made in the same way has the same image, wherever it lies.
    #[test]
    fn values_that_are_made_alike_have_equal_images(
        wanted in tree(),
        others in prop::collection::vec(tree(), 0..3),
    ) {
        let first = made_alike(&wanted, &others);
        // A number of the value may be half of an address in one of the two arenas by chance, as the end of a text is in
        // some: not in two further arenas, too.
        let [with_types, as_it_is] = if first.equal[0] { first.equal } else { made_alike(&wanted, &others).equal };
        // All but the first element of a boxed slice is read whole: its padding has what lay on the stack, which may be a
        // part of an address.
        let has_padding = !as_it_is && format!("{wanted:?} {others:?}").contains("Slice");
        prop_assert!(has_padding || with_types, "with types, {as_it_is}");
    }

    /// A number that is written over all unread bytes changes nothing that a program reads, and is cleared again.
    #[test]
    fn values_are_the_same_when_unread_bytes_are_overwritten(
        wanted in tree(),
        others in prop::collection::vec(tree(), 0..3),
        seed in any::<u64>(),
    ) {
        let arena = arena();
        let object: Box<dyn Any> = arena.enter(|| Box::new(with_remains(&wanted, &others)));
        let [before, _] = images(&arena, &*object);
        arena.overwrite_unread(|scan| scan.dynamic(&*object), seed);
        let [after, _] = images(&arena, &*object);
        prop_assert!(before == after, "the image has changed");
        arena.overwrite_unread(|scan| scan.dynamic(&*object), seed);
        let made = object.downcast_ref::<Tree>().expect("a tree");
        prop_assert_eq!(made, &wanted);
        let copy = arena.enter(|| made.clone());
        prop_assert_eq!(&copy, &wanted);
        arena.enter(|| drop((copy, object)));
    }
}

/// Futures that are overwritten after each poll do the same as others.
#[test]
fn futures_do_the_same_when_unread_bytes_are_overwritten() {
    async fn part(depth: u64, seen: Rc<std::cell::RefCell<Vec<u64>>>) -> u64 {
        let numbers: Vec<Item> = vector(&[depth, depth + 1, depth + 2], 2);
        let given = if depth.is_multiple_of(2) { Some(item(depth)) } else { None };
        once().await;
        let text = format!("{depth} {}", numbers.len());
        let inner = match given {
            Some(given) if depth > 0 => {
                let boxed: Pin<Box<dyn Future<Output = u64>>> = Box::pin(part(depth - 1, Rc::clone(&seen)));
                let result = boxed.await;
                result + given.number
            }
            Some(given) => {
                once().await;
                given.number
            }
            None => {
                let early = [depth; 5];
                once().await;
                seen.borrow_mut().push(early[4]);
                Box::pin(part(depth - 1, Rc::clone(&seen))).await
            }
        };
        once().await;
        seen.borrow_mut().push(text.len() as u64 + numbers[1].number);
        inner + numbers[0].number
    }
    let run = |seed: Option<u64>| {
        let arena = arena();
        let (seen, mut future) = arena.enter(|| {
            let seen = Rc::new(std::cell::RefCell::new(Vec::new()));
            let in_it = Rc::clone(&seen);
            let future: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async move {
                let result = part(6, Rc::clone(&in_it)).await;
                in_it.borrow_mut().push(result);
            });
            (seen, future)
        });
        let mut polls = 0;
        while arena.enter(|| future.as_mut().poll(&mut Context::from_waker(Waker::noop()))).is_pending() {
            polls += 1;
            if let Some(seed) = seed {
                arena.overwrite_unread(|scan| scan.dynamic(&*future), fastrand::Rng::with_seed(seed + polls).u64(..));
            }
        }
        let result = (polls, seen.borrow().clone());
        arena.enter(|| drop((future, seen)));
        result
    };
    let expected = run(None);
    for seed in 0..50 {
        assert_eq!(run(Some(seed)), expected);
    }
}
