//! Pairs of captures of one link, made by ns-3 3.37 (`ns3/pair.cc`): each has two seconds, with 0.2 of the frames lost
//! between the stations and 0.1 at the sniffer.

use flate2::read::GzDecoder;
use netcheck::capture::Capture;
use netcheck::monitor::{Guess, Verdict};
use std::io::Read;
use wifi::frame::Frame;
use wifi::judge::{EXTENSIONS_MAX, Judgement, Question, Rules, judge, most_missing};
use wifi::pairs::{DEVICE, Pair};
use wifi::transmitter::Transmitter;

/// The findings on a pair.
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
    // A number that was left out may be a packet that the sniffer missed.
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

/// With each bound `k` of missed packets Algorithm 2 comes to an end, and says what all mutations together say: where
/// the mutation with the fewest guesses has at most `k` packets missing, a mutation is found (`c`, and else `u`);
/// without any mutation, the violation is definite (`v`).
#[test]
fn algorithm_2_decides_each_pair_at_each_bound() {
    let monitor = Transmitter::default().monitor();
    let expected = [
        ("right", "ucccc"),
        ("skip", "uuucc"),
        ("never", "uuccc"),
        ("after_ack", "ucccc"),
        ("skip_lossless", "uuucc"),
        ("stuck", "vvvvv"),
    ];
    for (name, verdicts) in expected {
        let pair = Pair::committed(name).unwrap();
        let exact = Transmitter::sniffer().validate(&monitor, pair.heard.trace()).unwrap().verdict;
        let verdict = |most: usize| {
            let found =
                Transmitter::likely(most, EXTENSIONS_MAX).validate(&monitor, pair.heard.trace()).unwrap().verdict;
            match (&found, &exact) {
                (Verdict::Violation, _) => assert_eq!(exact, Verdict::Violation, "{name}, k = {most}"),
                (_, Verdict::Consistent(fewest)) if most_missing(fewest, |frame| *frame == Frame::Ack) <= most => {
                    assert!(matches!(found, Verdict::Consistent(_)), "{name}, k = {most}: {found:?}");
                }
                _ => {}
            }
            match found {
                Verdict::Consistent(_) => 'c',
                Verdict::Violation => 'v',
                Verdict::Unlikely => 'u',
                Verdict::Unknown => '?',
            }
        };
        let found: String = [5, 8, 10, 20, 40].map(verdict).iter().collect();
        assert_eq!(found, verdicts, "{name}");
    }
}

fn committed(name: &str) -> Capture {
    let mut bytes = Vec::new();
    let file = format!("{}/pairs/{name}.pcap.gz", env!("CARGO_MANIFEST_DIR"));
    GzDecoder::new(std::fs::File::open(file).unwrap()).read_to_end(&mut bytes).unwrap();
    Capture::parse(&bytes).unwrap()
}

fn wrong(name: &str, question: &Question) -> String {
    match judge(&committed(name), question).unwrap() {
        Judgement::Wrong(text) => text,
        judged => panic!("{judged:?}"),
    }
}

/// In ns-3 3.37, a station of an ad hoc network has each rate twice in its list: after ten successes at 11 Mb/s it
/// begins again at 1 Mb/s, once.
#[test]
fn arf_of_ns3_falls_from_the_highest_rate_to_the_lowest_without_a_failure() {
    let question = Question { device: Some(DEVICE), rules: Rules::Arf, ..Question::default() };
    let text = wrong("arf.dut", &question);
    assert!(text.starts_with("frame 81 at 0.801024 s"), "{text}");
    let rejected = "rejects Data { rate: 0, sequence: 40, retry: false }\n  in `idle` with rate = 3, acknowledged = 10";
    assert!(text.contains(rejected), "{text}");
}

/// As in the paper, a sniffer that misses a tenth of all frames is enough: packets follow each other so closely that no
/// retransmission fits between them.
#[test]
fn the_bug_of_arf_is_found_by_a_sniffer() {
    let own = Question { device: Some(DEVICE), rules: Rules::Arf, ..Question::default() };
    let question = Question { is_sniffer: true, bytes: Some(464..=464), ..own };
    let text = wrong("arf_dense.sniffer", &question);
    assert!(text.starts_with("a definite violation: whatever the sniffer missed, frame 78 at 0.099610 s"), "{text}");
    assert!(
        text.contains("\n> frame 78 at 0.099610 s, 00:00:00:00:00:01 -> 00:00:00:00:00:02: Data { rate: 0,"),
        "{text}"
    );
}

/// At 54 Mb/s, with 1,464 and 764 bytes.
#[test]
fn stations_of_802_11a_and_g_in_ns3_raise_no_alarm() {
    for (layer, own, heard, guesses) in [("a", 540, 540, 84), ("g", 540, 540, 84)] {
        let question = Question { device: Some(DEVICE), ..Question::default() };
        let judged = judge(&committed(&format!("right_{layer}.dut")), &question).unwrap();
        assert_eq!(judged, Judgement::Right(format!("all {own} events are accepted\n")));
        let question = Question { is_sniffer: true, ..question };
        let judged = judge(&committed(&format!("right_{layer}.sniffer")), &question).unwrap();
        let Judgement::Right(text) = judged else { panic!("{judged:?}") };
        let start = format!("the station may be right: {guesses} guesses explain {heard} frames");
        assert!(text.starts_with(&start), "{text}");
    }
}
