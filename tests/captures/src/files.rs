//! Writes capture files by the letter of their formats, with code of its own.

use etherparse::PacketBuilder;
use std::time::Duration;

/// The order of bytes in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

impl Order {
    pub(crate) fn u16(self, number: u16) -> [u8; 2] {
        if self == Order::Little { number.to_le_bytes() } else { number.to_be_bytes() }
    }

    pub(crate) fn u32(self, number: u32) -> [u8; 4] {
        if self == Order::Little { number.to_le_bytes() } else { number.to_be_bytes() }
    }

    fn u64(self, number: u64) -> [u8; 8] {
        if self == Order::Little { number.to_le_bytes() } else { number.to_be_bytes() }
    }
}

/// A frame and its instant.
pub(crate) type Frame = (Duration, Vec<u8>);

fn bytes(length: usize) -> u32 {
    u32::try_from(length).expect("frames are small")
}

/// <https://www.ietf.org/archive/id/draft-gharris-opsawg-pcap-01.html>
pub(crate) fn pcap(order: Order, nanoseconds: bool, link_type: u32, frames: &[Frame]) -> Vec<u8> {
    let magic = if nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
    let mut file = [order.u32(magic).as_slice(), &order.u16(2), &order.u16(4), &[0; 8], &order.u32(262_144)].concat();
    file.extend(order.u32(link_type));
    for (at, frame) in frames {
        let fraction = if nanoseconds { at.subsec_nanos() } else { at.subsec_micros() };
        let length = bytes(frame.len());
        let seconds = u32::try_from(at.as_secs()).expect("before 2106");
        file.extend([seconds, fraction, length, length].into_iter().flat_map(|number| order.u32(number)));
        file.extend(frame);
    }
    file
}

/// A block of <https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html>, contents padded.
pub(crate) fn block(order: Order, kind: u32, contents: &[u8]) -> Vec<u8> {
    let padded = contents.len().next_multiple_of(4);
    let length = order.u32(bytes(padded + 12));
    [order.u32(kind).as_slice(), &length, contents, &vec![0; padded - contents.len()], &length].concat()
}

pub(crate) fn section(order: Order) -> Vec<u8> {
    let contents = [order.u32(0x1a2b_3c4d).as_slice(), &order.u16(1), &order.u16(0), &u64::MAX.to_le_bytes()].concat();
    block(order, 0x0a0d_0d0a, &contents)
}

/// With the options `if_tsresol` and `if_tsoffset`.
pub(crate) fn interface(order: Order, link_type: u16, resolution: u8, offset_seconds: i64) -> Vec<u8> {
    let contents = [
        order.u16(link_type).as_slice(),
        &[0; 6],
        &order.u16(9),
        &order.u16(1),
        &[resolution, 0, 0, 0],
        &order.u16(14),
        &order.u16(8),
        &order.u64(offset_seconds.cast_unsigned()),
        &[0; 4],
    ]
    .concat();
    block(order, 1, &contents)
}

pub(crate) fn enhanced_packet(order: Order, interface: u32, units: u64, frame: &[u8]) -> Vec<u8> {
    let [high, low] = [units >> 32, units & 0xffff_ffff].map(|half| u32::try_from(half).expect("a half"));
    let length = bytes(frame.len());
    let header: Vec<u8> =
        [interface, high, low, length, length].into_iter().flat_map(|number| order.u32(number)).collect();
    block(order, 6, &[header.as_slice(), frame].concat())
}

/// One section with one interface, whose instants are in nanoseconds.
pub(crate) fn pcapng(order: Order, link_type: u16, frames: &[Frame]) -> Vec<u8> {
    let mut file = [section(order), interface(order, link_type, 9, 0)].concat();
    for (at, frame) in frames {
        file.extend(enhanced_packet(order, 0, u64::try_from(at.as_nanos()).expect("before 2554"), frame));
    }
    file
}

/// An IPv4 packet with a datagram from 10.0.0.1:4000 to 10.0.0.2:5000.
pub(crate) fn udp(payload: &[u8]) -> Vec<u8> {
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(4000, 5000);
    let mut packet = Vec::new();
    builder.write(&mut packet, payload).expect("a vector takes all");
    packet
}

/// An IPv6 packet with a datagram from `[fd00::1]:4000` to `[fd00::2]:5000`.
pub(crate) fn udp6(payload: &[u8]) -> Vec<u8> {
    let [from, to] = [1, 2].map(|host| [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host]);
    let mut packet = Vec::new();
    PacketBuilder::ipv6(from, to, 64).udp(4000, 5000).write(&mut packet, payload).expect("a vector takes all");
    packet
}

/// An Ethernet frame, padded to the 60 bytes that one has at least.
pub(crate) fn ethernet(ether_type: u16, packet: &[u8]) -> Vec<u8> {
    let mut frame = [[2; 12].as_slice(), &ether_type.to_be_bytes(), packet].concat();
    frame.resize(frame.len().max(60), 0xee);
    frame
}

/// A TCP segment of a connection from 10.0.0.1:4000 to 10.0.0.2:5000.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) by_client: bool,
    pub(crate) sequence: u32,
    pub(crate) acknowledged: Option<u32>,
    /// `S`, `F`, `R`, as tcpdump shows them.
    pub(crate) flags: &'static str,
    pub(crate) payload: Vec<u8>,
}

/// An IPv4 packet with it.
pub(crate) fn tcp(segment: &Segment) -> Vec<u8> {
    let [client, server] = [([10, 0, 0, 1], 4000), ([10, 0, 0, 2], 5000)];
    let (from, to) = if segment.by_client { (client, server) } else { (server, client) };
    let mut builder = PacketBuilder::ipv4(from.0, to.0, 64).tcp(from.1, to.1, segment.sequence, 1_000);
    if let Some(acknowledged) = segment.acknowledged {
        builder = builder.ack(acknowledged);
    }
    for flag in segment.flags.chars() {
        builder = match flag {
            'S' => builder.syn(),
            'F' => builder.fin(),
            'R' => builder.rst(),
            _ => panic!("{flag} is no flag"),
        };
    }
    let mut packet = Vec::new();
    builder.write(&mut packet, &segment.payload).expect("a vector takes all");
    packet
}
