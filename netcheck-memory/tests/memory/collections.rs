//! Collections of all kinds work in an arena.

#![expect(clippy::disallowed_types, reason = "hash maps with a fixed hasher are among them")]

use crate::arena;
use netcheck_memory::outside;
use std::collections::{BTreeMap, BinaryHeap, HashMap, LinkedList, VecDeque};
use std::fmt::Debug;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex};

type FixedMap<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

#[repr(align(512))]
#[derive(Debug, PartialEq)]
struct Aligned(u8);

struct Ring {
    next: Mutex<Weak<Ring>>,
    previous: Mutex<Option<Rc<Ring>>>,
    name: String,
}

#[test]
fn collections_work_in_an_arena_and_leave_nothing() {
    let arena = arena();
    arena.enter(|| {
        let mut vec = Vec::new();
        let mut strings: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut hashed: FixedMap<u64, Box<dyn Debug>> = FixedMap::default();
        let mut deque = VecDeque::new();
        let mut list = LinkedList::new();
        let mut heap = BinaryHeap::new();
        for number in 0..5_000_u32 {
            vec.push(number);
            strings.entry(format!("key {}", number % 700)).or_default().push(number);
            hashed.insert(u64::from(number), if number % 2 == 0 { Box::new(number) } else { Box::new("odd") });
            deque.push_back(number);
            if number % 3 == 0 {
                deque.pop_front();
                list.push_back([u64::from(number); 5]);
            }
            heap.push(number ^ 0x2a5);
        }
        assert!(arena.contains(vec.as_ptr()));
        assert_eq!(vec.iter().sum::<u32>(), 4_999 * 2_500);
        assert_eq!(strings["key 3"], [3, 703, 1403, 2103, 2803, 3503, 4203, 4903]);
        assert_eq!(format!("{:?}{:?}", hashed[&8], hashed[&9]), "8\"odd\"");
        assert_eq!(deque.front(), Some(&1667));
        assert_eq!(list.iter().map(|numbers| numbers[4]).sum::<u64>(), 4_165_833);
        assert_eq!(heap.into_sorted_vec().len(), 5_000);
        vec.truncate(10);
        vec.shrink_to_fit();
        assert_eq!(vec, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });
    assert_eq!(arena.live(), 0);
}

#[test]
fn unusual_layouts_work_in_an_arena() {
    let arena = arena();
    arena.enter(|| {
        let aligned: Vec<Box<Aligned>> = (0..50).map(|number| Box::new(Aligned(number))).collect();
        assert!(aligned.iter().all(|aligned| (&raw const **aligned).addr().is_multiple_of(512)));
        assert!(aligned.iter().zip(0..).all(|(aligned, number)| aligned.0 == number));
        let empty = [Box::new(()), Box::new(())];
        assert_eq!(empty.len(), 2);
        let nothing: Rc<[u8]> = Rc::from([]);
        assert!(arena.contains(Rc::as_ptr(&nothing)));
    });
    assert_eq!(arena.live(), 0);
}

#[test]
fn cycles_and_shared_objects_work_in_an_arena() {
    let arena = arena();
    arena.enter(|| {
        let first = Rc::new(Ring { next: Mutex::default(), previous: Mutex::default(), name: "first".to_owned() });
        let second = Rc::new(Ring { next: Mutex::default(), previous: Mutex::default(), name: "second".to_owned() });
        *first.next.lock().unwrap() = Rc::downgrade(&second);
        *second.previous.lock().unwrap() = Some(Rc::clone(&first));
        assert_eq!(first.next.lock().unwrap().upgrade().unwrap().name, "second");
        let shared = Arc::new(Mutex::new(vec![0_u8; 100_000]));
        // A thread frees what it was started with a little after the scope has ended.
        outside(|| {
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| shared.lock().unwrap().iter_mut().for_each(|byte| *byte += 1));
                }
            });
        });
        assert!(shared.lock().unwrap().iter().all(|&byte| byte == 3));
    });
    assert_eq!(arena.live(), 0);
}
