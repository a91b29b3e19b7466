//! The command of `examples/captures`, on captures of the example's own client and server, of tftp-hpa and of atftp, which
//! `files/make_tftp.sh` makes.

#[path = "../../../examples/captures/src/analysis/mod.rs"]
mod analysis;
mod made;

use analysis::{Analysis, Settings, Side, Times, analysis as analyse};
use netcheck::capture::Capture;
use std::path::PathBuf;
use std::time::Duration;

const TIMES: Times =
    Times { timeout: Duration::from_millis(100), reaction: Duration::from_millis(50), dally: Duration::from_secs(2) };

const BOTH: Settings<'_> =
    Settings { port: 69, at: Some(&[Side::Client, Side::Server]), times: TIMES, retries: u16::MAX };
const CLIENT: Settings<'_> = Settings { at: Some(&[Side::Client]), ..BOTH };
const SERVER: Settings<'_> = Settings { at: Some(&[Side::Server]), ..BOTH };

fn of(name: &str, settings: &Settings<'_>) -> Analysis {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("files").join(name);
    let capture = Capture::read(file).unwrap_or_else(|error| panic!("{error}"));
    analyse(&capture, settings).expect("tcpdump writes packets in their order")
}

#[test]
fn what_is_right_is_accepted() {
    for (name, settings, transfers) in [
        ("tftp.pcap", BOTH, 2),
        ("tftp_hpa.pcap", BOTH, 2),
        ("tftp_atftp.pcap", BOTH, 2),
        // Packets are lost, come twice, and are sent again.
        ("tftp_lossy_client.pcap", CLIENT, 2),
        ("tftp_lossy_server.pcap", SERVER, 2),
        ("tftp_hpa_server.pcap", SERVER, 1),
    ] {
        let analysis = of(name, &settings);
        assert_eq!((analysis.transfers, analysis.wrong.len()), (transfers, 0), "{name}: {}", analysis.text);
        assert_eq!(analysis.text.matches("the file is there as a whole").count(), transfers, "{}", analysis.text);
    }
}

/// Each fault, and the packet that shows it.
#[test]
fn what_is_wrong_is_rejected_at_its_packet() {
    for (name, settings, side, packet, cause, sentence) in [
        // A duplicate Ack is answered by the data again.
        (
            "tftp_apprentice.pcap",
            SERVER,
            Side::Server,
            8,
            "the monitor `Sending` rejects SendsData(2)",
            "\"the sender … must never resend the current DAT packet on receipt of a duplicate ACK.\"",
        ),
        (
            "tftp_fixed_timeout.pcap",
            CLIENT,
            Side::Client,
            6,
            "the monitor `Transmitting` rejects Waits(1000)",
            "\"A TFTP implementation MUST use an adaptive timeout\"",
        ),
        (
            "tftp_final_ack_for_any_data.pcap",
            CLIENT,
            Side::Client,
            11,
            "the monitor `Receiving` rejects SendsAck(3)",
            "\"The acknowledger will know that the ACK has been lost if it receives the final DATA packet again.\"",
        ),
        (
            "tftp_final_ack_never_again.pcap",
            CLIENT,
            Side::Client,
            10,
            "the monitor `Receiving` rejects TimeIsUp",
            "in order to retransmit the final ACK if it has been lost.\"",
        ),
        // Others have these faults, too: the client of tftp-hpa 5.2, and the server of atftp 0.8.0 by default.
        (
            "tftp_hpa_client.pcap",
            CLIENT,
            Side::Client,
            3,
            "the monitor `Transmitting` rejects Waits(5000)",
            "\"A TFTP implementation MUST use an adaptive timeout\"",
        ),
        (
            "tftp_atftp_server.pcap",
            SERVER,
            Side::Server,
            8,
            "the monitor `Sending` rejects SendsData(3)",
            "\"the sender … must never resend the current DAT packet on receipt of a duplicate ACK.\"",
        ),
    ] {
        let Analysis { text, wrong, .. } = of(name, &settings);
        assert_eq!(wrong, [(1, side, packet)], "{name}: {text}");
        let marked = format!("\n    > packet {packet:>4} at ");
        let rule = "examples/tftp/specification.rs:";
        for part in [&format!("the {side} is WRONG at packet {packet}:\n"), cause, sentence, &marked, rule] {
            assert!(text.contains(part), "{name}: {part:?} is not in\n{text}");
        }
    }
}

/// A client of atftp answers a duplicate Ack that comes when its own time might be up.
#[test]
fn what_may_be_a_time_out_is_none_if_times_are_known() {
    assert_eq!(of("tftp_atftp_client.pcap", &CLIENT).wrong, []);
    let times = Times { timeout: Duration::from_secs(5), ..TIMES };
    let analysis = of("tftp_atftp_client.pcap", &Settings { times, ..CLIENT });
    assert_eq!(analysis.wrong, [(1, Side::Client, 7)], "{}", analysis.text);
}

#[test]
fn retries_are_counted() {
    let analysis = of("tftp_lossy_client.pcap", &Settings { retries: 2, ..CLIENT });
    assert_eq!(analysis.wrong, [], "{}", analysis.text);
    let analysis = of("tftp_lossy_client.pcap", &Settings { retries: 1, ..CLIENT });
    assert_eq!(analysis.wrong, [(1, Side::Client, 14)], "{}", analysis.text);
    assert!(analysis.text.contains("if again < retries"), "{}", analysis.text);
}

/// The side that does not have the capture may not have received all of it.
#[test]
fn a_verdict_on_the_far_side_is_given_with_a_caution() {
    let analysis = of("tftp_lossy_client.pcap", &Settings { at: None, ..BOTH });
    assert_eq!(analysis.wrong, [(1, Side::Server, 4)], "{}", analysis.text);
    let caution = "the server is WRONG at packet 4, unless packets were lost between it and the place of the capture:";
    assert!(analysis.text.contains(caution) && analysis.text.contains("--at client"), "{}", analysis.text);
}

#[test]
fn a_capture_without_requests_has_no_transfers() {
    let analysis = of("file_transfer.pcap", &BOTH);
    assert_eq!((analysis.transfers, analysis.text.as_str()), (0, "27 packets, transfers: 0\n"));
    assert_eq!(of("tftp.pcap", &Settings { port: 6_969, ..BOTH }).transfers, 0);
}
