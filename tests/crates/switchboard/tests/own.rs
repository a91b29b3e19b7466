//! The same with tokio's own channels.

// The whole crate sees netcheck as tokio.
extern crate netcheck as tokio;

#[path = "../src/board.rs"]
mod board;
#[path = "../src/systems.rs"]
mod systems;

use netcheck::check::{Checker, Tasks, Verdict};

#[test]
fn with_tokios_channels_it_has_ever_more_states_and_the_report_says_why() {
    let report = Checker::new().tasks(Tasks::Fifo).max_states(1_000).check(systems::endless);
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    let server = report.profile().processes().iter().find(|process| process.name() == "server").expect("a process");
    assert_eq!(server.channels_at().len(), 3, "{server:?}");
    let advice = report.profile().advice().first().expect("some advice");
    assert!(advice.contains("netcheck_tracked") && advice.contains("board.rs"), "{report}");
}
