use super::systems::endless;
use netcheck::check::{Checker, Tasks, Verdict};

/// More than it has with channels that count nothing; with tokio's own there is no end: see `tests/own.rs`.
const STATES_MAX: usize = 1_000;

#[test]
fn a_server_that_sends_for_ever_is_explored_to_the_end() {
    let report = Checker::new().tasks(Tasks::Fifo).max_states(STATES_MAX).check(endless);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// Steps of tasks that do not touch the same are independent.
#[test]
fn its_tasks_are_tracked() {
    let report = Checker::new().tasks(Tasks::Tracked).max_states(STATES_MAX).check(endless);
    assert!(report.pruned() > 0, "{report}");
}

/// The library's `std` is the one whose accesses are recorded, but for everything outside of `sync`.
#[test]
fn std_is_another_crate_here() {
    let lock: netcheck::tracked::std::sync::Mutex<u8> = std::sync::Mutex::new(7);
    assert_eq!(lock.into_inner().ok(), Some(7));
    let text: String = std::iter::repeat_n('a', 3).collect();
    assert_eq!(std::format!("{text:?}"), "\"aaa\"");
}
