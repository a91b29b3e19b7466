//! TFTP (RFC 1350, papers/symbolic-packet-dynamics-tftp.txt), the program of `examples/tftp`: right under every delay of
//! every packet, and each fault of the paper found.

#[path = "../../examples/tftp/checked.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod checked;
mod figures;
mod packets;
mod peers;
mod sockets;

use checked::program::transfer::Version;
use checked::{Serving, Transfer, Way, any_delay};
use netcheck::check::{Checker, Identity, Udp, Verdict, ViolationKind};
use std::time::Duration;

/// Seconds until a check is given up, without optimization on a busy machine.
const PATIENCE_S: u64 = 300;

#[track_caller]
fn is_right(transfer: Transfer) -> usize {
    let report = transfer.check_within(any_delay(), PATIENCE_S);
    assert_eq!(report.verdict(), Verdict::Verified, "{transfer:?}: {report}");
    assert_eq!(report.outputs("client"), [r#"Err(Silence)"#, "Ok(())"], "{transfer:?}");
    report.states()
}

#[test]
fn a_transfer_is_right_whatever_time_its_packets_take() {
    for (way, blocks, retries) in
        [(Way::Write, 1, 0), (Way::Read, 3, 0), (Way::Write, 2, 2), (Way::Read, 2, 2), (Way::Write, 1, 4)]
    {
        is_right(Transfer::corrected(way, blocks, retries));
    }
}

/// The paper's whole space: 40 delays of any length.
#[test]
fn three_packets_each_sent_again_four_times_are_right_whatever_time_they_take() {
    is_right(Transfer::corrected(Way::Write, 3, 4));
    is_right(Transfer::corrected(Way::Read, 3, 4));
}

/// The order that nobody has chosen meets states with more packets under way before those that they cover are expanded.
/// Breadth-first, three packets that are sent again twice have 300,000 states. How many local states there are depends on what
/// the build leaves in the futures: 42 of the client in one, and 84 in another, with 15,000 and 75,000 states of the first row.
#[test]
fn larger_transfers_end_by_the_default_order() {
    for (way, blocks, retries) in [(Way::Write, 3, 4), (Way::Read, 3, 6)] {
        let states = is_right(Transfer::corrected(way, blocks, retries));
        assert!(states < 250_000, "{way:?}, {blocks}, {retries}: {states}");
    }
}

/// In one build of 40,000 states and in another of 700,000, by what lies in unread bytes of the client's futures.
#[test]
#[ignore = "a minute"]
fn six_packets_end_by_the_default_order() {
    is_right(Transfer::corrected(Way::Write, 6, 3));
}

#[test]
fn a_late_request_begins_another_transfer_that_does_no_harm() {
    for way in [Way::Write, Way::Read] {
        is_right(Transfer { serving: Serving::Always, ..Transfer::corrected(way, 1, 1) });
    }
    is_right(Transfer { serving: Serving::Always, ..Transfer::corrected(Way::Read, 2, 1) });
}

#[test]
fn on_a_fast_network_nothing_is_sent_again() {
    let fast = Udp::new().delay(Duration::ZERO..=Duration::from_millis(400));
    for way in [Way::Write, Way::Read] {
        let report = Transfer::corrected(way, 3, 4).check(fast.clone());
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("client"), ["Ok(())"]);
    }
}

/// The name of the snapshot; the fault, and the monitor that rejects it.
#[track_caller]
fn is_found(name: &str, transfer: Transfer, monitor: &str) {
    let checker = Checker::new().identity(Identity::History).udp(any_delay());
    let report = checker.check(|net| transfer.register(net));
    let found = report.counterexample().unwrap_or_else(|| panic!("{transfer:?}: {report}"));
    assert_eq!(found.kind(), ViolationKind::Monitor, "{report}");
    assert!(found.message().contains(&format!("the monitor `{monitor}` rejects")), "{report}");
    insta::assert_snapshot!(name, found.to_string());
}

#[test]
fn the_papers_fault_1_is_found() {
    let transfer = Transfer { version: Version::FixedTimeout, ..Transfer::corrected(Way::Write, 1, 1) };
    is_found("a_time_out_that_does_not_adapt", transfer, "Transmitting");
}

#[test]
fn the_papers_fault_2_is_found() {
    let transfer = Transfer { version: Version::Apprentice, ..Transfer::corrected(Way::Write, 2, 1) };
    is_found("a_duplicate_ack_is_answered_by_the_data_again", transfer, "Sending");
}

#[test]
fn the_papers_fault_3_is_found() {
    let transfer = Transfer { version: Version::FinalAckForAnyData, ..Transfer::corrected(Way::Read, 2, 1) };
    is_found("old_data_is_answered_by_the_final_ack", transfer, "Receiving");
}

/// A mutant whose client sends its request again after it has done so as often as it may.
#[test]
fn figure_13_a_request_that_is_sent_once_too_often_is_found() {
    let transfer = Transfer { version: Version::OnceTooOften, ..Transfer::corrected(Way::Write, 1, 1) };
    is_found("a_request_is_sent_once_too_often", transfer, "Transmitting");
}

/// A mutant whose client sends a block after the last one.
#[test]
fn figure_14_a_block_after_the_last_one_is_found() {
    let transfer = Transfer { version: Version::BlockTooMany, ..Transfer::corrected(Way::Write, 2, 1) };
    is_found("a_block_comes_after_the_last_one", transfer, "Sending");
}

/// A mutant whose receiver does not send its last Ack again.
#[test]
fn figure_15_a_receiver_that_goes_without_its_last_ack_is_found() {
    let transfer = Transfer { version: Version::NoFinalAckAgain, ..Transfer::corrected(Way::Write, 1, 1) };
    is_found("the_final_ack_is_not_sent_again", transfer, "Receiving");
}
