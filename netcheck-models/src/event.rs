//! What happens to the network with a step, as data: a closed enum of events.
//!
//! An event is told where the outcome is decided, once; whoever shows, follows or finds a step again reads its
//! events and computes none of them. An event says what happened to one component, not which component that is.
//!
//! The *position* of a datagram is its place among the packets under way before the step, in the order of
//! [`Link::packets`](crate::udp::Link::packets), from 0 on. So datagrams with the same content are told apart.

use serde::{Deserialize, Serialize};

/// What happened to a component of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A datagram is under way, behind all others.
    Departed,
    /// A datagram is under way to where nobody is bound; somebody may be by the time that it arrives.
    Astray,
    /// Nobody is bound where a datagram is sent to: it is dropped at once.
    Unbound,
    /// A datagram arrives.
    Arrived {
        /// Which one.
        position: u32,
    },
    /// A datagram that was looked at before arrives again, for another look or to be taken.
    Kept,
    /// A datagram has arrived where nobody was bound yet, and is gone.
    Unheard {
        /// Which one.
        position: u32,
    },
    /// A datagram has not arrived, and cannot any more.
    Lost {
        /// Which one.
        position: u32,
        /// 0 if it was counted when it was overtaken.
        #[serde(default, skip_serializing_if = "is_zero")]
        faults: u32,
    },
    /// What arrives has arrived before.
    Duplicated {
        /// Which arrival it is: 2 is the second.
        copy: u8,
        /// Those of the copies that must follow are counted with it.
        #[serde(default, skip_serializing_if = "is_zero")]
        faults: u32,
    },
    /// What arrives was sent after a datagram that has not arrived yet, and may still.
    Overtook {
        /// Which one was overtaken.
        position: u32,
        /// 0 if it had been overtaken before.
        #[serde(default, skip_serializing_if = "is_zero")]
        faults: u32,
    },
    /// A connection was made; it waits to be accepted.
    Connected,
    /// A connection was accepted.
    Accepted,
    /// A connect got no connection: nobody listens, or nobody is there.
    Refused,
    /// A connect is never answered, though it need not have come to that.
    Hung,
    /// Bytes were read.
    Read {
        /// How many.
        bytes: u64,
        /// How many more could have been read: a short read, or one with a small buffer.
        #[serde(default, skip_serializing_if = "is_none_left")]
        left: u64,
    },
    /// Bytes were written.
    Wrote {
        /// How many.
        bytes: u64,
        /// How many of those that were to be written were not accepted: a short write.
        #[serde(default, skip_serializing_if = "is_none_left")]
        left: u64,
    },
    /// A read came to the end of the stream.
    Ended,
    /// The writing side of a stream was shut down.
    Finished,
    /// A call was told that its connection had been broken before.
    Broken,
    /// A call fails that need not have failed: the declared failure of such calls.
    Failed,
    /// A call meets a reset under way that need not have happened, whatever call it is.
    Reset,
    /// A timer fired.
    Fired {
        /// The time that passed for it.
        after_ns: u64,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(faults: &u32) -> bool {
    *faults == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_none_left(count: &u64) -> bool {
    *count == 0
}

impl Event {
    /// The same event where a packet stands at another position.
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
