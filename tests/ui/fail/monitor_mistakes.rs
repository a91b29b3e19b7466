//! Mistakes of a monitor that show without its types, all at once.

use std::time::Duration;

#[derive(Debug)]
enum Packet {
    Data(i64),
    Ack(i64),
}

netcheck::monitor! {
    monitor Several(limit: Duration) over Packet {
        variable block: 0..=3;
        variable block: bool;
        clock c;
        clock never_reset;
        clock never_compared;
        state idle {
            Packet::Data(n) if *n == block when d <= limit => sent { blocks = *n; block = 1; block = 2; reset e; }
            otherwise => nowhere { reset never_compared; }
        }
        accepting state sent while never_reset <= limit && f <= limit {
            Packet::Ack(_) => idle { reset c; }
            Packet::Data(_) when c > limit => sent,
            otherwise => reject { block = 0; }
        }
        state silent {}
        state unreachable {
            otherwise => unreachable
        }
    }
}

netcheck::monitor! {
    monitor Empty over Packet {}
}

fn main() {
    // The types are there all the same.
    let _ = (Several::new(Duration::ZERO), Empty::new());
}
