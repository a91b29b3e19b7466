//! A file, read.

use crate::decoder::Decoder;
use crate::error::Error;
use crate::frame::{Header, Transport, decode};
use crate::packet::{Datagram, Packet};
use crate::record::Record;
use crate::trace::CaptureTrace;
#[cfg(feature = "wifi")]
use crate::wireless::{self, WirelessFrame};
use crate::{pcap, pcapng};
use core::ops::Range;
use core::time::Duration;
use std::fmt;
use std::fs;
use std::path::Path;

/// The UDP and TCP of a capture file.
///
/// Known are pcap and pcapng, in either byte order and each resolution of time; Ethernet (with VLAN tags), Linux cooked
/// captures, loopback and raw IP; IPv4 and IPv6; with the feature `wifi` frames of 802.11, with and without radiotap
/// headers, of which what they carry is not looked at. Other protocols are passed over. Refused are files that end within a
/// packet, packets of which only the beginning was captured, and fragments of IP. Checksums are not looked at: where a
/// network card computes them, captures have none that are right.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The instant of the earliest packet, since 1970.
    began: Duration,
    /// Between the earliest and the latest packet.
    lasted: Duration,
    packets: usize,
    carried: Vec<Carried>,
    #[cfg(feature = "wifi")]
    frames: Vec<WirelessFrame>,
    /// The payloads, one after the other.
    payloads: Vec<u8>,
}

/// A packet's payload.
#[derive(Clone, Debug)]
struct Carried {
    packet: Packet,
    /// None of a datagram.
    tcp: Option<Header>,
    payload: Range<usize>,
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

    /// The datagrams of UDP, in the order of the file.
    pub fn datagrams(&self) -> impl Iterator<Item = Datagram<'_>> {
        let carried = self.carried().filter(|(_, tcp, _)| tcp.is_none());
        carried.map(|(packet, _, payload)| Datagram { packet, payload })
    }

    /// Payloads that were sent by UDP, and by TCP with a header.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (Packet, Option<Header>, &[u8])> {
        self.carried.iter().map(|carried| (carried.packet, carried.tcp, &self.payloads[carried.payload.clone()]))
    }

    /// The events that datagrams are, by a function that gives none for those that no monitor has to see.
    ///
    /// # Errors
    ///
    /// As [`Decoder::trace`].
    pub fn trace<'c, E: fmt::Debug>(
        &'c self,
        event: impl FnMut(&Datagram<'_>) -> Option<E> + 'c,
    ) -> Result<CaptureTrace<E>, Error> {
        self.decoder().datagrams(event).trace()
    }

    /// The frames of 802.11, in the order of the file.
    #[cfg(feature = "wifi")]
    #[must_use]
    pub fn frames(&self) -> &[WirelessFrame] {
        &self.frames
    }

    /// The events that frames of 802.11 are, each with its instant, which may be another one than that of the frame: a
    /// capture may have the start of frames that were sent there, and the end of those that were received. The function
    /// gives none for frames that no monitor has to see.
    ///
    /// The trace begins with the file's earliest packet, and ends with its latest one or the last event.
    ///
    /// # Errors
    ///
    /// If an event's instant lies before the one of the event before it.
    #[cfg(feature = "wifi")]
    pub fn trace_of_frames<E: fmt::Debug>(
        &self,
        event: impl Fn(&WirelessFrame) -> Option<(Duration, E)>,
    ) -> Result<CaptureTrace<E, WirelessFrame>, Error> {
        let events = self.frames.iter().filter_map(|frame| {
            let (at, event) = event(frame)?;
            Some((WirelessFrame { at, ..*frame }, event))
        });
        CaptureTrace::new(events, self.lasted)
    }

    /// Says how events are made, also of TCP.
    #[must_use]
    pub fn decoder<E: fmt::Debug>(&self) -> Decoder<'_, E> {
        Decoder::new(self.carried(), self.lasted)
    }
}

/// The part of a file that has been read; instants still count from 1970.
#[derive(Default)]
struct Reading {
    first_ns: Option<u64>,
    last_ns: u64,
    packets: usize,
    carried: Vec<Carried>,
    #[cfg(feature = "wifi")]
    frames: Vec<WirelessFrame>,
    payloads: Vec<u8>,
}

impl Reading {
    fn take(&mut self, record: &Record<'_>) -> Result<(), Error> {
        self.first_ns = Some(self.first_ns.unwrap_or(record.at_ns).min(record.at_ns));
        self.last_ns = self.last_ns.max(record.at_ns);
        self.packets = record.number;
        #[cfg(feature = "wifi")]
        if [wireless::ALONE, wireless::BEHIND_RADIOTAP].contains(&record.link_type) {
            let frame = wireless::decode(record.link_type, record.number, record.frame);
            let frame = frame.map_err(|what| Error::packet_is(record.number, what))?;
            self.frames.push(WirelessFrame { at: Duration::from_nanos(record.at_ns), ..frame });
            return Ok(());
        }
        let carried = decode(record.link_type, record.frame).map_err(|what| Error::packet_is(record.number, what))?;
        if let Some(carried) = carried {
            let at = Duration::from_nanos(record.at_ns);
            let packet = Packet { number: record.number, at, from: carried.from, to: carried.to };
            let (tcp, payload) = match carried.transport {
                Transport::Udp(payload) => (None, payload),
                Transport::Tcp(header, payload) => (Some(header), payload),
            };
            let payload = self.keep(payload);
            self.carried.push(Carried { packet, tcp, payload });
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
        for carried in &mut self.carried {
            carried.packet.at -= began;
        }
        #[cfg(feature = "wifi")]
        for frame in &mut self.frames {
            frame.at -= began;
        }
        let lasted = Duration::from_nanos(self.last_ns.max(first_ns) - first_ns);
        Capture {
            began,
            lasted,
            packets: self.packets,
            carried: self.carried,
            #[cfg(feature = "wifi")]
            frames: self.frames,
            payloads: self.payloads,
        }
    }
}
