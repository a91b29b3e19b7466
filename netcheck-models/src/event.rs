//! The events of the network in a step, as a closed enum.
//!
//! An event is created where the outcome is decided, and nowhere else: displays and searches read the events of a step.
//! An event describes what happened to one component, but does not name the component.
//!
//! The *position* of a datagram is its index among the packets in flight before the step, in the order of
//! [`Link::packets`](crate::udp::Link::packets), from 0 on. So datagrams with the same content are told apart.

use serde::{Deserialize, Serialize};

/// An event of a component of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A datagram is in flight, behind all others.
    Departed,
    /// A datagram is in flight to an address at which no socket is bound; one may be bound there by the time that it
    /// arrives.
    Astray,
    /// A datagram is sent to an address at which no socket is bound: it is dropped at once.
    Unbound,
    /// The number of copies of the datagram that is sent, where the network decides it at once: 0 if it is lost.
    Multiplied {
        /// How many copies are under way.
        copies: u32,
        /// The faults that this costs.
        #[serde(default, skip_serializing_if = "is_zero")]
        faults: u32,
    },
    /// A datagram arrives.
    Arrived {
        /// The position of the datagram.
        position: u32,
    },
    /// A datagram that was peeked at is returned again, by another peek or by a receive.
    Kept,
    /// A datagram has arrived at an address before a socket was bound there, and is gone.
    Unheard {
        /// The position of the datagram.
        position: u32,
    },
    /// A datagram has not arrived, and cannot arrive any more.
    Lost {
        /// The position of the datagram.
        position: u32,
        /// 0 if the fault was counted when the datagram was overtaken.
        #[serde(default, skip_serializing_if = "is_zero")]
        faults: u32,
    },
    /// The datagram that arrives has arrived before.
    Duplicated {
        /// The number of the arrival: 2 is the second.
        copy: u8,
        /// The faults of this copy and of the copies that must follow it.
        #[serde(default, skip_serializing_if = "is_zero")]
        faults: u32,
    },
    /// The datagram that arrives was sent after one that has not arrived yet, and still may.
    Overtook {
        /// The position of the datagram that was overtaken.
        position: u32,
        /// 0 if it had been overtaken before.
        #[serde(default, skip_serializing_if = "is_zero")]
        faults: u32,
    },
    /// A connect is under way.
    Dialed,
    /// A segment from an end of a connection arrives at the other.
    Came {
        /// Its contents.
        brought: Brought,
    },
    /// A connect has come to a listener whose backlog is full, and waits there.
    Waits,
    /// The network decides how long a segment takes.
    Delayed {
        /// The time that it takes.
        ns: u64,
    },
    /// A connection was made; it waits to be accepted.
    Connected,
    /// A connection was accepted.
    Accepted,
    /// A connect failed: no socket listens at the address, or no host has it.
    Refused,
    /// A connect is never answered, although it could be.
    Hung,
    /// Bytes were read.
    Read {
        /// The number of bytes.
        bytes: u64,
        /// The number of further bytes that could have been read: a short read, or one with a small buffer.
        #[serde(default, skip_serializing_if = "is_none_left")]
        left: u64,
    },
    /// Bytes were written.
    Wrote {
        /// The number of bytes.
        bytes: u64,
        /// The number of bytes that were not accepted: a short write.
        #[serde(default, skip_serializing_if = "is_none_left")]
        left: u64,
    },
    /// A read came to the end of the stream.
    Ended,
    /// The writing side of a stream was shut down.
    Finished,
    /// A call reports that its connection was broken before.
    Broken,
    /// A call fails although it need not: the declared failure of such calls.
    Failed,
    /// A call fails although it need not, and what it was about goes on as if it had not been made.
    FailedAlone,
    /// A call meets a reset although it need not, whatever call it is.
    Reset,
    /// Links between hosts are cut.
    Cut,
    /// A cut heals.
    Healed,
    /// A datagram is sent over a link that is cut: it is lost at once.
    CutOff,
    /// A process was killed.
    Crashed,
    /// The host of a process lost its power.
    Silenced,
    /// A process that had crashed started again.
    Restarted,
    /// A timer fired.
    Fired {
        /// The time that passed before it fired.
        after_ns: u64,
    },
    /// It is as late as the next timers say, and none of them has fired yet.
    Passed {
        /// The time that passed.
        ns: u64,
    },
}

/// The contents of a segment of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "brings", rename_all = "snake_case")]
pub enum Brought {
    /// A connect.
    Connect,
    /// The answer of a listener.
    Answer,
    /// The answer that no socket listens.
    Refusal,
    /// Bytes.
    Bytes {
        /// Their number.
        bytes: u64,
    },
    /// The end of the stream.
    End,
    /// A reset.
    Reset,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(faults: &u32) -> bool {
    *faults == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_none_left(count: &u64) -> bool {
    *count == 0
}

/// A message of a program, by what it does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Message {
    /// A datagram is sent, or bytes are written to a stream.
    Written,
    /// A datagram is received, or bytes are read from a stream.
    Read,
}

impl Event {
    /// The message that a program writes or reads. The end of a stream is none, nor is a datagram that was read before
    /// and only peeked at.
    #[must_use]
    pub fn message(&self) -> Option<Message> {
        match self {
            Event::Departed | Event::Astray | Event::Unbound | Event::CutOff => Some(Message::Written),
            Event::Wrote { bytes, .. } => (*bytes > 0).then_some(Message::Written),
            Event::Arrived { .. } => Some(Message::Read),
            Event::Read { bytes, .. } => (*bytes > 0).then_some(Message::Read),
            _ => None,
        }
    }

    /// The same event, with the positions of packets mapped by `to`.
    #[must_use]
    pub fn moved(self, to: impl FnOnce(u32) -> u32) -> Event {
        match self {
            Event::Arrived { position } => Event::Arrived { position: to(position) },
            Event::Unheard { position } => Event::Unheard { position: to(position) },
            Event::Lost { position, faults } => Event::Lost { position: to(position), faults },
            Event::Overtook { position, faults } => Event::Overtook { position: to(position), faults },
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Event;

    #[test]
    fn an_event_moves_with_the_packet_that_it_speaks_of() {
        let next = |position| position + 1;
        let moved = [
            (Event::Arrived { position: 0 }, Event::Arrived { position: 1 }),
            (Event::Unheard { position: 1 }, Event::Unheard { position: 2 }),
            (Event::Lost { position: 2, faults: 1 }, Event::Lost { position: 3, faults: 1 }),
            (Event::Overtook { position: 3, faults: 0 }, Event::Overtook { position: 4, faults: 0 }),
            (Event::Departed, Event::Departed),
            (Event::Duplicated { copy: 2, faults: 1 }, Event::Duplicated { copy: 2, faults: 1 }),
        ];
        for (before, after) in moved {
            assert_eq!(before.moved(next), after);
        }
    }
}
