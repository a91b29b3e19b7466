//! Frames of 802.11, alone and behind radiotap headers.

use crate::files::{Frame, Order, pcap};
use netcheck::capture::{Capture, FrameKind, MacAddress};
use std::time::Duration;

const ALONE: u32 = 105;
const BEHIND_RADIOTAP: u32 = 127;

/// Data number 291 from station 1 to station 2, sent again.
fn data() -> Vec<u8> {
    let addresses = [[0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, 1], [9; 6]].concat();
    [[0x08, 0x08, 0, 0].as_slice(), &addresses, &(291_u16 << 4).to_le_bytes(), b"contents"].concat()
}

/// An Ack to station 1.
fn ack() -> Vec<u8> {
    vec![0xd4, 0, 0, 0, 0, 0, 0, 0, 0, 1]
}

/// With TSFT, flags, a rate of 5.5 Mb/s, a channel and, if `received`, a signal; `more` words of flags follow the first.
fn radiotap(received: bool, more: usize, frame: &[u8]) -> Vec<u8> {
    let present = 0b1111 | u32::from(received) << 5;
    let mut header = vec![0, 0, 0, 0];
    for word in 0..=more {
        let follows = if word < more { 1 << 31 } else { 0 };
        header.extend((if word == 0 { present | follows } else { follows }).to_le_bytes());
    }
    header.resize(header.len().next_multiple_of(8), 0);
    header.extend([1; 8]);
    header.extend([0, 11, 0x6c, 0x09, 0, 0]);
    if received {
        header.push(0xd8);
    }
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    header[2..4].copy_from_slice(&length);
    [header.as_slice(), frame].concat()
}

fn file(link_type: u32, frames: Vec<Vec<u8>>) -> Vec<u8> {
    let frames: Vec<Frame> = (1..).map(Duration::from_millis).zip(frames).collect();
    pcap(Order::Little, true, link_type, &frames)
}

#[test]
fn frames_are_read_with_and_without_radiotap_headers() {
    let alone = Capture::parse(&file(ALONE, vec![data(), ack()])).unwrap();
    let [first, second] = alone.frames() else { panic!("{:?}", alone.frames()) };
    assert_eq!((first.kind, first.sequence, first.retry), (FrameKind::Data, Some(291), true));
    assert_eq!(first.to_string(), "frame 1 at 0.000000 s, 00:00:00:00:00:01 -> 00:00:00:00:00:02");
    assert_eq!((second.kind, second.to, second.from), (FrameKind::Ack, MacAddress([0, 0, 0, 0, 0, 1]), None));
    assert_eq!((second.number, second.at, second.sequence), (2, Duration::from_millis(1), None));
    assert_eq!((first.bits_per_second, first.has_signal), (None, false));

    for more in 0..3 {
        let frames = vec![radiotap(false, more, &data()), radiotap(true, more, &ack())];
        let behind = Capture::parse(&file(BEHIND_RADIOTAP, frames)).unwrap();
        let [first, second] = behind.frames() else { panic!("{:?}", behind.frames()) };
        assert_eq!((first.bits_per_second, first.has_signal), (Some(5_500_000), false));
        assert_eq!((second.bits_per_second, second.has_signal), (Some(5_500_000), true));
        assert_eq!((first.bytes, first.sequence), (data().len(), Some(291)));
        assert_eq!((first.channel_mhz, second.channel_mhz), (Some(2412), Some(2412)));
    }
}

#[test]
fn flags_of_a_radiotap_header_are_those_of_its_frame() {
    // The flags stand after the length, the fields that are present, and the time.
    const FLAGS: usize = 16;
    let told = |flags: u8| {
        let mut frame = radiotap(false, 0, &data());
        frame[FLAGS] = flags;
        let frame = Capture::parse(&file(BEHIND_RADIOTAP, vec![frame])).unwrap().frames()[0];
        [frame.has_short_preamble, frame.has_checksum, frame.is_corrupt]
    };
    assert_eq!(told(0), [false; 3]);
    assert_eq!(told(0x02), [true, false, false]);
    assert_eq!(told(0x10), [false, true, false]);
    assert_eq!(told(0x40), [false, false, true]);
    assert_eq!(told(!0x52), [false; 3]);
}

#[test]
fn fragments_qos_data_beacons_and_groups_are_told_from_other_frames() {
    let told = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut frame = data();
        frame.extend([0; 2]);
        change(&mut frame);
        let frame = Capture::parse(&file(ALONE, vec![frame])).unwrap().frames()[0];
        [frame.is_fragment, frame.is_qos, frame.is_beacon, frame.to.is_group()]
    };
    assert_eq!(told(&|_| {}), [false; 4]);
    assert_eq!(told(&|frame| frame[1] |= 0x04), [true, false, false, false]);
    assert_eq!(told(&|frame| frame[22] |= 1), [true, false, false, false]);
    assert_eq!(told(&|frame| frame[0] = 0x88), [false, true, false, false]);
    assert_eq!(told(&|frame| frame[0] = 0x80), [false, false, true, false]);
    assert_eq!(told(&|frame| frame[4] = 0xff), [false, false, false, true]);
}

#[test]
fn frames_that_are_cut_are_refused_by_their_number() {
    let whole = radiotap(true, 1, &data());
    let header = whole.len() - b"contents".len();
    for length in 0..header {
        let file = file(BEHIND_RADIOTAP, vec![ack_behind(), whole[..length].to_vec()]);
        let error = Capture::parse(&file).unwrap_err();
        assert_eq!(error.packet(), Some(2), "{error}");
        assert!(error.to_string().contains("ends within its"), "{error}");
    }
}

fn ack_behind() -> Vec<u8> {
    radiotap(true, 0, &ack())
}

#[test]
fn every_byte_is_set_to_every_value_once() {
    let good = file(BEHIND_RADIOTAP, vec![radiotap(false, 0, &data()), radiotap(true, 2, &ack())]);
    for at in 0..good.len() {
        for value in 0..=u8::MAX {
            let mut mutated = good.clone();
            mutated[at] = value;
            if let Ok(capture) = Capture::parse(&mutated) {
                let _ = capture.trace_of_frames(|frame| Some((frame.at, frame.sequence)));
            }
        }
    }
}

#[test]
fn the_trace_has_the_instants_that_were_given() {
    let capture = Capture::parse(&file(ALONE, vec![data(), ack()])).unwrap();
    let later = Duration::from_millis(7);
    let trace = capture.trace_of_frames(|frame| Some((frame.at + later, frame.kind))).unwrap();
    let packets: Vec<_> = trace.trace().packets().map(|(at, kind)| (at, *kind)).collect();
    assert_eq!(packets, [(later, FrameKind::Data), (later + Duration::from_millis(1), FrameKind::Ack)]);
    let backwards = capture.trace_of_frames(|frame| Some((later - frame.at, frame.kind))).unwrap_err();
    assert_eq!(backwards.packet(), Some(2), "{backwards}");
}
