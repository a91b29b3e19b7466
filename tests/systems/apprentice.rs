//! The Sorcerer's Apprentice, the program of `examples/apprentice`: what no output shows, a monitor finds.

#[path = "../../examples/apprentice/checked.rs"]
mod checked;

use checked::check;
use checked::program::Version::{Corrected, Seeded};
use netcheck::check::{Udp, Verdict, ViolationKind};

#[test]
fn a_doubled_ack_makes_the_seeded_sender_send_a_block_twice() {
    let report = check(Seeded, Udp::new().duplication());
    let counterexample = report.counterexample().expect("the monitor rejects");
    assert_eq!(counterexample.kind(), ViolationKind::Monitor);
    let text = counterexample.to_string();
    assert!(
        text.starts_with("monitor: the monitor `Sender` rejects Sent(2)\n  in `waiting` with block = 2, expected:"),
        "{text}"
    );
    let line = include_str!("../../examples/apprentice/checked.rs")
        .lines()
        .position(|line| line.contains("Step::TimeIsUp => due"))
        .expect("the rule is there")
        + 1;
    assert!(text.contains(&format!("apprentice/checked.rs:{line}): it is another event")), "{text}");
}

#[test]
fn without_copies_the_seeded_sender_is_not_seen_to_be_wrong() {
    let report = check(Seeded, Udp::new().loss());
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn the_corrected_sender_sends_each_block_as_it_should() {
    for udp in [Udp::new().duplication(), Udp::new().loss().duplication()] {
        let report = check(Corrected, udp);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    }
}
