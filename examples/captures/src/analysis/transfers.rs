//! The transfers of a capture: a request to the port of servers, and what client and server send each other after it.

use super::program::packet::{BLOCK_BYTES, Packet, Request};
use netcheck_capture::{Capture, Packet as Place};
use std::fmt;
use std::net::SocketAddr;

/// A side of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Client,
    Server,
}

/// Which way the file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the server to the client.
    Read,
    /// From the client to the server.
    Write,
}

/// A packet of a transfer.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Where it stands in the file.
    pub place: Place,
    pub by: Side,
    pub what: Packet,
    /// The number of a block or of an Ack, which goes on after 65,535.
    pub block: i64,
}

/// A transfer.
#[derive(Debug)]
pub struct Transfer {
    pub client: SocketAddr,
    /// Where the request was sent to.
    pub server: SocketAddr,
    /// The address that the server has chosen for this transfer; `None`: it has not answered.
    pub peer: Option<SocketAddr>,
    pub way: Way,
    pub request: Request,
    pub packets: Vec<Sent>,
    /// The highest number of a block so far.
    highest: i64,
    /// The numbers of packets between the same hosts that are of no transfer, or of another answer to the request.
    pub strangers: Vec<usize>,
    /// The numbers of packets that are none of TFTP.
    pub malformed: Vec<usize>,
}

/// All transfers whose requests are sent to a port, in the order of their requests.
pub fn transfers(capture: &Capture, port: u16) -> Vec<Transfer> {
    let mut transfers: Vec<Transfer> = Vec::new();
    for datagram in capture.datagrams() {
        let (place, packet) = (datagram.packet, Packet::parse(datagram.payload).ok());
        let known = transfers.iter_mut().rev().find(|transfer| transfer.is_between(&place));
        let (way, request) = match &packet {
            Some(Packet::Read(request)) if place.to.port() == port => (Way::Read, request),
            Some(Packet::Write(request)) if place.to.port() == port => (Way::Write, request),
            _ => {
                if let Some(transfer) = known {
                    transfer.take(place, packet);
                }
                continue;
            }
        };
        match known {
            Some(transfer) if transfer.is_asked_again(&place, way, request) => {
                transfer.push(place, Side::Client, packet.expect("it is a request"));
            }
            _ => transfers.push(Transfer::begins(place, way, request.clone())),
        }
    }
    transfers
}

impl Transfer {
    fn begins(place: Place, way: Way, request: Request) -> Transfer {
        let what = match way {
            Way::Read => Packet::Read(request.clone()),
            Way::Write => Packet::Write(request.clone()),
        };
        Transfer {
            client: place.from,
            server: place.to,
            peer: None,
            way,
            request,
            packets: vec![Sent { place, by: Side::Client, what, block: 0 }],
            highest: 0,
            strangers: Vec::new(),
            malformed: Vec::new(),
        }
    }

    /// Whether a packet is sent between the client's socket and the server's host.
    fn is_between(&self, place: &Place) -> bool {
        let (client, host) = (self.client, self.server.ip());
        (place.from == client && place.to.ip() == host) || (place.to == client && place.from.ip() == host)
    }

    fn is_asked_again(&self, place: &Place, way: Way, request: &Request) -> bool {
        !self.is_over() && (self.server, self.way, &self.request) == (place.to, way, request)
    }

    /// Whether the file is there, or one side has given up.
    fn is_over(&self) -> bool {
        let last = self.last_sent();
        self.packets.iter().any(|sent| match sent.what {
            Packet::Ack { .. } => Some(sent.block) == last,
            Packet::Error { .. } => true,
            _ => false,
        })
    }

    fn take(&mut self, place: Place, packet: Option<Packet>) {
        let by = if place.from == self.client { Side::Client } else { Side::Server };
        let other = if by == Side::Client { place.to } else { place.from };
        let Some(packet) = packet else { return self.malformed.push(place.number) };
        if self.peer.is_none() && by == Side::Server {
            self.peer = Some(other);
        }
        match self.peer == Some(other) {
            true => self.push(place, by, packet),
            false => self.strangers.push(place.number),
        }
    }

    fn push(&mut self, place: Place, by: Side, what: Packet) {
        let highest = self.highest;
        let block = match what {
            // The number that is nearest to the highest one so far.
            Packet::Data { block, .. } | Packet::Ack { block } => {
                highest + i64::from(block.wrapping_sub(highest as u16).cast_signed())
            }
            _ => 0,
        };
        self.highest = highest.max(block);
        self.packets.push(Sent { place, by, what, block });
    }

    /// Bytes of a block, as agreed on.
    pub fn block_bytes(&self) -> usize {
        let agreed = self.packets.iter().rev().find_map(|sent| match &sent.what {
            Packet::OptionAck(options) => options.block_bytes,
            _ => None,
        });
        agreed.map_or(BLOCK_BYTES, usize::from)
    }

    /// The number of the last block, which is shorter than the others, if it was sent.
    pub fn last_sent(&self) -> Option<i64> {
        let block_bytes = self.block_bytes();
        self.packets.iter().find_map(|sent| match &sent.what {
            Packet::Data { bytes, .. } if bytes.len() < block_bytes => Some(sent.block),
            _ => None,
        })
    }

    /// The number of the last block; where it was not sent, of one after all that were.
    pub fn last(&self) -> i64 {
        self.last_sent().unwrap_or(self.highest + 1).max(1)
    }

    /// The side that sends the file.
    pub fn sender(&self) -> Side {
        match self.way {
            Way::Read => Side::Server,
            Way::Write => Side::Client,
        }
    }

    /// Its end, in words.
    pub fn end(&self) -> String {
        let error = self.packets.iter().find_map(|sent| match &sent.what {
            Packet::Error { code, message } => Some(format!("the {} gives up: {message} ({code})", sent.by)),
            _ => None,
        });
        match error {
            Some(error) => error,
            None if self.peer.is_none() => "the server does not answer".to_owned(),
            None if self.is_over() => "the file is there as a whole".to_owned(),
            None => "it does not come to its end".to_owned(),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Client => "client",
            Side::Server => "server",
        })
    }
}
