//! All that a monitor may have.

use netcheck::monitor::{IntoMonitor, Observe, Observer, Seen, Trace};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub enum Packet {
    Data { block: i64, text: String },
    Ack(i64),
    Error,
}

impl Observe for Packet {
    fn observe(seen: &Seen<'_>) -> Option<Self> {
        seen.emitted().cloned()
    }
}

netcheck::monitor! {
    /// With all that there is.
    #[derive(Debug)]
    pub(crate) monitor Everything(last: i64, texts: Vec<String>, limit: Duration) over Packet {
        variable block: 0..=last;
        variable is_done: bool;
        clock since;
        clock total;

        state idle while total <= limit * 100 && since <= limit * 100 {
            Packet::Data { block: next, text } if *next == block + 1 && texts.contains(text) => sent {
                block = *next;
                is_done = *next == last;
                reset since, total;
            }
            Packet::Data { .. } | Packet::Ack(_) if is_done => idle,
            | Packet::Error => idle,
            otherwise => reject
        }
        accepting state sent while since <= limit {
            Packet::Ack(n @ 0..) if *n == block when since >= limit / 2 && (total < limit * 2) => idle { block = block; }
            Packet::Ack(_) when since == limit => sent { reset since; }
            Packet::Ack(_) => sent,
            Packet::Data { .. } => sent,
            Packet::Error => sent { block = 0; is_done = false; }
        }
    }
}

netcheck::monitor! {
    monitor Small over u8 {
        state only {
            0 => only,
            otherwise => reject,
        }
    }
}

pub fn main() {
    let ms = Duration::from_millis;
    let monitor = Everything::new(2, vec!["text".to_owned()], ms(10)).into_monitor();
    let data = |block| Packet::Data { block, text: "text".to_owned() };
    let validate = |packets: &[(u64, Packet)]| {
        let trace = Trace::new(packets.iter().map(|(at, packet)| (ms(*at), packet.clone()))).unwrap();
        monitor.validate(&trace).rejected_at()
    };
    assert_eq!(validate(&[(0, data(1))]), None);
    assert_eq!(validate(&[(0, data(2))]), Some(1));
    assert_eq!(validate(&[(0, data(1)), (5, Packet::Ack(1)), (6, data(2))]), None);
    assert_eq!(validate(&[(0, data(1)), (4, Packet::Ack(1)), (6, data(2)), (11, data(2))]), Some(4));
    let text = monitor.to_mermaid();
    assert!(text.contains("Packet#58;#58;Ack(n @ 0 ..) if ((*n == block and since >= 5ms)"), "{text}");
    let small = Small::new().into_monitor();
    assert!(small.validate(&Trace::new([(ms(0), 0)]).unwrap()).is_accepted());
    assert_eq!(small.validate(&Trace::new([(ms(0), 1)]).unwrap()).rejected_at(), Some(1));
    let _: Observer = Everything::new(2, Vec::new(), ms(10)).into();
    let _ = Observer::new(Small::new(), |_| None);
}
