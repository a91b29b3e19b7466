//! The families of systems that use what most programs use.

use std::ops::Range;

use crate::generate::{Size, Words};
use crate::naive::Limits;
use crate::{Figures, agree};

const LIMITS: Limits = Limits { executions_max: 5_000, remember: true };

fn agree_on(seeds: Range<u64>, size: Size, words: Words) -> Option<Figures> {
    agree(seeds, size, words, LIMITS)
}

#[test]
fn random_systems_of_everyday_programs_agree_with_the_naive_explorer() {
    if let Some(figures) = agree_on(13_000_000..13_000_300, Size::Small, Words::Everyday) {
        assert!(figures.systems >= 280, "too many were discarded");
        assert!(figures.panics >= 20 && figures.deadlocks >= 20 && figures.clean >= 50, "too little happens");
        assert!(figures.left_out.tracked >= 100, "too little is left out to show that it may be");
    }
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn ten_thousand_random_systems_of_everyday_programs_agree_nightly() {
    if let Some(figures) = agree_on(13_000_000..13_010_600, Size::Small, Words::Everyday) {
        assert!(figures.systems >= 10_000, "too many were discarded");
    }
}
