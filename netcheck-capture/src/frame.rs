//! From a frame to what it carries over UDP or TCP.

use etherparse::err::packet::SliceError;
use etherparse::{EtherType, NetSlice, SlicedPacket, TransportSlice, ip_number};
use std::net::{IpAddr, SocketAddr};

/// A frame's payload, from one socket to another.
pub(crate) struct Carried<'a> {
    pub from: SocketAddr,
    pub to: SocketAddr,
    pub transport: Transport<'a>,
}

/// A payload with what is needed of the header before it.
pub(crate) enum Transport<'a> {
    Udp(&'a [u8]),
    Tcp(Header, &'a [u8]),
}

/// The fields of a TCP header that matter here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub sequence: u32,
    pub acknowledged: Option<u32>,
    pub syn: bool,
    pub fin: bool,
    pub rst: bool,
}

/// A frame's payload of UDP or TCP, if it has one; or why it cannot be said.
pub(crate) fn decode(link_type: u32, frame: &[u8]) -> Result<Option<Carried<'_>>, String> {
    let sliced = match link_type {
        // BSD loopback: the address family in the byte order of the machine that captured, or in that of the network.
        0 | 108 => {
            let (family, packet) = frame.split_first_chunk().ok_or("it ends within its loopback header")?;
            match u32::from_le_bytes(*family).min(u32::from_be_bytes(*family)) {
                // AF_INET; AF_INET6 of Linux, Windows, NetBSD and OpenBSD, FreeBSD, macOS
                2 | 10 | 23 | 24 | 28 | 30 => SlicedPacket::from_ip(packet),
                _ => return Ok(None),
            }
        }
        1 => SlicedPacket::from_ethernet(frame),
        // Raw IP; the numbers below 100 stand in files of systems where they mean this.
        12 | 14 | 101 | 228 | 229 => SlicedPacket::from_ip(frame),
        // Linux cooked captures of version 1 and 2, with the EtherType at 14 or 0.
        113 => after_header::<16>(frame, |header| [header[14], header[15]])?,
        276 => after_header::<20>(frame, |header| [header[0], header[1]])?,
        105 | 127 => return Err("is a frame of 802.11: they are read with the feature `wifi`".to_owned()),
        _ => return Err(format!("its link type {link_type} is not known here")),
    };
    carried(&sliced.map_err(|error| format!("is corrupt: {error}"))?)
}

type Sliced<'a> = Result<SlicedPacket<'a>, SliceError>;

/// The packet after a header of so many bytes, with the EtherType that the header says.
fn after_header<const BYTES: usize>(frame: &[u8], ether_type: fn(&[u8; BYTES]) -> [u8; 2]) -> Result<Sliced<'_>, &str> {
    let (header, packet) = frame.split_first_chunk().ok_or("it ends within its Linux cooked header")?;
    Ok(SlicedPacket::from_ether_type(EtherType(u16::from_be_bytes(ether_type(header))), packet))
}

fn carried<'a>(sliced: &SlicedPacket<'a>) -> Result<Option<Carried<'a>>, String> {
    let (source, destination): (IpAddr, IpAddr) = match &sliced.net {
        Some(NetSlice::Ipv4(ip)) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        Some(NetSlice::Ipv6(ip)) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        Some(NetSlice::Arp(_)) | None => return Ok(None),
    };
    let payload = sliced.net.as_ref().and_then(NetSlice::ip_payload_ref);
    if let Some(payload) = payload.filter(|payload| payload.fragmented)
        && [ip_number::UDP, ip_number::TCP].contains(&payload.ip_number)
    {
        return Err("is a fragment, and fragments are not put together here".to_owned());
    }
    let (ports, transport) = match &sliced.transport {
        Some(TransportSlice::Udp(udp)) => ((udp.source_port(), udp.destination_port()), Transport::Udp(udp.payload())),
        Some(TransportSlice::Tcp(tcp)) => {
            let header = Header {
                sequence: tcp.sequence_number(),
                acknowledged: tcp.ack().then(|| tcp.acknowledgment_number()),
                syn: tcp.syn(),
                fin: tcp.fin(),
                rst: tcp.rst(),
            };
            ((tcp.source_port(), tcp.destination_port()), Transport::Tcp(header, tcp.payload()))
        }
        _ => return Ok(None),
    };
    let (from, to) = (SocketAddr::new(source, ports.0), SocketAddr::new(destination, ports.1));
    Ok(Some(Carried { from, to, transport }))
}
