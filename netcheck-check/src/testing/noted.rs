//! Notes for `cargo netcheck` on how a test ended.

use super::explored::EXPLORE;
use super::saved::{self, Origin};
use super::{Failure, REPLAY, ShouldPanic, TestInfo};
use std::io;

/// Conducts a test; notes that it has failed if that panics: because of the function that registers the programs, or by a
/// defect of netcheck.
pub(super) fn noted_if_it_panics<R>(
    test: TestInfo,
    origin: Origin,
    should_panic: ShouldPanic,
    conduct: impl FnOnce() -> R,
) -> R {
    let mut conducting = Conducting { test, origin, should_panic, has_returned: false };
    let conducted = conduct();
    conducting.has_returned = true;
    conducted
}

/// A test that is conducted: if it panics, this is dropped before it has returned.
struct Conducting {
    test: TestInfo,
    origin: Origin,
    should_panic: ShouldPanic,
    has_returned: bool,
}

impl Drop for Conducting {
    fn drop(&mut self) {
        if !self.has_returned && self.should_panic == ShouldPanic::No && !is_other_run() {
            let failure = Failure::new("the test itself panicked, as its output says");
            unless_noted(self.test, saved::note_failure(self.test, self.origin, &failure));
        }
    }
}

/// Whether one execution is run, or explored, in place of the check.
pub(super) fn is_other_run() -> bool {
    [REPLAY, EXPLORE].iter().any(|name| std::env::var_os(name).is_some())
}

/// Says so where it could not be noted how a test ended.
pub(super) fn unless_noted(test: TestInfo, noted: io::Result<()>) {
    if let Err(error) = noted {
        eprintln!("{}: `cargo netcheck` does not know how this ended: {error}", test.name);
    }
}
