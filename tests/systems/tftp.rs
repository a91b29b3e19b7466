//! TFTP (RFC 1350, papers/symbolic-packet-dynamics-tftp.txt), the program of `examples/tftp`: right under every delay of
//! every packet, and each fault of the paper found.

#[path = "../../examples/tftp/checked.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod checked;
mod sockets;

use checked::program::packet::{Mode, Options, Packet, Request};
use checked::program::transfer::Version;
use checked::program::{netascii, transfer};
use checked::{Serving, Transfer, Way, any_delay};
use netcheck::check::{Checker, Identity, Udp, Verdict, ViolationKind};
use std::time::Duration;

/// A transfer as it should be, with a server that ends with it.
const fn corrected(way: Way, blocks: usize, retries: u32) -> Transfer {
    Transfer { way, blocks, retries, version: Version::Corrected, serving: Serving::Once }
}

/// Seconds until a check is given up, without optimization on a busy machine.
const PATIENCE_S: u64 = 300;

#[track_caller]
fn is_right(transfer: Transfer) {
    let report = transfer.check_within(any_delay(), PATIENCE_S);
    assert_eq!(report.verdict(), Verdict::Verified, "{transfer:?}: {report}");
    assert_eq!(report.outputs("client"), [r#"Err(Silence)"#, "Ok(())"], "{transfer:?}");
}

#[test]
fn a_transfer_is_right_whatever_time_its_packets_take() {
    for (way, blocks, retries) in
        [(Way::Write, 1, 0), (Way::Read, 3, 0), (Way::Write, 2, 2), (Way::Read, 2, 2), (Way::Write, 1, 4)]
    {
        is_right(corrected(way, blocks, retries));
    }
}

/// The paper's whole space: 40 delays of any length.
#[test]
fn three_packets_each_sent_again_four_times_are_right_whatever_time_they_take() {
    is_right(corrected(Way::Write, 3, 4));
    is_right(corrected(Way::Read, 3, 4));
}

#[test]
fn a_late_request_begins_another_transfer_that_does_no_harm() {
    for way in [Way::Write, Way::Read] {
        is_right(Transfer { serving: Serving::Always, ..corrected(way, 1, 1) });
    }
    is_right(Transfer { serving: Serving::Always, ..corrected(Way::Read, 2, 1) });
}

#[test]
fn on_a_fast_network_nothing_is_sent_again() {
    let fast = Udp::new().delay(Duration::ZERO..=Duration::from_millis(400));
    for way in [Way::Write, Way::Read] {
        let report = corrected(way, 3, 4).check(fast.clone());
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
    let transfer = Transfer { version: Version::FixedTimeout, ..corrected(Way::Write, 1, 1) };
    is_found("a_time_out_that_does_not_adapt", transfer, "Transmitting");
}

#[test]
fn the_papers_fault_2_is_found() {
    let transfer = Transfer { version: Version::Apprentice, ..corrected(Way::Write, 2, 1) };
    is_found("a_duplicate_ack_is_answered_by_the_data_again", transfer, "Sending");
}

#[test]
fn the_papers_fault_3_is_found() {
    let transfer = Transfer { version: Version::FinalAckForAnyData, ..corrected(Way::Read, 2, 1) };
    is_found("old_data_is_answered_by_the_final_ack", transfer, "Receiving");
}

/// The paper's Figure 15: a mutant whose receiver does not send its last Ack again.
#[test]
fn a_receiver_that_goes_without_its_last_ack_is_found() {
    let transfer = Transfer { version: Version::NoFinalAckAgain, ..corrected(Way::Write, 1, 1) };
    is_found("the_final_ack_is_not_sent_again", transfer, "Receiving");
}

// The packets.

#[test]
fn packets_are_read_as_they_are_written() {
    let options = Options { block_bytes: Some(1_024), timeout_s: Some(3), size_bytes: Some(70_000) };
    let request = Request { file: "a file".to_owned(), mode: Mode::Netascii, options };
    for packet in [
        Packet::Read(request.clone()),
        Packet::Write(Request { mode: Mode::Octet, options: Options::default(), ..request }),
        Packet::Data { block: 0x0102, bytes: vec![0, 255] },
        Packet::Data { block: 7, bytes: Vec::new() },
        Packet::Ack { block: 65_535 },
        Packet::Error { code: 5, message: "unknown transfer".to_owned() },
        Packet::OptionAck(options),
    ] {
        assert_eq!(Packet::parse(&packet.to_bytes()), Ok(packet));
    }
}

#[test]
fn what_is_no_packet_is_refused_and_what_is_no_option_is_left_out() {
    for bytes in [
        &b""[..],
        b"\0",
        b"\0\x09",
        b"\0\x03\0",
        b"\0\x04\x01",
        b"\x01\x01a\0octet\0",
        b"\0\x01a\0octet",
        b"\0\x01a\0mail\0",
    ] {
        assert!(Packet::parse(bytes).is_err(), "{bytes:?}");
    }
    let parsed = Packet::parse(b"\0\x02f\0OCTET\0blksize\x007\0windowsize\x004\0TSIZE\x009\0");
    let Ok(Packet::Write(Request { options, .. })) = parsed else { panic!("{parsed:?}") };
    assert_eq!(options, Options { size_bytes: Some(9), ..Options::default() }, "blocks have 8 bytes at the least");
}

#[test]
fn text_of_the_network_comes_back_as_it_was() {
    for text in [&b""[..], b"a\nb\n", b"\r", b"\r\n", b"a\rb\r\n\n\r"] {
        assert_eq!(netascii::decode(&netascii::encode(text)), text);
    }
    assert_eq!(netascii::encode(b"a\n\r"), b"a\r\n\r\0");
}

#[test]
fn the_last_block_of_a_full_file_is_empty_and_numbers_wrap() {
    assert_eq!([0, 511, 512, 513].map(|bytes| transfer::last_block(bytes, 512)), [1, 1, 2, 2]);
    assert_eq!(transfer::last_block(65_535 * 8, 8), 0);
}
