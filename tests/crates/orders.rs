//! The states of a system in any order of tasks, and in tokio's, with local states told apart by their pasts.

use netcheck::check::{Checker, Identity, Report, Tasks, Verdict};
use std::thread;

/// The states of the system with a name in both orders, each counted by a thread. `check` checks the system of that name,
/// with its checker changed by the function that it is given.
pub fn states(name: &str, check: impl Fn(&str, &dyn Fn(Checker) -> Checker) -> Report + Sync) -> [usize; 2] {
    let count = |tasks: Tasks| {
        let report = check(name, &|checker| checker.identity(Identity::History).tasks(tasks));
        assert_eq!(report.verdict(), Verdict::Verified, "{name}, {tasks:?}: {report}");
        report.states()
    };
    thread::scope(|threads| {
        let both = [Tasks::Shared, Tasks::Fifo].map(|tasks| {
            threads.spawn({
                let count = &count;
                move || count(tasks)
            })
        });
        both.map(|counted| counted.join().expect("the check succeeds"))
    })
}
