//! What `cargo netcheck` is told of how a test ended.

use super::explored::EXPLORE;
use super::saved::{self, Origin};
use super::{Failure, REPLAY, ShouldPanic, TestInfo};
use std::io;
use std::panic::AssertUnwindSafe;

/// Conducts a test; notes that it has failed if that panics: because of the function that registers the programs, or by a
/// defect of netcheck.
pub(super) fn noted_if_it_panics<R>(
    test: TestInfo,
    origin: Origin,
    should_panic: ShouldPanic,
    conduct: impl FnOnce() -> R,
) -> R {
    std::panic::catch_unwind(AssertUnwindSafe(conduct)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no text");
        if should_panic == ShouldPanic::No && !is_other_run() {
            let noted = saved::note_failure(test, origin, &Failure::new(&format!("the test itself panicked: {text}")));
            unless_noted(test, noted);
        }
        std::panic::resume_unwind(payload)
    })
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
