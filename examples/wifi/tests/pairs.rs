//! Pairs of captures of one link, made by ns-3 3.37 (`ns3/pair.cc`): each has two seconds, with 0.2 of the frames lost
//! between the stations and 0.1 at the sniffer.

use flate2::read::GzDecoder;
use netcheck::capture::Capture;
use netcheck::monitor::{Guess, IntoMonitor, Verdict};
use std::io::Read;
use wifi::arf::{self, Arf};
use wifi::frame::Frame;
use wifi::pairs::{DEVICE, Pair};
use wifi::transmitter::Transmitter;

/// What a pair shows.
struct Shown {
    /// The frame of the device's own capture that the monitor rejects.
    rejected: Option<usize>,
    /// The guesses that explain what the sniffer heard; none for a definite violation.
    guesses: Option<usize>,
}

fn shown(name: &str) -> Shown {
    let pair = Pair::committed(name).unwrap();
    let monitor = Transmitter::default().monitor();
    let own = pair.own.validate(&monitor);
    let explained = Transmitter::sniffer().validate(&monitor, pair.heard.trace()).unwrap();
    let guesses = match &explained.verdict {
        Verdict::Consistent(mutation) => {
            assert!(monitor.validate(&mutation.trace()).is_accepted(), "{mutation}");
            Some(mutation.guesses())
        }
        Verdict::Violation => None,
        other => panic!("{other:?}"),
    };
    Shown { rejected: own.rejected_at().map(|frame| frame.number), guesses }
}

#[test]
fn a_station_that_is_right_raises_no_alarm() {
    let Shown { rejected, guesses } = shown("right");
    assert_eq!((rejected, guesses), (None, Some(40)));
}

#[test]
fn wrong_sequence_numbers_are_found_in_the_own_capture_and_one_kind_by_the_sniffer() {
    assert_eq!(shown("skip").rejected, Some(16));
    let stuck = shown("stuck");
    assert_eq!(
        (stuck.rejected, stuck.guesses),
        (Some(16), None),
        "nothing that was missed explains a number used twice"
    );
    // That a number was left out may be a packet that the sniffer missed.
    assert_eq!(shown("skip").guesses, Some(56));
}

#[test]
fn wrong_retransmissions_are_found_in_the_own_capture() {
    let after_ack = shown("after_ack");
    assert_eq!((after_ack.rejected, after_ack.guesses), (Some(3), Some(47)));
    let never = shown("never");
    assert_eq!((never.rejected, never.guesses), (Some(60), Some(40)));
}

/// The rejection says what came and what might have come, by the rule's source line.
#[test]
fn a_rejection_names_the_frame_and_the_rule() {
    let pair = Pair::committed("after_ack").unwrap();
    let text = pair.own.validate(&Transmitter::default().monitor()).to_string();
    for part in [
        "frame 3 at 1.003572 s, 00:00:00:00:00:01 -> 00:00:00:00:00:02: the monitor `Transmitter` rejects \
         Data { sequence: 0, retry: true }",
        "in `idle` with packet = 1, sent = 0, expected:",
        "DATA if (the sequence number is right and since >= 1.074ms) leads to `waiting` (examples/wifi/src/transmitter.rs:",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// The mutation is near what the device saw, and its parts say where each frame was seen.
#[test]
fn the_mutation_is_near_the_trace_of_the_device() {
    let pair = Pair::committed("right").unwrap();
    let transmitter = Transmitter::default();
    let explained = Transmitter::sniffer().validate(&transmitter.monitor(), pair.heard.trace()).unwrap();
    let Verdict::Consistent(mutation) = explained.verdict else { panic!("{explained:?}") };
    let distance = mutation.trace().jaccard(pair.own.trace(), transmitter.latest);
    assert!((0.0..0.05).contains(&distance), "{distance}");
    let only_heard = mutation.parts().iter().filter(|part| part.guess == Guess::Extra);
    assert!(only_heard.clone().all(|part| part.event == Frame::Ack));
    assert!(only_heard.count() > 0);
}

/// Algorithm 2 finds an explanation of the same trace, with its heuristics.
#[test]
fn algorithm_2_explains_a_station_that_is_right() {
    let pair = Pair::committed("right").unwrap();
    let explained = Transmitter::likely(80, 100_000).validate(&Transmitter::default().monitor(), pair.heard.trace());
    let Verdict::Consistent(mutation) = explained.unwrap().verdict else { panic!("no explanation") };
    assert!(mutation.guesses() >= 40, "the exact search has the fewest");
}

/// In ns-3 3.37, a station of an ad hoc network has each rate twice in its list: after ten successes at 11 Mb/s it begins
/// again at 1 Mb/s, once.
#[test]
fn arf_of_ns3_falls_from_the_highest_rate_to_the_lowest_without_a_failure() {
    let mut bytes = Vec::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/pairs/arf.dut.pcap.gz");
    GzDecoder::new(std::fs::File::open(file).unwrap()).read_to_end(&mut bytes).unwrap();
    let capture = Capture::parse(&bytes).unwrap();
    let text = arf::trace_of(&capture, DEVICE).unwrap().validate(&Arf::default().into_monitor()).to_string();
    assert!(text.starts_with("frame 81 at 0.801024 s"), "{text}");
    assert!(text.contains("rejects Data { rate: 0 }\n  in `idle` with rate = 3, acknowledged = 10"), "{text}");
}
