//! Duties of a side of a transfer: RFC 1350 and RFC 1123 section 4.2.3 as monitors. Each transition
//! stands below the sentence that it comes from.
//!
//! They have no clocks, so they watch where packets take time as well: that a time is up is an event of a timer, and how
//! long it was is what the timer was armed for.

use super::program::packet::Packet;
use netcheck::monitor::{IntoMonitor, Observer, Seen};

/// Acts of one side of a transfer, and events that it meets.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// It sends a request, or says which options of one it takes.
    Asks,
    SendsData(i64),
    SendsAck(i64),
    /// It sends an error.
    GivesUp,
    GetsData(i64),
    GetsAck(i64),
    /// It gets an error.
    IsRefused,
    /// It waits for so many milliseconds.
    Waits(i64),
    TimeIsUp,
}

impl Step {
    /// The step of a process in what is seen.
    pub fn of(seen: &Seen<'_>, own: &str) -> Option<Step> {
        match *seen {
            Seen::Departed { process, payload, .. } if process == own => {
                Some(Step::sends(&Packet::parse(payload).ok()?))
            }
            Seen::Arrived { process, payload, .. } if process == own => Step::gets(&Packet::parse(payload).ok()?),
            Seen::Armed { process, after, .. } if process == own => Some(Step::Waits(after.as_millis() as i64)),
            Seen::Fired { process, .. } if process == own => Some(Step::TimeIsUp),
            _ => None,
        }
    }

    /// The step of the side that sends a packet.
    pub fn sends(packet: &Packet) -> Step {
        match *packet {
            Packet::Read(_) | Packet::Write(_) | Packet::OptionAck(_) => Step::Asks,
            Packet::Data { block, .. } => Step::SendsData(block.into()),
            Packet::Ack { block } => Step::SendsAck(block.into()),
            Packet::Error { .. } => Step::GivesUp,
        }
    }

    /// The step of the side that gets a packet.
    pub fn gets(packet: &Packet) -> Option<Step> {
        match *packet {
            // The server's port for requests is no part of the transfer.
            Packet::Read(_) | Packet::Write(_) | Packet::OptionAck(_) => None,
            Packet::Data { block, .. } => Some(Step::GetsData(block.into())),
            Packet::Ack { block } => Some(Step::GetsAck(block.into())),
            Packet::Error { .. } => Some(Step::IsRefused),
        }
    }
}

/// A monitor of the steps of one process.
pub fn of(monitor: impl IntoMonitor<Event = Step>, process: &'static str) -> Observer {
    Observer::new(monitor, move |seen| Step::of(seen, process))
}

netcheck::monitor! {
    /// The side that sends the file.
    pub monitor Sending(last: i64) over Step {
        // The block that was sent last.
        variable block: 0..=last;

        // RFC 1350, 4: "A transfer is established by sending a request …, and receiving a positive reply."
        state opening {
            Step::Asks | Step::Waits(_) | Step::TimeIsUp | Step::GivesUp => opening,
            // "… the positive reply to a write request is an acknowledgment packet with block number 0."
            Step::GetsAck(0) => ready,
            // "… and the first data packet for read."
            Step::SendsData(1) => waiting { block = 1; },
            otherwise => reject
        }
        // RFC 1350, 2: "Each data packet contains one block of data, and must be acknowledged … before the next packet can
        // be sent."
        state ready {
            Step::SendsData(next) if *next == block + 1 => waiting { block = *next; },
            // The timer of the step before; packets that come again.
            Step::GetsAck(_) | Step::Waits(_) | Step::TimeIsUp | Step::GivesUp => ready,
            otherwise => reject
        }
        state waiting {
            Step::GetsAck(acknowledged) if *acknowledged == block && block < last => ready,
            Step::GetsAck(acknowledged) if *acknowledged == block && block == last => done,
            // RFC 1123, 4.2.3.1: "the sender … must never resend the current DAT packet on receipt of a duplicate ACK."
            Step::GetsAck(acknowledged) if *acknowledged != block => waiting,
            // "If a source TID does not match, the packet should be discarded …. An error packet should be sent to the
            // source of the incorrect packet, while not disturbing the transfer." (RFC 1350, 4)
            Step::Waits(_) | Step::GivesUp => waiting,
            // RFC 1350, 2: "If a packet gets lost …, the intended recipient will timeout and may retransmit his last
            // packet."
            Step::TimeIsUp => due,
            Step::IsRefused => done,
            otherwise => reject
        }
        state due {
            Step::SendsData(again) if *again == block => waiting,
            // It has sent the block often enough, and a request that comes late begins another transfer.
            Step::SendsData(1) => waiting { block = 1; },
            otherwise => reject
        }
        // RFC 1350, 6: "The host acknowledging the final DATA packet may terminate its side of the connection on sending the
        // final ACK." So does the sender on getting it.
        state done {
            Step::SendsData(1) => waiting { block = 1; },
            Step::GetsAck(_) | Step::IsRefused | Step::Waits(_) | Step::TimeIsUp | Step::GivesUp => done,
            otherwise => reject
        }
    }
}

netcheck::monitor! {
    /// The side that receives the file.
    pub monitor Receiving(last: i64) over Step {
        // The block that was received last.
        variable block: 0..=last;

        // Its requests, or its Ack of block 0, until the first data is there.
        state receiving {
            Step::Asks | Step::Waits(_) | Step::GivesUp => receiving,
            // RFC 1350, 2: "the recipient … retransmit[s] his last packet (which may be data or an acknowledgment)."
            Step::SendsAck(acknowledged) if *acknowledged == block => receiving,
            Step::TimeIsUp => overdue,
            Step::GetsData(next) if *next == block + 1 && *next < last => received { block = *next; },
            Step::GetsData(next) if *next == block + 1 && *next == last => ending { block = *next; },
            // Data that comes again, or late, to the port of a later transfer.
            Step::GetsData(other) if *other != block + 1 => receiving,
            Step::IsRefused => receiving,
            otherwise => reject
        }
        // It sends its last packet again; or it has done so often enough, and a request that comes late begins another
        // transfer.
        state overdue {
            Step::Asks => receiving,
            Step::SendsAck(acknowledged) if *acknowledged == block => receiving,
            Step::SendsAck(0) => receiving { block = 0; },
            otherwise => reject
        }
        // "… an acknowledgment … before the next packet can be sent."
        state received {
            Step::SendsAck(acknowledged) if *acknowledged == block => receiving,
            otherwise => reject
        }
        // The last block is there.
        state ending {
            Step::SendsAck(acknowledged) if *acknowledged == block => dallying,
            otherwise => reject
        }
        // RFC 1350, 6: "The host sending the final ACK will wait for a while before terminating in order to retransmit the
        // final ACK if it has been lost."
        state dallying {
            // "The acknowledger will know that the ACK has been lost if it receives the final DATA packet again."
            Step::GetsData(again) if *again == block => lost,
            // Other data is none of that.
            Step::GetsData(other) if *other != block => dallying,
            Step::Waits(_) => dallying,
            // A request that was duplicated on its way has begun two transfers: the other one is told that it is none.
            Step::GivesUp => dallying,
            Step::TimeIsUp | Step::IsRefused => over,
            otherwise => reject
        }
        // It has waited "in order to retransmit the final ACK if it has been lost."
        state lost {
            Step::SendsAck(again) if *again == block => dallying,
            // It was the final data of another transfer.
            Step::GivesUp => dallying,
            otherwise => reject
        }
        // A request that comes late begins another transfer.
        state over {
            Step::SendsAck(0) => receiving { block = 0; },
            Step::GetsData(_) | Step::Waits(_) | Step::TimeIsUp | Step::IsRefused => over,
            Step::GivesUp => over,
            otherwise => reject
        }
    }
}

netcheck::monitor! {
    /// How long the client waits before it sends a packet again, and how often it does.
    pub monitor Transmitting(retries: i64) over Step {
        // The milliseconds of the time-out that is running.
        variable patience: 0..=1_024_000;
        // How often the packet was sent again.
        variable again: 0..=retries;

        state fresh {
            Step::Waits(ms) => waiting { patience = *ms; again = 0; },
            otherwise => fresh
        }
        state waiting {
            Step::TimeIsUp => due,
            // Another packet.
            Step::Waits(ms) => waiting { patience = *ms; again = 0; },
            otherwise => waiting
        }
        state due {
            Step::Asks | Step::SendsData(_) | Step::SendsAck(_) if again < retries => retransmitted { again = again + 1; },
            otherwise => reject
        }
        state retransmitted {
            // RFC 1123, 4.2.3.2: "A TFTP implementation MUST use an adaptive timeout", an exponential backoff at the least.
            Step::Waits(longer) if *longer > patience => waiting { patience = *longer; },
            otherwise => reject
        }
    }
}
