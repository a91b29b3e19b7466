//! A file, read.

use crate::error::Error;
use crate::frame::{Transport, decode};
use crate::packet::{Datagram, Packet};
use crate::record::Record;
use crate::trace::CaptureTrace;
use crate::{pcap, pcapng};
use core::ops::Range;
use core::time::Duration;
use std::fmt;
use std::fs;
use std::path::Path;

/// What a capture file has of UDP.
///
/// Known are pcap and pcapng, in either byte order and each resolution of time; Ethernet (with VLAN tags), Linux cooked
/// captures, loopback and raw IP; IPv4 and IPv6. Other protocols are passed over. Refused are files that end within a
/// packet, packets of which only the beginning was captured, and fragments of IP. Checksums are not looked at: where a
/// network card computes them, captures have none that are right.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Of the earliest packet, since 1970.
    began: Duration,
    /// Between the earliest and the latest packet.
    lasted: Duration,
    packets: usize,
    udp: Vec<(Packet, Range<usize>)>,
    /// The payloads, one after the other.
    payloads: Vec<u8>,
}

impl Capture {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not a capture, is truncated or corrupt, or has what is not known here.
    pub fn read(path: impl AsRef<Path>) -> Result<Capture, Error> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| Error::io(path, error))?;
        Capture::parse(&bytes).map_err(|error| error.in_file(path))
    }

    /// Reads what would be in a file.
    ///
    /// # Errors
    ///
    /// As [`Capture::read`].
    pub fn parse(file: &[u8]) -> Result<Capture, Error> {
        let mut reading = Reading::default();
        let mut take = |record: Record<'_>| reading.take(&record);
        if pcap::is_pcap(file) {
            pcap::records(file, &mut take)?;
        } else if pcapng::is_pcapng(file) {
            pcapng::records(file, &mut take)?;
        } else {
            return Err(Error::file("is neither a pcap nor a pcapng file"));
        }
        Ok(reading.finish())
    }

    /// The instant of the earliest packet, since 1970. Instants of packets count from it.
    #[must_use]
    pub fn began(&self) -> Duration {
        self.began
    }

    /// The time between the earliest and the latest packet.
    #[must_use]
    pub fn lasted(&self) -> Duration {
        self.lasted
    }

    /// How many packets the file has, of whatever protocol.
    #[must_use]
    pub fn packets(&self) -> usize {
        self.packets
    }

    /// What was sent by UDP, in the order of the file.
    pub fn datagrams(&self) -> impl Iterator<Item = Datagram<'_>> {
        self.udp.iter().map(|(packet, payload)| Datagram { packet: *packet, payload: &self.payloads[payload.clone()] })
    }

    /// The events that datagrams are, by a function that gives none for those that no monitor has to see.
    ///
    /// The trace begins with the file's earliest packet and ends with its latest one, whether they are events or not:
    /// for so long nothing else was sent.
    ///
    /// # Errors
    ///
    /// If the file has one of these datagrams after one that is later. `reordercap` of Wireshark sorts a file.
    pub fn trace<E: fmt::Debug>(
        &self,
        mut event: impl FnMut(&Datagram<'_>) -> Option<E>,
    ) -> Result<CaptureTrace<E>, Error> {
        let events = self.datagrams().filter_map(|datagram| Some((datagram.packet, event(&datagram)?)));
        CaptureTrace::new(events, self.lasted)
    }
}

/// What has been read of a file; instants still count from 1970.
#[derive(Default)]
struct Reading {
    first_ns: Option<u64>,
    last_ns: u64,
    packets: usize,
    udp: Vec<(Packet, Range<usize>)>,
    payloads: Vec<u8>,
}

impl Reading {
    fn take(&mut self, record: &Record<'_>) -> Result<(), Error> {
        self.first_ns = Some(self.first_ns.unwrap_or(record.at_ns).min(record.at_ns));
        self.last_ns = self.last_ns.max(record.at_ns);
        self.packets = record.number;
        let carried = decode(record.link_type, record.frame).map_err(|what| Error::packet_is(record.number, what))?;
        if let Some(carried) = carried {
            let at = Duration::from_nanos(record.at_ns);
            let packet = Packet { number: record.number, at, from: carried.from, to: carried.to };
            match carried.transport {
                Transport::Udp(payload) => {
                    let payload = self.keep(payload);
                    self.udp.push((packet, payload));
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, payload: &[u8]) -> Range<usize> {
        let start = self.payloads.len();
        self.payloads.extend_from_slice(payload);
        start..self.payloads.len()
    }

    fn finish(mut self) -> Capture {
        let first_ns = self.first_ns.unwrap_or(0);
        let began = Duration::from_nanos(first_ns);
        for (packet, _) in &mut self.udp {
            packet.at -= began;
        }
        let lasted = Duration::from_nanos(self.last_ns.max(first_ns) - first_ns);
        Capture { began, lasted, packets: self.packets, udp: self.udp, payloads: self.payloads }
    }
}
