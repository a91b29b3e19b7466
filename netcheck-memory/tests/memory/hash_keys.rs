//! The standard library's hash keys.

#![expect(clippy::disallowed_types, reason = "the standard library's hash maps are the subject")]

use netcheck_memory::{hash_keys, set_hash_keys};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

fn order() -> Vec<u32> {
    (0..100).map(|number| (number, ())).collect::<HashMap<u32, ()>>().into_keys().collect()
}

#[test]
fn maps_with_equal_keys_have_equal_orders() {
    assert!(set_hash_keys(1, 2), "the keys of this standard library are found");
    let first = order();
    let second = order();
    assert!(set_hash_keys(1, 2));
    assert_eq!([order(), order()], [first.clone(), second.clone()]);
    assert_ne!(first, second);
}

#[test]
fn keys_count_up_and_can_be_restored() {
    let before = hash_keys().expect("the keys of this standard library are found");
    assert_eq!(hash_keys(), Some(before), "a look changes nothing");
    assert!(set_hash_keys(7, 8));
    let hash = RandomState::new().hash_one(5);
    assert_eq!(hash_keys(), Some((8, 8)));
    assert!(set_hash_keys(before.0, before.1));
    assert_eq!(hash_keys(), Some(before));
    assert!(set_hash_keys(7, 8));
    assert_eq!(RandomState::new().hash_one(5), hash);
}

#[test]
fn each_thread_has_keys_of_its_own() {
    assert!(set_hash_keys(40, 41));
    std::thread::spawn(|| {
        assert!(set_hash_keys(1, 1));
        let _ = RandomState::new();
        assert_eq!(hash_keys(), Some((2, 1)));
    })
    .join()
    .unwrap();
    assert_eq!(hash_keys(), Some((40, 41)));
}
