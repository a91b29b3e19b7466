//! Stations of 802.11a, b and g with frames of all sizes, right and wrong, judged by their own captures and by those of
//! a sniffer.

mod synthetic;

use netcheck::capture::{Capture, MacAddress};
use std::time::Duration;
use synthetic::file::{Heard, KIND_ACK, PEER, STATION, pcap};
use synthetic::{Fault, LAYERS, Layer, Link, Session, session};
use wifi::frame::Instants;
use wifi::judge::{Judgement, Question, Rules, judge};
use wifi::physical::Physical;

fn question() -> Question {
    Question { device: Some(MacAddress(STATION)), ..Question::default() }
}

fn by_sniffer() -> Question {
    Question { is_sniffer: true, ..question() }
}

fn ask(frames: &[Heard], question: &Question) -> Judgement {
    judge(&Capture::parse(&pcap(frames, false)).unwrap(), question).unwrap()
}

/// The number of the frame that the text begins with, or names as wrong.
fn wrong_frame(judgement: &Judgement) -> Option<usize> {
    let Judgement::Wrong(text) = judgement else { panic!("{judgement:?}") };
    let text = text.split_once("frame ")?.1;
    text.split_once(' ')?.0.parse().ok()
}

fn accepted(events: usize) -> Judgement {
    Judgement::Right(format!("all {events} events are accepted\n"))
}

fn is_explained(judgement: &Judgement, frames: usize) -> bool {
    let Judgement::Right(text) = judgement else { return false };
    text.starts_with("the station may be right: ") && text.contains(&format!(" guesses explain {frames} frames"))
}

#[test]
fn stations_that_are_right_are_accepted_by_their_own_captures_and_by_a_sniffer() {
    for layer in LAYERS {
        for seed in 0..12 {
            let link = Link::of(layer, seed);
            let Session { own, heard, .. } = session(&link);
            assert_eq!(ask(&own, &question()), accepted(own.len()), "{link:?}");
            let judgement = ask(&heard, &by_sniffer());
            assert!(is_explained(&judgement, heard.len()), "{link:?}: {judgement:?}");
        }
    }
}

#[test]
fn frames_of_one_size_each_are_accepted() {
    for layer in LAYERS {
        for bytes in [28, 104, 1464, 2346] {
            let link = Link { bytes: (bytes, bytes), packets: 25, ..Link::of(layer, bytes) };
            let Session { own, heard, .. } = session(&link);
            assert_eq!(ask(&own, &question()), accepted(own.len()), "{link:?}");
            let told = Question { bytes: Some(bytes as usize..=bytes as usize), ..by_sniffer() };
            assert!(is_explained(&ask(&heard, &told), heard.len()), "{link:?}");
        }
    }
}

#[test]
fn a_capture_may_begin_anywhere() {
    let link = Link { packets: 12, lost: 40, ..Link::of(LAYERS[0], 3) };
    let Session { own, heard, .. } = session(&link);
    for first in 0..own.len() - 2 {
        assert_eq!(ask(&own[first..], &question()), accepted(own.len() - first), "from {first}");
    }
    for first in 0..heard.len() - 2 {
        assert!(is_explained(&ask(&heard[first..], &by_sniffer()), heard.len() - first), "from {first}");
    }
}

#[test]
fn each_fault_is_found_in_the_own_capture_at_its_frame() {
    for layer in LAYERS {
        for seed in 0..4 {
            let at = 10 + 3 * seed as usize;
            for fault in [
                Fault::Skips(at),
                Fault::Repeats(at),
                Fault::SendsAgain(at),
                Fault::GivesUp(at),
                Fault::SendsTooOften(at),
                Fault::IsLate(at),
            ] {
                let link = Link::of(layer, seed).with(fault);
                let Session { own, wrong, .. } = session(&link);
                let judgement = ask(&own, &question());
                assert_eq!(wrong_frame(&judgement), wrong, "{link:?}: {judgement:?}");
            }
        }
    }
}

#[test]
fn a_number_used_twice_and_an_eighth_transmission_are_definite_violations() {
    for layer in LAYERS {
        for fault in [Fault::Repeats(20), Fault::SendsTooOften(20)] {
            let link = Link { missed: 0, ..Link::of(layer, 5).with(fault) };
            let Session { heard, own, wrong } = session(&link);
            let Judgement::Wrong(text) = ask(&heard, &by_sniffer()) else { panic!("{link:?}") };
            let wrong = own[wrong.unwrap() - 1];
            let same =
                |frame: &Heard| (frame.number, frame.retry, frame.bytes) == (wrong.number, wrong.retry, wrong.bytes);
            let heard = heard.iter().rposition(|frame| frame.kind != KIND_ACK && same(frame)).unwrap() + 1;
            assert!(
                text.starts_with(&format!("a definite violation: whatever the sniffer missed, frame {heard} at ")),
                "{text}"
            );
            assert!(text.contains(&format!("\n> frame {heard} at ")), "{text}");
        }
    }
}

/// A station of 802.11a at 6 Mb/s with 1,464 bytes, whose exchanges take 2 ms, leaves a number out within less.
#[test]
fn a_number_left_out_is_definite_where_no_exchange_fits_into_the_time() {
    let layer = Layer { rates: &[12], ..LAYERS[0] };
    let link = Link { missed: 0, lost: 0, pause: 0, bytes: (1464, 1464), ..Link::of(layer, 1).with(Fault::Skips(9)) };
    let Session { heard, .. } = session(&link);
    let told = Question { bytes: Some(1464..=1464), rates: Some(vec![6_000_000]), ..by_sniffer() };
    assert_eq!(wrong_frame(&ask(&heard, &told)), Some(19));
    // Short frames at 54 Mb/s would fit.
    assert!(is_explained(&ask(&heard, &by_sniffer()), heard.len()));
}

#[test]
fn rates_by_arf_are_accepted_and_a_station_that_stays_slow_is_found() {
    for layer in [LAYERS[0], LAYERS[1], LAYERS[2]] {
        let rates: Vec<u32> = layer.rates.iter().map(|rate| u32::from(*rate) * 500_000).collect();
        for seed in 0..4 {
            let link =
                Link { has_arf: true, packets: 150, lost: 6, bytes: (464, 464), pause: 200, ..Link::of(layer, seed) };
            let told = Question { rules: Rules::Arf, rates: Some(rates.clone()), ..question() };
            let heard_by = Question { is_sniffer: true, bytes: Some(464..=464), ..told.clone() };
            let Session { own, heard, .. } = session(&link);
            assert_eq!(ask(&own, &told), accepted(own.len()), "{link:?}");
            let judgement = ask(&heard, &heard_by);
            assert!(is_explained(&judgement, heard.len()), "{link:?}: {judgement:?}");

            let stuck = Link { lost: 0, missed: 0, pause: 0, ..link.with(Fault::IsStuck) };
            let Session { own, heard, .. } = session(&stuck);
            // After ten frames with their Acks.
            assert_eq!(wrong_frame(&ask(&own, &told)), Some(21), "{stuck:?}");
            assert_eq!(wrong_frame(&ask(&heard, &heard_by)), Some(21), "{stuck:?}");
        }
    }
}

#[test]
fn the_bound_of_missed_frames_makes_explanations_unlikely() {
    let layer = Layer { rates: &[22], ..LAYERS[1] };
    let link = Link { lost: 0, missed: 0, packets: 40, pause: 9_000, ..Link::of(layer, 2) };
    let Session { mut heard, .. } = session(&link);
    // Neither data nor Ack is heard of five packets.
    heard.drain(20..30);
    let bounded = |missing_max| ask(&heard, &Question { missing_max: Some(missing_max), ..by_sniffer() });
    let explained = "the station may be right: 10 guesses explain 70 frames, at most 5 of 100 in a row are of one \
                     station and missed\n";
    assert_eq!(bounded(5), Judgement::Right(explained.to_owned()));
    let Judgement::Wrong(text) = bounded(4) else { panic!("{:?}", bounded(4)) };
    assert!(
        text.starts_with("an unlikely station: more than 4 of 100 frames in a row would be of one station"),
        "{text}"
    );
    assert!(text.contains("explained are those before frame 21 at "), "{text}");
}

#[test]
fn a_capture_without_radiotap_headers_needs_the_physical_layer() {
    let Session { heard, .. } = session(&Link::of(LAYERS[0], 7));
    let capture = Capture::parse(&pcap(&heard, true)).unwrap();
    let refused = judge(&capture, &by_sniffer()).unwrap_err().to_string();
    assert_eq!(refused, "the capture tells neither channels nor rates: say the physical layer with `--phy`");
    let told = Question { physical: Some(Physical::A), ..by_sniffer() };
    assert!(is_explained(&judge(&capture, &told).unwrap(), heard.len()));
}

#[test]
fn instants_may_be_ends_of_sent_frames_or_starts_of_received_ones() {
    let link = Link { pause: 0, ..Link::of(LAYERS[0], 8) };
    let Session { own, heard, .. } = session(&link);
    let layer = LAYERS[0];
    let on_air = |frame: &Heard| layer.time_on_air(frame.bytes, frame.rate, frame.short_preamble);
    let ends: Vec<Heard> = own
        .iter()
        .map(|frame| Heard { at: frame.at + if frame.is_received { 0 } else { on_air(frame) }, ..*frame })
        .collect();
    let told = |instants| Question { instants, ..question() };
    assert_eq!(ask(&ends, &told(Instants::Ends)), accepted(own.len()));
    // Taken for starts, they would end after the Ack.
    let refused = judge(&Capture::parse(&pcap(&ends, false)).unwrap(), &question()).unwrap_err().to_string();
    assert!(refused.ends_with("say which with `--instants`"), "{refused}");
    let starts: Vec<Heard> = heard.iter().map(|frame| Heard { at: frame.at - on_air(frame), ..*frame }).collect();
    let told = Question { instants: Instants::Starts, ..by_sniffer() };
    assert!(is_explained(&ask(&starts, &told), heard.len()));
}

#[test]
fn times_numbers_and_retransmissions_are_those_that_are_said() {
    let Session { own, .. } = session(&Link { lost: 50, ..Link::of(LAYERS[1], 9) });
    let is_right = |question: Question| matches!(ask(&own, &question), Judgement::Right(_));
    assert!(is_right(Question { retransmissions: Some(6), first: Some(4_009), ..question() }));
    assert!(!is_right(Question { retransmissions: Some(5), ..question() }));
    assert!(!is_right(Question { retransmissions: Some(7), ..question() }));
    assert_eq!(wrong_frame(&ask(&own, &Question { first: Some(4_010), ..question() })), Some(1));
    assert!(!is_right(Question { latest: Some(Duration::from_millis(3)), ..question() }));
    assert!(!is_right(Question { timeout: Some(Duration::from_micros(50)), ..question() }));
    assert!(is_right(Question {
        timeout: Some(Duration::from_micros(50)),
        tolerance: Duration::from_micros(300),
        ..question()
    }));
    let contradiction = Question { timeout: Some(Duration::from_secs(1)), ..question() };
    let refused = judge(&Capture::parse(&pcap(&own, false)).unwrap(), &contradiction).unwrap_err().to_string();
    assert!(refused.ends_with("say a greater `--tm`, or a smaller `--to`"), "{refused}");
    let unknown = Question { rates: Some(vec![54_000_000]), ..question() };
    let refused = judge(&Capture::parse(&pcap(&own, false)).unwrap(), &unknown).unwrap_err().to_string();
    assert_eq!(refused, "802.11b does not have the rate of 54 Mb/s that `--rates` says");
}

#[test]
fn frames_to_groups_take_numbers_and_get_no_ack() {
    let layer = LAYERS[0];
    let Session { own, .. } = session(&Link { lost: 0, missed: 0, packets: 20, ..Link::of(layer, 4) });
    // The data of every fourth packet goes to all stations, without an Ack.
    let to_all = |index: usize| index.is_multiple_of(8);
    let own: Vec<Heard> = own
        .iter()
        .enumerate()
        .filter(|(index, _)| !to_all(index - index % 2) || index.is_multiple_of(2))
        .map(|(index, frame)| if to_all(index) { Heard { to: [0xff; 6], ..*frame } } else { *frame })
        .collect();
    assert_eq!(ask(&own, &question()), accepted(own.len()));
    for rules in [Rules::Transmitter, Rules::Arf] {
        let _ = ask(&own, &Question { rules, ..by_sniffer() });
    }
    let mut repeated = own.clone();
    repeated[3].number = repeated[2].number;
    let Judgement::Wrong(text) = ask(&repeated, &question()) else { panic!("{repeated:?}") };
    assert!(text.starts_with("frame 4 at "), "{text}");
}

#[test]
fn corrupt_frames_are_as_if_they_had_not_been_heard() {
    let Session { mut heard, .. } = session(&Link::of(LAYERS[3], 11));
    let before = ask(&heard, &by_sniffer());
    let wrong = Heard { at: heard[5].at + 1, number: 77, is_corrupt: true, is_received: true, ..Heard::default() };
    heard.insert(6, Heard { channel_mhz: heard[5].channel_mhz, ..wrong });
    assert_eq!(ask(&heard, &by_sniffer()), before);
}

#[test]
fn frames_of_other_stations_are_named_where_the_station_is_wrong() {
    let Session { mut own, wrong, .. } = session(&Link::of(LAYERS[0], 12).with(Fault::IsLate(9)));
    let late = wrong.unwrap() - 1;
    let other = Heard { from: PEER, to: STATION, at: own[late].at - 30_000, is_received: true, ..own[late] };
    own.insert(late, other);
    let Judgement::Wrong(text) = ask(&own, &question()) else { panic!("{late}") };
    assert!(text.starts_with(&format!("frame {} at ", late + 2)), "{text}");
    let note = "\nthere are frames of other stations (1): while they are on the air the device waits, so say a greater \
                `--tm` if it was late\n";
    assert!(text.ends_with(note), "{text}");
    let told = Question { latest: Some(Duration::from_millis(90)), ..question() };
    assert_eq!(ask(&own, &told), accepted(own.len() - 1));
}

#[test]
fn data_whose_rate_is_not_told_is_refused_where_its_end_is_needed() {
    let Session { mut own, heard, .. } = session(&Link::of(LAYERS[0], 13));
    own[4].rate = 0;
    let refused = judge(&Capture::parse(&pcap(&own, false)).unwrap(), &question()).unwrap_err().to_string();
    assert!(refused.starts_with("frame 5 has no rate in its radiotap header, so its time on the air"), "{refused}");
    let untold: Vec<Heard> = heard.iter().map(|frame| Heard { rate: 0, ..*frame }).collect();
    assert!(is_explained(&ask(&untold, &by_sniffer()), heard.len()));
    let arf = Question { rules: Rules::Arf, ..by_sniffer() };
    let refused = judge(&Capture::parse(&pcap(&untold, false)).unwrap(), &arf).unwrap_err().to_string();
    assert!(
        refused.ends_with("has no rate in its radiotap header: ARF is judged by the rates of all data"),
        "{refused}"
    );
}

fn nothing(frames: &[Heard], question: &Question) -> String {
    match ask(frames, question) {
        Judgement::Nothing(text) => text,
        judged => panic!("{judged:?}"),
    }
}

#[test]
fn a_capture_in_which_the_rules_apply_to_no_frame_is_answered_by_a_sentence() {
    let Session { own, .. } = session(&Link { packets: 30, lost: 0, ..Link::of(LAYERS[0], 6) });
    let absent = Question { device: Some(MacAddress(PEER)), ..question() };
    assert_eq!(
        nothing(&own, &absent),
        "no frame of 02:00:00:00:00:02 in 60 frames (30 of 02:00:00:00:00:01): nothing was judged\n"
    );
    assert_eq!(nothing(&[], &question()), "no frame of 802.11 in 0 packets: nothing was judged\n");
    let changed = |change: &dyn Fn(&mut Heard)| {
        let mut frames = own.clone();
        frames.iter_mut().filter(|frame| frame.kind != KIND_ACK).for_each(change);
        frames
    };
    assert_eq!(
        nothing(&changed(&|frame| frame.kind = 0x88), &question()),
        "no rule is for the 30 frames of 02:00:00:00:00:01 in 60 frames (30 Acks of frames without a rule, 30 QoS \
         data): nothing was judged\n"
    );
    let beacons = nothing(&changed(&|frame| frame.kind = 0x80), &question());
    assert!(beacons.starts_with("frame 1 is a beacon of 02:00:00:00:00:01, which is an access point"), "{beacons}");
    let fragments = nothing(&changed(&|frame| frame.flags = 0x04), &question());
    assert!(fragments.starts_with("frame 1 is a fragment, for which there is no rule"), "{fragments}");
}

#[test]
fn qos_data_beside_data_is_passed_over_with_its_acks() {
    let Session { mut own, .. } = session(&Link { packets: 30, lost: 0, ..Link::of(LAYERS[0], 6) });
    // The last two exchanges, numbered by themselves.
    own.iter_mut().skip(56).filter(|frame| frame.kind != KIND_ACK).for_each(|frame| {
        (frame.kind, frame.number) = (0x88, 0);
    });
    let text = "all 56 events are accepted\nno rule is for 4 more frames of 02:00:00:00:00:01 or to it (2 Acks of \
                frames without a rule, 2 QoS data)\n";
    assert_eq!(ask(&own, &question()), Judgement::Right(text.to_owned()));
}
