//! Packets that are read of good files, and reasons why others are refused.

use crate::files::{Frame, Order, block, enhanced_packet, ethernet, interface, pcap, pcapng, section, udp, udp6};
use netcheck::capture::Capture;
use std::time::Duration;

const ORDERS: [Order; 2] = [Order::Little, Order::Big];

/// 2024-01-01, and an instant after it.
const BEGAN: Duration = Duration::from_secs(1_704_067_200);

fn after(ns: u64) -> Duration {
    BEGAN + Duration::from_nanos(ns)
}

fn shown(file: &[u8]) -> Vec<String> {
    let capture = Capture::parse(file).unwrap_or_else(|error| panic!("{error}"));
    capture.datagrams().map(|datagram| format!("{}, {:?}", datagram.packet, datagram.payload)).collect()
}

#[track_caller]
fn refused(file: &[u8], packet: Option<usize>, text: &str) {
    let error = Capture::parse(file).expect_err("the file is wrong");
    assert_eq!((error.packet(), error.to_string().as_str()), (packet, text));
}

#[test]
fn pcap_is_read_in_both_orders_and_resolutions() {
    let frames: [Frame; 2] = [(after(0), udp(b"a")), (after(1_500_000_999), udp(&[]))];
    for order in ORDERS {
        let expected = |second: &str| {
            let at =
                |number, at, payload| format!("packet {number} at {at} s, 10.0.0.1:4000 -> 10.0.0.2:5000, {payload}");
            [at(1, "0.000000", "[97]"), at(2, second, "[]")]
        };
        assert_eq!(shown(&pcap(order, false, 101, &frames)), expected("1.500000"));
        assert_eq!(shown(&pcap(order, true, 101, &frames)), expected("1.500000999"));
        assert_eq!(shown(&pcapng(order, 101, &frames)), expected("1.500000999"));
        assert_eq!(Capture::parse(&pcapng(order, 101, &frames)).unwrap().began(), BEGAN);
        assert_eq!(
            Capture::parse(&pcap(order, true, 101, &frames)).unwrap().lasted(),
            Duration::from_nanos(1_500_000_999)
        );
    }
}

#[test]
fn a_file_without_packets_is_read() {
    assert_eq!(Capture::parse(&pcap(Order::Little, false, 1, &[])).unwrap().packets(), 0);
    assert_eq!(Capture::parse(&section(Order::Big)).unwrap().packets(), 0);
}

#[test]
fn each_link_type_is_read() {
    let cooked = [[0, 0, 3, 4, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0].as_slice(), &[8, 0], &udp(b"x")].concat();
    let cooked_2 = [[8, 0, 0, 0, 0, 0, 0, 1, 3, 4, 0, 6].as_slice(), &[0; 8], &udp(b"x")].concat();
    let tagged = ethernet(0x8100, &[[0, 7, 8, 0].as_slice(), &udp(b"x")].concat());
    let frames: [(u32, Vec<u8>); 9] = [
        (0, [[2, 0, 0, 0].as_slice(), &udp(b"x")].concat()),
        (0, [[0, 0, 0, 2].as_slice(), &udp(b"x")].concat()),
        (1, ethernet(0x0800, &udp(b"x"))),
        (1, tagged),
        (101, udp(b"x")),
        (108, [[0, 0, 0, 2].as_slice(), &udp(b"x")].concat()),
        (113, cooked),
        (228, udp(b"x")),
        (276, cooked_2),
    ];
    for (link_type, frame) in frames {
        let expected = ["packet 1 at 0.000000 s, 10.0.0.1:4000 -> 10.0.0.2:5000, [120]"];
        assert_eq!(shown(&pcap(Order::Little, false, link_type, &[(BEGAN, frame)])), expected, "{link_type}");
    }
}

#[test]
fn ipv6_is_read() {
    let expected = ["packet 1 at 0.000000 s, [fd00::1]:4000 -> [fd00::2]:5000, [120]"];
    assert_eq!(shown(&pcap(Order::Little, false, 1, &[(BEGAN, ethernet(0x86dd, &udp6(b"x")))])), expected);
    assert_eq!(shown(&pcap(Order::Little, false, 229, &[(BEGAN, udp6(b"x"))])), expected);
    let loopback = [[0x1e, 0, 0, 0].as_slice(), &udp6(b"x")].concat();
    assert_eq!(shown(&pcap(Order::Little, false, 0, &[(BEGAN, loopback)])), expected);
}

#[test]
fn other_protocols_are_counted_and_passed_over() {
    let arp = [0, 1, 8, 0, 6, 4, 0, 1, 2, 2, 2, 2, 2, 2, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2];
    let frames = [
        (after(0), ethernet(0x0806, &arp)),
        (after(5_000), ethernet(0x88cc, &[1, 2, 3])),
        (after(9_000), ethernet(0x0800, &udp(b"x"))),
    ];
    let file = pcapng(Order::Little, 1, &frames);
    assert_eq!(shown(&file), ["packet 3 at 0.000009 s, 10.0.0.1:4000 -> 10.0.0.2:5000, [120]"]);
    assert_eq!(Capture::parse(&file).unwrap().packets(), 3);
}

#[test]
fn sections_and_interfaces_have_their_own_order_link_type_and_time() {
    let (little, big) = (Order::Little, Order::Big);
    let file = [
        section(little),
        interface(little, 101, 6, 0),
        interface(little, 1, 0x80 | 10, 1_704_067_000),
        block(little, 5, &[0; 12]),
        enhanced_packet(little, 0, 1_704_067_200_000_000, &udp(b"a")),
        enhanced_packet(little, 1, 200 * 1024 + 512, &ethernet(0x0800, &udp(b"b"))),
        section(big),
        block(big, 0x0bad, &[0; 8]),
        interface(big, 228, 3, 1_704_067_200),
        enhanced_packet(big, 0, 750, &udp(b"c")),
    ];
    let at = |number, at, payload| format!("packet {number} at {at} s, 10.0.0.1:4000 -> 10.0.0.2:5000, [{payload}]");
    assert_eq!(shown(&file.concat()), [at(1, "0.000000", 97), at(2, "0.500000", 98), at(3, "0.750000", 99)]);
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    let frames: Vec<Frame> = (0..3).map(|at| (after(at), ethernet(0x0800, &udp(b"abc")))).collect();
    for order in ORDERS {
        let file = pcap(order, false, 1, &frames);
        for end in (24..file.len()).filter(|end| (end - 24) % (16 + 60) != 0) {
            let packet = (end - 24) / (16 + 60) + 1;
            let text = "the file ends within it: the file is truncated, or the packet's length is corrupt";
            refused(&file[..end], Some(packet), &format!("packet {packet}: {text}"));
        }
        let (file, packet_bytes) = (pcapng(order, 1, &frames), 32 + 60);
        let packets_begin = file.len() - 3 * packet_bytes;
        for end in (packets_begin + 1..file.len()).filter(|end| !(end - packets_begin).is_multiple_of(packet_bytes)) {
            let packet = (end - packets_begin) / packet_bytes + 1;
            let text =
                "the file ends within it or the block in its place: the file is truncated, or a length is corrupt";
            refused(&file[..end], Some(packet), &format!("packet {packet}: {text}"));
        }
    }
    refused(&pcap(Order::Little, false, 1, &[])[..23], None, "the file ends within its header");
    refused(&[], None, "is neither a pcap nor a pcapng file");
}

#[test]
fn a_packet_of_which_only_the_beginning_was_captured_is_refused() {
    let mut file = pcap(Order::Little, false, 101, &[(BEGAN, udp(b"a")), (BEGAN, udp(b"bc"))]);
    let original = file.len() - udp(b"bc").len() - 4;
    file[original..][..4].copy_from_slice(&99_u32.to_le_bytes());
    let text = "packet 2: only 30 of its 99 bytes were captured: capture whole packets (`tcpdump --snapshot-length=0`)";
    refused(&file, Some(2), text);
    file[original..][..4].copy_from_slice(&9_u32.to_le_bytes());
    refused(&file, Some(2), "packet 2: 30 bytes were captured of 9: the record is corrupt");
}

#[test]
fn fragments_are_refused() {
    let mut first = udp(&[7; 32]);
    first[6] = 0x20; // more fragments
    let frames = [(BEGAN, udp(b"a")), (BEGAN, first)];
    let text = "packet 2: is a fragment, and fragments are not put together here";
    refused(&pcap(Order::Little, false, 101, &frames), Some(2), text);
}

#[test]
fn what_pcapng_has_besides_is_refused_by_name() {
    let order = Order::Big;
    let begin = [section(order), interface(order, 101, 6, 0), enhanced_packet(order, 0, 1, &udp(b"a"))].concat();
    let with = |block: Vec<u8>| [begin.clone(), block].concat();
    let simple = block(order, 3, &[order.u32(29).as_slice(), &udp(b"a")].concat());
    refused(&with(simple), Some(2), "packet 2: has no instant (a simple packet block)");
    let obsolete = block(order, 2, &[0; 20]);
    refused(&with(obsolete), Some(2), "packet 2: is in an obsolete packet block: convert the file with `editcap`");
    let unknown = enhanced_packet(order, 1, 1, &udp(b"a"));
    refused(&with(unknown), Some(2), "packet 2: is of interface 1, which its section does not describe");
    let before_1970 = [interface(order, 101, 6, -1), enhanced_packet(order, 1, 1, &udp(b"a"))].concat();
    refused(&with(before_1970), Some(2), "packet 2: its instant is corrupt");
    let resolution = interface(order, 101, 0x7f, 0);
    refused(&with(resolution), Some(2), "packet 2: the resolution of its interface's instants is corrupt (0x7f)");
    let radio = [interface(order, 147, 6, 0), enhanced_packet(order, 1, 1, &udp(b"a"))].concat();
    refused(&with(radio), Some(2), "packet 2: its link type 147 is not known here");
    let mut lengths = enhanced_packet(order, 0, 1, &udp(b"a"));
    lengths.pop();
    lengths.push(0);
    refused(&with(lengths), Some(2), "packet 2: the two lengths of its block differ: the block is corrupt");
}

#[test]
fn a_corrupt_packet_is_refused_by_its_number() {
    let mut corrupt = udp(b"abc");
    corrupt[24..26].copy_from_slice(&[0, 40]); // the length of the datagram
    let file = pcap(Order::Little, false, 101, &[(BEGAN, udp(b"a")), (BEGAN, corrupt)]);
    let error = Capture::parse(&file).expect_err("the datagram would be longer than its packet");
    assert_eq!(error.packet(), Some(2));
    assert!(error.to_string().starts_with("packet 2: is corrupt: "), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Capture::read("no/such.pcap").expect_err("there is none");
    assert!(error.to_string().starts_with("no/such.pcap: cannot be read: "), "{error}");
}
