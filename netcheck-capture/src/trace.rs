//! Events of a capture, and what a monitor says about them.

use crate::error::Error;
use crate::packet::Packet;
use core::time::Duration;
use netcheck_models::monitor::{Monitor, Rejection, Trace};
use std::fmt;

/// Packets that are shown before and after a rejected one.
const PACKETS_AROUND: usize = 3;

/// Where an event stands in a file: a [`Packet`], or a frame of 802.11.
pub trait Place: Copy + fmt::Display {
    /// The number in the file, from 1.
    fn number(&self) -> usize;

    /// The instant, since the earliest packet of the file.
    fn at(&self) -> Duration;
}

impl Place for Packet {
    fn number(&self) -> usize {
        self.number
    }

    fn at(&self) -> Duration {
        self.at
    }
}

#[cfg(feature = "wifi")]
impl Place for crate::wireless::WirelessFrame {
    fn number(&self) -> usize {
        self.number
    }

    fn at(&self) -> Duration {
        self.at
    }
}

/// A trace of events, each with the packet that it comes from.
#[derive(Clone, Debug)]
pub struct CaptureTrace<E, P = Packet> {
    trace: Trace<E>,
    packets: Vec<P>,
}

impl<E: fmt::Debug, P: Place> CaptureTrace<E, P> {
    pub(crate) fn new(events: impl IntoIterator<Item = (P, E)>, end: Duration) -> Result<Self, Error> {
        let (packets, events): (Vec<P>, Vec<(Duration, E)>) =
            events.into_iter().map(|(packet, event)| (packet, (packet.at(), event))).unzip();
        let trace = Trace::new(events).map_err(|unordered| {
            let [before, packet] = [unordered.packet - 2, unordered.packet - 1].map(|index| packets[index]);
            let what = format!(
                "is {:?} earlier than packet {} before it: sort the file with `reordercap`",
                before.at() - packet.at(),
                before.number()
            );
            Error::packet_is(packet.number(), what)
        })?;
        let last = packets.last().map_or(Duration::ZERO, Place::at);
        let trace = trace.starting_at(Duration::ZERO).ending_at(end.max(last));
        Ok(CaptureTrace { trace, packets })
    }

    /// The events with their instants alone, which is what a [`Sniffer`](netcheck_models::monitor::Sniffer) validates.
    /// There, packets are numbered by themselves; [`CaptureTrace::packets`] says where each is in the file.
    #[must_use]
    pub fn trace(&self) -> &Trace<E> {
        &self.trace
    }

    /// The packet of each event.
    #[must_use]
    pub fn packets(&self) -> &[P] {
        &self.packets
    }

    /// Whether the monitor accepts the trace, and if not, at which packet of the file and why. The trace is taken for
    /// what the device itself saw.
    #[must_use]
    pub fn validate(&self, monitor: &Monitor<E>) -> CaptureValidation<P> {
        let validation = monitor.validate(&self.trace);
        let Some((at, rejection)) = validation.rejected_at().zip(validation.rejection().cloned()) else {
            return CaptureValidation { events: self.packets.len(), rejected: None };
        };
        let index = at - 1;
        let rejected = Rejected { packet: self.packets.get(index).copied(), rejection, around: self.around(index) };
        CaptureValidation { events: self.packets.len(), rejected: Some(rejected) }
    }

    /// The packets around an event, of which that one is marked.
    fn around(&self, index: usize) -> String {
        let events: Vec<&E> = self.trace.packets().map(|(_, event)| event).collect();
        let range = index.saturating_sub(PACKETS_AROUND)..events.len().min(index + PACKETS_AROUND + 1);
        let lines = range.map(|shown| {
            let mark = if shown == index { '>' } else { ' ' };
            format!("{mark} {}: {:?}\n", self.packets[shown], events[shown])
        });
        lines.collect()
    }
}

/// A monitor's verdict on a capture. It is shown as text: what was expected at which packet, and the packets around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureValidation<P = Packet> {
    events: usize,
    rejected: Option<Rejected<P>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rejected<P> {
    /// None at the end of the trace.
    packet: Option<P>,
    rejection: Rejection,
    around: String,
}

impl<P> CaptureValidation<P> {
    /// Whether the monitor accepts the trace.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.rejected.is_none()
    }

    /// The packet at which the monitor rejects; none if it accepts, or rejects the end.
    #[must_use]
    pub fn rejected_at(&self) -> Option<&P> {
        self.rejected.as_ref()?.packet.as_ref()
    }

    /// Why the monitor rejects.
    #[must_use]
    pub fn rejection(&self) -> Option<&Rejection> {
        self.rejected.as_ref().map(|rejected| &rejected.rejection)
    }
}

impl<P: fmt::Display> fmt::Display for CaptureValidation<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Rejected { packet, rejection, around }) = &self.rejected else {
            return writeln!(f, "all {} events are accepted", self.events);
        };
        match packet {
            Some(packet) => write!(f, "{packet}: ")?,
            None => write!(f, "at the end of the capture: ")?,
        }
        write!(f, "{rejection}\n\n{around}")
    }
}
