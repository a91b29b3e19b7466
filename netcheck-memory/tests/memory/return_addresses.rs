//! The functions that are running.

use netcheck_memory::{call_on_program_stack, return_addresses};

#[inline(never)]
fn here() -> Vec<usize> {
    return_addresses().expect("the unwinder finds them")
}

#[test]
fn the_same_call_has_the_same_addresses_and_another_has_others() {
    let twice: Vec<_> = (0..2).map(|_| here()).collect();
    assert_eq!(twice[0], twice[1]);
    assert!(twice[0].len() > 3, "the test, and what runs it: {twice:?}");
    let other = here();
    assert_ne!(other, twice[0]);
}

#[test]
fn callers_on_another_stack_are_found_too() {
    let outside = here();
    let within = call_on_program_stack(here);
    assert!(within.len() > outside.len(), "{within:?}");
    let common = outside.iter().rev().zip(within.iter().rev()).take_while(|(outside, within)| outside == within);
    assert!(common.count() > 1, "the test is called by the same functions: {outside:?}, {within:?}");
}
