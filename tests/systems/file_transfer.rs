//! The file transfer (papers/udp-net-iocache.txt, section 4.2), the program of
//! `examples/file_transfer`: each row of Table 4, with the states and transitions that it takes.

#[path = "../../examples/file_transfer/checked.rs"]
pub(crate) mod checked;

use checked::program::Version::{self, Corrected, Seeded};
use checked::{checker, register};
use netcheck::check::{Identity, Report, Verdict, ViolationKind};

/// By history: the figures are those of captured loops.
fn check(version: Version, copies: &[usize], window: usize) -> Report {
    checker(copies, window).identity(Identity::History).check(|net| register(net, version))
}

/// M, c and the client; then states and transitions.
#[track_caller]
fn nothing_is_found(copies: &[usize], window: usize, version: Version, figures: (usize, u64)) {
    let report = check(version, copies, window);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!((report.states(), report.transitions()), figures, "{report}");
}

/// The name of the snapshot; M, c; then states and transitions.
#[track_caller]
fn the_seeded_fault_is_found(name: &str, copies: &[usize], window: usize, figures: (usize, u64)) {
    let report = check(Seeded, copies, window);
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    let counterexample = report.counterexample().expect("a violation has one");
    assert_eq!(counterexample.kind(), ViolationKind::Panic, "{report}");
    assert!(counterexample.message().contains("file 2 was received wrong"), "{report}");
    insta::assert_snapshot!(name, counterexample.without_lines());
    assert_eq!((report.states(), report.transitions()), figures, "{report}");
}

#[test]
fn table_4_reliable_and_in_order() {
    nothing_is_found(&[1], 1, Seeded, (38, 37));
    nothing_is_found(&[1], 1, Corrected, (38, 37));
}

#[test]
fn table_4_reordering() {
    nothing_is_found(&[1], 2, Seeded, (66, 72));
    nothing_is_found(&[1], 2, Corrected, (66, 72));
}

#[test]
fn table_4_every_packet_twice() {
    let name = "the_last_packet_of_a_file_arrives_again_and_is_taken_for_one_of_the_next";
    the_seeded_fault_is_found(name, &[2], 1, (13, 12));
    nothing_is_found(&[2], 1, Corrected, (42, 41));
}

#[test]
fn table_4_every_packet_twice_and_reordering() {
    the_seeded_fault_is_found("every_packet_twice_and_reordering", &[2], 2, (13, 12));
    nothing_is_found(&[2], 2, Corrected, (424, 623));
}

#[test]
fn table_4_duplication() {
    the_seeded_fault_is_found("duplication", &[1, 2], 1, (66, 68));
    nothing_is_found(&[1, 2], 1, Corrected, (84, 99));
}

#[test]
fn table_4_duplication_and_reordering() {
    the_seeded_fault_is_found("duplication_and_reordering", &[1, 2], 2, (130, 138));
    nothing_is_found(&[1, 2], 2, Corrected, (752, 1_274));
}

/// Beyond the paper: loss, too. A file may be given up, but what arrives is right.
#[test]
fn the_corrected_client_withstands_everything_at_once() {
    nothing_is_found(&[1, 0, 2], 1, Corrected, (17_556, 22_110));
}

#[netcheck::model_check(udp(copies = [2], window = 1, direction = send, process = "server"), expect = panic, snapshot)]
fn the_last_packet_of_a_file_arrives_again_and_is_taken_for_one_of_the_next(net: &mut netcheck::Network) {
    register(net, Seeded);
}
