//! Packets as the user sees them.

use core::time::Duration;
use std::fmt;
use std::net::SocketAddr;

/// Where a packet stands in a file, and between which sockets it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its number in the file, from 1. All packets are counted, also those that carry neither UDP nor TCP.
    pub number: usize,
    /// When it was captured, since the earliest packet of the file.
    pub at: Duration,
    /// The socket that sent it.
    pub from: SocketAddr,
    /// The socket that it was sent to.
    pub to: SocketAddr,
}

/// `packet 7 at 0.123456 s, 127.0.0.1:4000 -> 127.0.0.1:5000`; nanoseconds are shown where there are any.
impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "packet {} at {}.{:06}", self.number, self.at.as_secs(), self.at.subsec_micros())?;
        match self.at.subsec_nanos() % 1_000 {
            0 => {}
            ns => write!(f, "{ns:03}")?,
        }
        write!(f, " s, {} -> {}", self.from, self.to)
    }
}

/// A datagram of UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Where, when, from and to where.
    pub packet: Packet,
    /// Its payload.
    pub payload: &'a [u8],
}

/// Bytes that have come in one direction of a TCP connection and were not decoded yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread<'a> {
    /// The packet with which the last of these bytes came in order, from and to where.
    pub packet: Packet,
    /// The bytes, in the order of the stream.
    pub bytes: &'a [u8],
    /// Whether no more bytes will come.
    pub is_finished: bool,
}

/// An event of a TCP connection. It lies between [`Packet::from`] and [`Packet::to`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// The connection is there. The packet is the listener's answer.
    Opened,
    /// One side sends nothing more, the one that sends the packet; all that it has sent came before.
    Finished,
    /// One side has broken the connection off, or refuses it: the one that sends the packet.
    Reset,
}
