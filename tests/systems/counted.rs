//! Checks that are verified, with their number of states.
//!
//! This workspace is built without debug information, so bytes of the programs' memory are compared that no program reads,
//! and a state may be counted more than once. None is missed.

use netcheck::check::{Report, Verdict};

/// A count is taken so often at the most.
const ATTEMPTS: usize = 3;

/// Asserts that a check is verified with so many states.
///
/// Bytes that no program reads may hold something else when the test program runs other checks at the same time. So a count that
/// differs is taken again.
#[track_caller]
pub fn is_verified(states: usize, check: impl Fn() -> Report) {
    for attempt in 1..=ATTEMPTS {
        let report = check();
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        if report.states() == states || attempt == ATTEMPTS {
            assert_eq!(report.states(), states, "{report}");
            return;
        }
    }
}

/// Asserts that a check is verified with at most so many states, of programs whose number of states depends on how the
/// compiler divides the engine into units: it has differed by a third between builds of one source. With debug
/// information there are fewer.
#[track_caller]
pub fn is_verified_within(states: usize, report: &Report) {
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert!(report.states() <= states, "more than {states} states: {report}");
}
