//! From what was captured to events.

use crate::connections::Connections;
use crate::error::Error;
use crate::frame::Header;
use crate::packet::{Change, Datagram, Packet, Unread};
use crate::trace::CaptureTrace;
use core::time::Duration;
use std::fmt;

/// A packet's payload: by TCP with a header, else by UDP.
pub(crate) type Carried<'c> = (Packet, Option<Header>, &'c [u8]);

type OfDatagram<'f, E> = Box<dyn FnMut(&Datagram<'_>) -> Option<E> + 'f>;
type OfStream<'f, E> = Box<dyn FnMut(&Unread<'_>) -> Option<(usize, Option<E>)> + 'f>;
type OfChange<'f, E> = Box<dyn FnMut(&Packet, Change) -> Option<E> + 'f>;

/// How events are made: of what no function is given for, nothing is.
///
/// Where there is a function for streams or connections, the TCP connections of the file are put together: segments
/// that were sent again, overlap, or came out of order. An event then has the packet with which the last byte that it
/// needs came in order. Urgent data are bytes of the stream like others.
pub struct Decoder<'c, E> {
    carried: Box<dyn Iterator<Item = Carried<'c>> + 'c>,
    lasted: Duration,
    datagrams: Option<OfDatagram<'c, E>>,
    streams: Option<OfStream<'c, E>>,
    connections: Option<OfChange<'c, E>>,
}

impl<E> fmt::Debug for Decoder<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").finish_non_exhaustive()
    }
}

impl<'c, E: fmt::Debug> Decoder<'c, E> {
    pub(crate) fn new(carried: impl Iterator<Item = Carried<'c>> + 'c, lasted: Duration) -> Self {
        Decoder { carried: Box::new(carried), lasted, datagrams: None, streams: None, connections: None }
    }

    /// The event that a datagram is, if a monitor has to see it.
    #[must_use]
    pub fn datagrams(self, event: impl FnMut(&Datagram<'_>) -> Option<E> + 'c) -> Self {
        Decoder { datagrams: Some(Box::new(event)), ..self }
    }

    /// The message with which the unread bytes of a stream begin: how many bytes it takes, and the event that it is, if
    /// a monitor has to see it; none as long as it is not there as a whole. The function is asked again until it says
    /// none, and whenever there are more bytes, or the stream ends with bytes that were not decoded.
    #[must_use]
    pub fn streams(self, message: impl FnMut(&Unread<'_>) -> Option<(usize, Option<E>)> + 'c) -> Self {
        Decoder { streams: Some(Box::new(message)), ..self }
    }

    /// The event that a change of a connection is, if a monitor has to see it.
    #[must_use]
    pub fn connections(self, event: impl FnMut(&Packet, Change) -> Option<E> + 'c) -> Self {
        Decoder { connections: Some(Box::new(event)), ..self }
    }

    /// The events in the order of the file.
    ///
    /// The trace begins with the file's earliest packet and ends with its latest one, whether they are events or not:
    /// for so long nothing else was sent.
    ///
    /// # Errors
    ///
    /// If an event's packet is earlier than the one before it. And where TCP is decoded: if a connection has bytes but
    /// not its first packets, if one side acknowledges what the capture does not have, or if bytes are sent again with
    /// other contents.
    ///
    /// # Panics
    ///
    /// If the function for streams takes no bytes, or more than there are.
    pub fn trace(mut self) -> Result<CaptureTrace<E>, Error> {
        let wants_tcp = self.streams.is_some() || self.connections.is_some();
        let (mut connections, mut events) = (Connections::default(), Vec::new());
        for (packet, tcp, payload) in self.carried {
            let Some(header) = tcp else {
                let event = self.datagrams.as_mut().and_then(|event| event(&Datagram { packet, payload }));
                events.extend(event.map(|event| (packet, event)));
                continue;
            };
            if wants_tcp {
                let segment = Segment { packet, header, payload };
                take(&mut connections, segment, &mut self.streams, &mut self.connections, &mut events)?;
            }
        }
        connections.must_be_whole().map_err(|(number, what)| Error::packet_is(number, what))?;
        CaptureTrace::new(events, self.lasted)
    }
}

#[derive(Clone, Copy)]
struct Segment<'c> {
    packet: Packet,
    header: Header,
    payload: &'c [u8],
}

/// Takes a segment, and adds what events it completes.
fn take<'c, E>(
    connections: &mut Connections<'c>,
    Segment { packet, header, payload }: Segment<'c>,
    streams: &mut Option<OfStream<'_, E>>,
    changes: &mut Option<OfChange<'_, E>>,
    events: &mut Vec<(Packet, E)>,
) -> Result<(), Error> {
    let seen = connections.take(&packet, header, payload).map_err(|(number, what)| Error::packet_is(number, what))?;
    let mut change = |is_so: bool, change: Change, events: &mut Vec<(Packet, E)>| {
        let event = changes.as_mut().filter(|_| is_so).and_then(|event| event(&packet, change));
        events.extend(event.map(|event| (packet, event)));
    };
    change(seen.opened, Change::Opened, events);
    if (seen.has_bytes || seen.has_finished)
        && let Some(half) = connections.half_mut(&packet)
        && let Some(message) = streams
    {
        while let bytes @ [_, ..] = half.unread()
            && let Some((taken, event)) = message(&Unread { packet, bytes, is_finished: half.is_finished() })
        {
            assert!((1..=bytes.len()).contains(&taken), "a message of {taken} of {} bytes", bytes.len());
            half.decoded(taken);
            events.extend(event.map(|event| (packet, event)));
        }
    }
    change(seen.has_finished, Change::Finished, events);
    change(seen.reset, Change::Reset, events);
    Ok(())
}
