//! Transfers that are written down, packet by packet.

use super::{BOTH, SERVER, analyse};
use crate::files::{Frame, Order, pcap};
use crate::tftp::analysis::{Analysis, Side};
use etherparse::PacketBuilder;
use netcheck::capture::Capture;
use proptest::prelude::*;
use std::time::Duration;

const CLIENT: u16 = 4_000;
const SERVER_PORT: u16 = 69;
const PEER: u16 = 5_000;
const STRANGER: u16 = 6_000;

/// A packet of a client and a server on one host.
struct Sent {
    at: Duration,
    from: u16,
    to: u16,
    payload: Vec<u8>,
}

fn sent(at_us: u64, from: u16, to: u16, payload: Vec<u8>) -> Sent {
    Sent { at: Duration::from_secs(1) + Duration::from_micros(at_us), from, to, payload }
}

fn to_server(at_us: u64, payload: Vec<u8>) -> Sent {
    sent(at_us, CLIENT, PEER, payload)
}

fn to_client(at_us: u64, payload: Vec<u8>) -> Sent {
    sent(at_us, PEER, CLIENT, payload)
}

fn read(at_us: u64) -> Sent {
    sent(at_us, CLIENT, SERVER_PORT, b"\0\x01f\0octet\0blksize\08\0".to_vec())
}

fn write(at_us: u64) -> Sent {
    sent(at_us, CLIENT, SERVER_PORT, b"\0\x02f\0octet\0".to_vec())
}

fn data(block: u16, bytes: usize) -> Vec<u8> {
    [&[0, 3], &block.to_be_bytes()[..], &vec![7; bytes]].concat()
}

fn ack(block: u16) -> Vec<u8> {
    [&[0, 4], &block.to_be_bytes()[..]].concat()
}

fn error(code: u8) -> Vec<u8> {
    [&[0, 5, 0, code], &b"sorry\0"[..]].concat()
}

fn captured(packets: &[Sent]) -> Capture {
    let frames: Vec<Frame> = packets
        .iter()
        .map(|Sent { at, from, to, payload }| {
            let mut packet = Vec::new();
            let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 1], 64).udp(*from, *to);
            builder.write(&mut packet, payload).expect("a vector takes all");
            (*at, packet)
        })
        .collect();
    Capture::parse(&pcap(Order::Little, false, 101, &frames)).expect("it is a good file")
}

fn analysed(packets: &[Sent]) -> Analysis {
    analyse(&captured(packets), &BOTH).expect("instants are in order")
}

#[test]
fn numbers_of_blocks_begin_again_after_65_535() {
    let blocks = 65_538_u64;
    let mut packets = vec![read(0), to_client(1, b"\0\x06blksize\08\0".to_vec()), to_server(2, ack(0))];
    for block in 1..=blocks {
        let bytes = if block == blocks { 3 } else { 8 };
        packets.push(to_client(10 * block, data(block as u16, bytes)));
        packets.push(to_server(10 * block + 5, ack(block as u16)));
    }
    let analysis = analysed(&packets);
    assert_eq!(analysis.wrong, [], "{}", analysis.text);
    let summary = "131079 packets (1 to 131079), 65538 blocks of 8 bytes: the file is there as a whole";
    assert!(analysis.text.contains(summary), "{}", analysis.text);
}

#[test]
fn what_arrives_in_one_go_is_received_one_after_the_other() {
    let analysis = analysed(&[
        write(0),
        to_client(100, ack(0)),
        to_server(200, data(1, 512)),
        to_server(150_200, data(1, 512)),
        // It answers both copies only now.
        to_client(210_300, ack(1)),
        to_client(210_400, ack(1)),
        to_server(210_500, data(2, 1)),
        to_client(210_600, ack(2)),
    ]);
    // The second copy was received 50 ms after it came, at the latest, and there was no Ack of the first one.
    assert_eq!(analysis.wrong, [(1, Side::Server, 4)], "{}", analysis.text);
    let analysis = analysed(&[
        write(0),
        to_client(100, ack(0)),
        to_server(110_000, data(1, 512)),
        to_server(110_100, data(1, 512)),
        to_client(110_200, ack(1)),
        to_client(110_300, ack(1)),
        to_server(110_400, data(2, 1)),
        to_client(110_500, ack(2)),
    ]);
    // But the client has no reason to send data again after 100 µs.
    assert_eq!(analysis.wrong, [], "{}", analysis.text);
}

#[test]
fn a_receiver_that_does_not_answer_is_rejected_at_what_comes_after() {
    let packets = [
        write(0),
        to_client(100, ack(0)),
        to_server(200, data(1, 512)),
        to_server(1_000_200, data(1, 512)),
        to_server(3_000_200, data(1, 512)),
    ];
    let analysis = analysed(&packets);
    assert_eq!(analysis.wrong, [(1, Side::Server, 4)], "{}", analysis.text);
    assert!(analysis.text.contains("Step::SendsAck(acknowledged) if *acknowledged == block"), "{}", analysis.text);
    assert!(analysis.text.contains("it does not come to its end"), "{}", analysis.text);
}

#[test]
fn a_block_that_is_left_out_is_rejected_there() {
    let analysis = analysed(&[
        write(0),
        to_client(100, ack(0)),
        to_server(200, data(1, 512)),
        to_client(300, ack(1)),
        to_server(400, data(3, 512)),
        to_client(500, ack(3)),
    ]);
    assert_eq!(analysis.wrong, [(1, Side::Client, 5), (1, Side::Server, 6)], "{}", analysis.text);
}

#[test]
fn strangers_and_errors_are_told() {
    let analysis = analysed(&[
        write(0),
        to_client(100, ack(0)),
        // A second answer to the request; RFC 1350, 4: an error is sent to where it comes from.
        sent(150, STRANGER, CLIENT, ack(0)),
        sent(160, CLIENT, STRANGER, error(5)),
        to_server(200, data(1, 512)),
        to_client(250, vec![0, 9]),
        to_client(300, error(3)),
    ]);
    assert_eq!(analysis.wrong, [], "{}", analysis.text);
    for part in [
        "4 packets (1 to 7), 1 block of 512 bytes: the server gives up: sorry (3)",
        "2 packets between the same hosts, with no part in it, the first one 3",
        "1 packet that is no packet of TFTP, the first one 6",
    ] {
        assert!(analysis.text.contains(part), "{part:?} is not in\n{}", analysis.text);
    }
}

#[test]
fn the_same_request_after_the_end_is_another_transfer() {
    let transfer = |at: u64| {
        let peer = PEER + at as u16;
        let [ack_0, data_1, ack_1] = [(peer, ack(0)), (CLIENT, data(1, 2)), (peer, ack(1))];
        let packets = [ack_0, data_1, ack_1].into_iter().zip(1..).map(move |((from, payload), after)| {
            let to = if from == CLIENT { peer } else { CLIENT };
            sent(at * 1_000 + after, from, to, payload)
        });
        std::iter::once(write(at * 1_000)).chain(packets)
    };
    let packets: Vec<Sent> = transfer(0).chain(transfer(5)).collect();
    let analysis = analysed(&packets);
    assert_eq!((analysis.transfers, analysis.wrong.len()), (2, 0), "{}", analysis.text);
}

#[test]
fn a_file_that_is_not_in_order_is_refused() {
    let capture = captured(&[write(500), to_client(100, ack(0))]);
    let error = analyse(&capture, &SERVER).expect_err("the second packet is earlier");
    assert_eq!(error.packet(), Some(2));
    assert!(error.to_string().contains("`reordercap`"), "{error}");
}

/// Any packet from any socket to any other.
fn anything() -> impl Strategy<Value = (u64, u16, u16, Vec<u8>)> {
    let port = || prop::sample::select(vec![CLIENT, SERVER_PORT, PEER, STRANGER]);
    let block = prop::sample::select(vec![0, 1, 2, 3, 40_000, u16::MAX]);
    let payload = (0..8_usize, block, 0..3_usize).prop_map(|(kind, block, bytes)| match kind {
        0 => read(0).payload,
        1 => write(0).payload,
        2 | 3 => data(block, bytes * 256),
        4 | 5 => ack(block),
        6 => error(1),
        _ => vec![0; bytes],
    });
    (prop::sample::select(vec![0, 10, 90_000, 1_000_000, 5_000_000]), port(), port(), payload)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// What is said names packets that are there.
    #[test]
    fn whatever_is_sent_something_is_said(packets in prop::collection::vec(anything(), 0..24)) {
        let mut at_us = 0;
        let packets: Vec<Sent> = packets
            .into_iter()
            .map(|(after_us, from, to, payload)| {
                at_us += after_us;
                sent(at_us, from, to, payload)
            })
            .collect();
        let analysis = analysed(&packets);
        let requests = packets.iter().filter(|sent| sent.to == SERVER_PORT && matches!(sent.payload[..], [0, 1 | 2, ..]));
        prop_assert!(analysis.transfers <= requests.count());
        for (transfer, _, packet) in analysis.wrong {
            prop_assert!(transfer <= analysis.transfers && (1..=packets.len()).contains(&packet));
        }
    }
}
