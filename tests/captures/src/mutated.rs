//! Files with wrong bytes: whatever they are, they are read or refused, and a refusal names a packet that may be there.

use crate::files::{Frame, Order, Segment, ethernet, pcap, pcapng, tcp, udp, udp6};
use netcheck::capture::{Capture, Datagram, Unread};
use proptest::prelude::*;
use proptest::sample::Index;
use std::time::Duration;

/// Packets of a good file.
const PACKETS: usize = 7;

/// A file of each format, in each order, with several protocols.
fn good() -> Vec<Vec<u8>> {
    let segment = |by_client: bool, sequence, flags, payload: &[u8]| {
        let acknowledged = (!by_client || flags != "S").then_some(if by_client { 800 } else { 70 });
        tcp(&Segment { by_client, sequence, acknowledged, flags, payload: payload.to_vec() })
    };
    let packets = [
        ethernet(0x0800, &segment(true, 69, "S", b"")),
        ethernet(0x0800, &segment(false, 799, "S", b"")),
        ethernet(0x0800, &segment(true, 70, "F", b"bytes")),
        ethernet(0x0800, &udp(b"hello")),
        ethernet(0x86dd, &udp6(b"")),
        ethernet(0x8100, &[[0, 7, 8, 0].as_slice(), &udp(&[1; 70])].concat()),
        ethernet(0x0806, &[0, 1, 8, 0, 6, 4, 0, 1, 2, 2, 2, 2, 2, 2, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2]),
    ];
    let frames: Vec<Frame> = (1..).map(Duration::from_secs).zip(packets).collect();
    assert_eq!(frames.len(), PACKETS);
    let files = [Order::Little, Order::Big]
        .map(|order| [pcap(order, false, 1, &frames), pcap(order, true, 1, &frames), pcapng(order, 1, &frames)]);
    files.concat()
}

/// Reads it, and does with it what can be done.
fn use_it(file: &[u8]) {
    match Capture::parse(file) {
        Ok(capture) => {
            // An error is right: instants may not be in order.
            let of_datagrams = |datagram: &Datagram<'_>| datagram.payload.first().copied();
            let of_streams = |unread: &Unread<'_>| Some((1, Some(unread.bytes[0])));
            let _ = capture.decoder().datagrams(of_datagrams).streams(of_streams).trace();
        }
        Err(error) => assert!(error.packet().is_none_or(|packet| packet <= file.len() / 12 + 1), "{error}"),
    }
}

#[test]
fn every_byte_is_set_to_every_value_once() {
    let files = good();
    // One of each format, and one in each order.
    for file in [&files[0], &files[5]] {
        for at in 0..file.len() {
            for value in 0..=u8::MAX {
                let mut mutated = file.clone();
                mutated[at] = value;
                use_it(&mutated);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn several_bytes_are_wrong_cut_out_or_doubled(
        file in 0..good().len(),
        wrong in prop::collection::vec((any::<Index>(), any::<u8>()), 0..6),
        cut in prop::option::of((any::<Index>(), 0_usize..40)),
        doubled in prop::option::of((any::<Index>(), 0_usize..40)),
    ) {
        let mut file = good().swap_remove(file);
        for (at, value) in wrong {
            let at = at.index(file.len());
            file[at] = value;
        }
        if let Some((at, length)) = cut {
            let at = at.index(file.len());
            file.drain(at..file.len().min(at + length));
        }
        if let Some((at, length)) = doubled && !file.is_empty() {
            let at = at.index(file.len());
            let again = file[at..file.len().min(at + length)].to_vec();
            file.splice(at..at, again);
        }
        use_it(&file);
    }

    #[test]
    fn any_bytes_come_after_a_good_beginning(
        file in 0..good().len(),
        kept in any::<Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let file = good().swap_remove(file);
        let kept = kept.index(file.len());
        use_it(&[&file[..kept], &noise].concat());
    }
}
