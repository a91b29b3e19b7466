//! Checks that are verified, with their number of states.

use netcheck::check::{Report, Verdict};

/// A count is taken so often at the most.
const ATTEMPTS: usize = 3;

/// Asserts that a check is verified with so many states.
///
/// This workspace is built without debug information, so bytes are compared that no program reads. What is in them may
/// depend on the other checks that the test program runs at the same time, and then a state is counted twice, and none is
/// missed. So a count that differs is taken again.
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
