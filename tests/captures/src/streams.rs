//! TCP streams are put together, however their segments come; what is missing is told.

use crate::files::{Frame, Order, Segment, pcapng, tcp};
use netcheck::capture::{Capture, Change, Error, Unread};
use proptest::collection::vec;
use proptest::prelude::*;
use std::time::Duration;

/// The initial sequence numbers: the client's wraps around soon.
const CLIENT: u32 = u32::MAX - 2;
const SERVER: u32 = 1_000;

fn capture(segments: &[Segment]) -> Capture {
    let frames: Vec<Frame> = (1..).map(Duration::from_millis).zip(segments.iter().map(tcp)).collect();
    Capture::parse(&pcapng(Order::Little, 101, &frames)).unwrap_or_else(|error| panic!("{error}"))
}

/// A segment by the client; its sequence number counts from the first byte.
fn client(position: u32, flags: &'static str, payload: &str) -> Segment {
    let sequence = CLIENT.wrapping_add(1).wrapping_add(position);
    Segment { by_client: true, sequence, acknowledged: Some(SERVER + 1), flags, payload: payload.into() }
}

/// A segment by the server, which acknowledges so many bytes.
fn server(position: u32, acknowledged: u32, flags: &'static str, payload: &str) -> Segment {
    let acknowledged = Some(CLIENT.wrapping_add(1).wrapping_add(acknowledged));
    Segment { by_client: false, sequence: SERVER + 1 + position, acknowledged, flags, payload: payload.into() }
}

/// The connection is opened; then come these.
fn opened(segments: impl IntoIterator<Item = Segment>) -> Vec<Segment> {
    let syn = Segment { acknowledged: None, ..client(0, "S", "") };
    let syn = Segment { sequence: CLIENT, ..syn };
    let answer = Segment { sequence: SERVER, ..server(0, 0, "S", "") };
    [syn, answer, client(0, "", "")].into_iter().chain(segments).collect()
}

/// A line, or what is left when there is no more.
fn line(unread: &Unread<'_>) -> Option<(usize, Option<String>)> {
    let bytes = match unread.bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) => end + 1,
        None if unread.is_finished => unread.bytes.len(),
        None => return None,
    };
    let by = if unread.packet.from.port() == 4000 { "client" } else { "server" };
    Some((bytes, Some(format!("{by} {:?}", String::from_utf8_lossy(&unread.bytes[..bytes])))))
}

/// Each event after the number of its packet.
fn decoded(segments: &[Segment]) -> Result<Vec<String>, Error> {
    let capture = capture(segments);
    let changed =
        |packet: &netcheck::capture::Packet, change: Change| Some(format!("{:?} by {}", change, packet.from.port()));
    let trace = capture.decoder().streams(line).connections(changed).trace()?;
    let events = trace.trace().packets().map(|(_, event)| event);
    Ok(trace.packets().iter().zip(events).map(|(packet, event)| format!("{} {event}", packet.number)).collect())
}

#[track_caller]
fn refused(segments: &[Segment], text: &str) {
    let error = decoded(segments).expect_err("the streams are wrong");
    assert_eq!(error.to_string(), text);
}

#[test]
fn both_directions_are_decoded_up_to_their_ends() {
    let segments = opened([
        client(0, "", "one\ntw"),
        server(0, 6, "", ""),
        client(6, "", "o\nthree\nfo"),
        server(0, 16, "F", "yes"),
        client(16, "F", "ur"),
        server(4, 19, "", ""),
    ]);
    let expected = [
        r"2 Opened by 5000",
        r#"4 client "one\n""#,
        r#"6 client "two\n""#,
        r#"6 client "three\n""#,
        r#"7 server "yes""#,
        r"7 Finished by 5000",
        r#"8 client "four""#,
        r"8 Finished by 4000",
    ];
    assert_eq!(decoded(&segments).unwrap(), expected);
}

#[test]
fn what_comes_again_or_overlaps_or_too_early_is_put_in_its_place() {
    let segments = opened([
        client(6, "F", "cd\nef"),
        client(3, "", "b\nc"), // overlaps with the one before
        client(3, "", "b\nc"),
        server(0, 0, "", ""),
        client(0, "", "a\n\nb"), // fills the gap, and more
        client(0, "", "a\n"),
        client(6, "F", "cd\nef"),
    ]);
    let expected = [
        r"2 Opened by 5000",
        r#"8 client "a\n""#,
        r#"8 client "\n""#,
        r#"8 client "b\n""#,
        r#"8 client "ccd\n""#,
        r#"8 client "ef""#,
        r"8 Finished by 4000",
    ];
    assert_eq!(decoded(&segments).unwrap(), expected);
}

#[test]
fn the_first_packets_may_come_again_and_keep_alives_mean_nothing() {
    let begin = opened([]);
    let again = [begin.clone(), begin.clone()].concat();
    let alive = [client(u32::MAX, "", ""), client(u32::MAX, "", "?"), client(0, "", "a\n"), client(1, "", "?")];
    assert_eq!(decoded(&[again, alive.to_vec()].concat()).unwrap(), ["2 Opened by 5000", r#"9 client "a\n""#]);
}

#[test]
fn a_capture_that_begins_with_the_answer_is_whole() {
    let segments = opened([client(0, "", "a\n"), server(0, 2, "", "b\n")]).split_off(1);
    let expected = ["1 Opened by 5000", r#"3 client "a\n""#, r#"4 server "b\n""#];
    assert_eq!(decoded(&segments).unwrap(), expected);
}

#[test]
fn a_connection_may_be_refused_or_broken_off() {
    let mut refusal = opened([]);
    refusal.truncate(1);
    refusal.push(Segment { sequence: 0, ..server(0, 0, "R", "") });
    assert_eq!(decoded(&refusal).unwrap(), ["2 Reset by 5000"]);

    let broken = opened([client(0, "", "a\n"), server(0, 0, "R", ""), client(2, "", "b\n"), client(4, "R", "")]);
    assert_eq!(decoded(&broken).unwrap(), ["2 Opened by 5000", r#"4 client "a\n""#, "5 Reset by 5000"]);

    let after_its_end = opened([client(0, "F", ""), server(0, 1, "F", ""), client(1, "R", "")]);
    assert_eq!(decoded(&after_its_end).unwrap(), ["2 Opened by 5000", "4 Finished by 4000", "5 Finished by 5000"]);
}

#[test]
fn the_sockets_of_a_connection_may_be_used_again() {
    let later = |segment: Segment| {
        let shifted = 70_000_u32;
        let (mine, theirs) = if segment.by_client { (shifted, 0) } else { (0, shifted) };
        let acknowledged = segment.acknowledged.map(|number| number.wrapping_add(theirs));
        Segment { sequence: segment.sequence.wrapping_add(mine), acknowledged, ..segment }
    };
    let first = opened([client(0, "F", "a\n"), server(0, 3, "F", "")]);
    let second = opened([client(0, "", "b\n")]).into_iter().map(later);
    let expected = [
        "2 Opened by 5000",
        r#"4 client "a\n""#,
        "4 Finished by 4000",
        "5 Finished by 5000",
        "7 Opened by 5000",
        r#"9 client "b\n""#,
    ];
    assert_eq!(decoded(&first.into_iter().chain(second).collect::<Vec<_>>()).unwrap(), expected);
}

#[test]
fn what_the_capture_missed_is_told_by_the_packet_that_shows_it() {
    let missed = "acknowledges bytes that the capture does not have: packets were missed when it was made";
    let gap = [client(0, "", "a\n"), client(4, "", "c\n"), server(0, 2, "", ""), server(0, 6, "", "")];
    refused(&opened(gap.clone()), &format!("packet 7: {missed}"));
    // Where it is only late, it is there.
    let late = [gap.to_vec(), vec![client(2, "", "b\n")]].concat();
    let expected = ["2 Opened by 5000", r#"4 client "a\n""#, r#"8 client "b\n""#, r#"8 client "c\n""#];
    assert_eq!(decoded(&opened(late.clone())).unwrap(), expected);
    // The first one of two gaps is filled.
    let second = [late.clone(), vec![client(9, "", "e\n"), server(0, 11, "", "")]].concat();
    refused(&opened(second), &format!("packet 10: {missed}"));
    // Bytes that nobody acknowledges may have been lost on the way.
    let lost = [client(0, "", "a\n"), client(4, "", "c\n"), server(0, 2, "", "")];
    assert_eq!(decoded(&opened(lost)).unwrap(), expected[..2]);
    let begun = "is of a connection that began before the capture, without its first packets";
    refused(&[server(0, 0, "", ""), client(0, "", "a")], &format!("packet 2: {begun}"));
}

#[test]
fn contradictions_are_refused() {
    let differs = opened([client(0, "", "abc\n"), client(1, "", "bX")]);
    refused(&differs, "packet 5: repeats bytes of its stream with other contents");
    let longer = opened([client(0, "F", "a\n"), client(2, "", "bc")]);
    refused(&longer, "packet 5: has bytes after the end of its stream, or another end");
    let shorter = opened([client(0, "", "abc\n"), client(0, "F", "a")]);
    refused(&shorter, "packet 5: has bytes after the end of its stream, or another end");
    let other = Segment { sequence: SERVER + 7, ..server(0, 0, "S", "") };
    refused(&opened([other]), "packet 4: answers a connection a second time, with another sequence number");
}

#[test]
fn a_file_with_broken_streams_is_good_for_datagrams() {
    let capture = capture(&[client(7, "", "abc"), client(7, "", "xyz")]);
    assert!(capture.trace(|datagram| Some(datagram.packet)).unwrap().packets().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// All bytes are sent in pieces that overlap, in any order, some of them several times.
    #[test]
    fn any_segments_that_cover_a_stream_give_the_stream(
        bytes in vec(prop::sample::select(b"ab\n".as_slice()), 1..60),
        cuts in vec(any::<prop::sample::Index>(), 0..8),
        extra in vec((any::<prop::sample::Index>(), 1_usize..12), 0..6),
        order in vec(any::<u32>(), 16),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| (pair[0], pair[1]));
        let extra = extra.iter().map(|(from, length)| {
            let from = from.index(bytes.len());
            (from, bytes.len().min(from + length))
        });
        let mut pieces: Vec<(u32, (usize, usize))> = order.into_iter().zip(pieces.chain(extra)).collect();
        pieces.sort_unstable();
        let text = String::from_utf8(bytes).expect("it is ASCII");
        let segments = pieces.iter().map(|(_, (from, to))| {
            let flags = if *to == text.len() { "F" } else { "" };
            client(u32::try_from(*from).expect("few bytes"), flags, &text[*from..*to])
        });
        let lines = decoded(&opened(segments)).expect("the stream is whole");
        let lines: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once(" client ")?.1)).collect();
        let expected: Vec<String> = text.split_inclusive('\n').map(|line| format!("{line:?}")).collect();
        prop_assert_eq!(lines, expected);
    }

    /// Whatever segments there are, they are decoded or refused.
    #[test]
    fn any_segments_at_all_are_decoded_or_refused(
        segments in vec((any::<bool>(), 0..8_u32, 0..10_u32, 0..12_usize, vec(any::<u8>(), 0..4)), 0..24),
    ) {
        let segments = segments.into_iter().map(|(by_client, sequence, acknowledged, flags, payload)| {
            let flags = ["", "S", "F", "R", "SF", "SR"].get(flags).copied().unwrap_or("");
            let (mine, theirs) = if by_client { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
            let acknowledged = acknowledged.checked_sub(1).map(|number| theirs.wrapping_add(number));
            Segment { by_client, sequence: mine.wrapping_add(sequence), acknowledged, flags, payload }
        });
        // An error is right, a panic is not.
        let _ = decoded(&segments.collect::<Vec<_>>());
    }
}
