//! Traces of one observer.

use super::automaton::Monitor;
use super::guard::nanoseconds;
use super::rejection::Rejection;
use super::run::Run;
use core::time::Duration;
use std::fmt;

/// Events with their instants, in the order in which one observer saw them. Packets are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<E> {
    pub(super) packets: Vec<(u64, E)>,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
}

/// A packet's instant lies before that of the packet before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unordered {
    /// The packet's number, from 1.
    pub packet: usize,
}

impl fmt::Display for Unordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "packet {} is earlier than the packet before it: sort the trace by instants", self.packet)
    }
}

impl std::error::Error for Unordered {}

impl<E> Trace<E> {
    /// A trace of events with their instants, counted from any origin. It starts with its first packet and ends with
    /// its last one; see [`Trace::starting_at`] and [`Trace::ending_at`].
    ///
    /// # Errors
    ///
    /// If an instant lies before the one of the event before.
    pub fn new(packets: impl IntoIterator<Item = (Duration, E)>) -> Result<Self, Unordered> {
        let packets: Vec<(u64, E)> = packets.into_iter().map(|(at, event)| (nanoseconds(at), event)).collect();
        if let Some(index) = packets.windows(2).position(|pair| pair[0].0 > pair[1].0) {
            return Err(Unordered { packet: index + 2 });
        }
        let at = |packet: Option<&(u64, E)>| packet.map_or(0, |(at, _)| *at);
        Ok(Trace { start_ns: at(packets.first()), end_ns: at(packets.last()), packets })
    }

    /// Starts at an instant before the first packet: clocks of monitors read zero then.
    ///
    /// # Panics
    ///
    /// If the first packet, or the end, is earlier.
    #[must_use]
    pub fn starting_at(mut self, start: Duration) -> Self {
        self.start_ns = nanoseconds(start);
        let first = self.packets.first().map_or(self.start_ns.max(self.end_ns), |(at, _)| *at);
        assert!(self.start_ns <= first, "the trace has packets before its start");
        self.end_ns = self.end_ns.max(self.start_ns);
        self
    }

    /// Ends at an instant after the last packet: until then, nothing else was seen.
    ///
    /// # Panics
    ///
    /// If the last packet, or the start, is later.
    #[must_use]
    pub fn ending_at(mut self, end: Duration) -> Self {
        self.end_ns = nanoseconds(end);
        let last = self.packets.last().map_or(self.start_ns, |(at, _)| *at);
        assert!(last <= self.end_ns, "the trace has packets after its end");
        self
    }

    /// When the trace begins: the clocks of a monitor read zero then.
    #[must_use]
    pub fn start(&self) -> Duration {
        Duration::from_nanos(self.start_ns)
    }

    /// The packets with their instants.
    pub fn packets(&self) -> impl Iterator<Item = (Duration, &E)> {
        self.packets.iter().map(|(at, event)| (Duration::from_nanos(*at), event))
    }
}

impl<E: fmt::Debug> Trace<E> {
    /// The packets around one, each with its number and its instant since the start; the one is marked.
    #[must_use]
    pub fn around(&self, packet: usize) -> String {
        let (first, last) = (packet.saturating_sub(3).max(1), (packet + 2).min(self.packets.len()));
        let lines = (first..=last).map(|number| {
            let (at, event) = &self.packets[number - 1];
            let mark = if number == packet { ">" } else { " " };
            let since_start = Duration::from_nanos(at - self.start_ns);
            format!("{mark} {number:>5}  {:>12}  {event:?}\n", format!("{since_start:?}"))
        });
        lines.collect()
    }
}

/// A monitor's verdict on a whole trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// The number of the packet, or one more than there are for the end.
    rejected: Option<(usize, Rejection)>,
    packets: usize,
}

impl Validation {
    /// Whether the monitor accepts the trace.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.rejected.is_none()
    }

    /// The number of the packet at which the monitor rejects, from 1; for a rejected end one more than there are.
    #[must_use]
    pub fn rejected_at(&self) -> Option<usize> {
        self.rejected.as_ref().map(|(packet, _)| *packet)
    }

    /// Why the monitor rejects.
    #[must_use]
    pub fn rejection(&self) -> Option<&Rejection> {
        self.rejected.as_ref().map(|(_, rejection)| rejection)
    }

    /// The verdict in words, with the packets around the rejected one.
    #[must_use]
    pub fn text<E: fmt::Debug>(&self, trace: &Trace<E>) -> String {
        match self.rejected_at() {
            None => format!("{self}\n"),
            Some(packet) => format!("{self}\n\n{}", trace.around(packet)),
        }
    }
}

/// The verdict in words, without the packets.
impl fmt::Display for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rejected {
            None => write!(f, "all {} packets are accepted", self.packets),
            Some((packet, rejection)) if *packet > self.packets => write!(f, "at the end of the trace, {rejection}"),
            Some((packet, rejection)) => write!(f, "at packet {packet}, {rejection}"),
        }
    }
}

impl<E: fmt::Debug> Monitor<E> {
    /// Whether the trace is one that the monitor accepts, and if not, at which packet and why. The trace is what the
    /// device itself saw; for one of another observer, see [`Sniffer`](super::Sniffer).
    #[must_use]
    pub fn validate(&self, trace: &Trace<E>) -> Validation {
        let mut run = Run::new(self, Duration::from_nanos(trace.start_ns));
        let mut rejected = None;
        for (index, (at, event)) in trace.packets().enumerate() {
            if let Err(rejection) = run.step(event, at) {
                rejected = Some((index + 1, rejection));
                break;
            }
        }
        let packets = trace.packets.len();
        if rejected.is_none() {
            rejected = run.finish(Duration::from_nanos(trace.end_ns)).err().map(|rejection| (packets + 1, rejection));
        }
        Validation { rejected, packets }
    }
}
