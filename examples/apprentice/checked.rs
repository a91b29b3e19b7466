//! The program on netcheck, and the monitor that watches it.

pub use netcheck as tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use netcheck::check::{Checker, Report, Udp};
use netcheck::monitor::{Observe, Seen};
use program::{ACK, DATA, Version};

/// Acts of the sender, and events that it meets.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Sent(i64),
    Acknowledged(i64),
    TimeIsUp,
}

impl Observe for Step {
    fn observe(seen: &Seen<'_>) -> Option<Self> {
        match *seen {
            Seen::Departed { process: "sender", payload: &[DATA, block], .. } => Some(Step::Sent(i64::from(block))),
            Seen::Arrived { process: "sender", payload: &[ACK, block], .. } => {
                Some(Step::Acknowledged(i64::from(block)))
            }
            Seen::Fired { process: "sender", .. } => Some(Step::TimeIsUp),
            _ => None,
        }
    }
}

netcheck::monitor! {
    /// A block is sent once, and again only when the time is up; the next one only when it is acknowledged.
    pub monitor Sender(blocks: i64) over Step {
        variable block: 0..=blocks;

        state ready {
            Step::Sent(next) if *next == block + 1 => waiting { block = *next; }
            // A copy of an Ack.
            Step::Acknowledged(_) => ready,
            otherwise => reject
        }
        state waiting {
            Step::Acknowledged(n) if *n == block => ready,
            Step::Acknowledged(n) if *n < block => waiting,
            Step::TimeIsUp => due,
            otherwise => reject
        }
        state due {
            Step::Sent(again) if *again == block => waiting,
            otherwise => reject
        }
    }
}

/// Blocks that are sent.
const BLOCKS: u8 = 3;

pub fn check(version: Version, udp: Udp) -> Report {
    Checker::new().udp(udp).check(|net| {
        net.monitor(Sender::new(i64::from(BLOCKS)));
        net.daemon("receiver", || program::receiver("0.0.0.0:4000".to_owned()));
        net.process("sender", move || program::sender("receiver:4000".to_owned(), BLOCKS, version)).after("receiver");
    })
}
