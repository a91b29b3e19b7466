//! A state that forgets an event, and has no `otherwise`.

#[derive(Debug)]
enum Packet {
    Data(i64),
    Ack(i64),
    Error(String),
}

netcheck::monitor! {
    monitor Forgetful over Packet {
        variable block: 0..=3;
        state idle {
            Packet::Data(n) if *n == block => sent,
            otherwise => reject
        }
        state sent {
            Packet::Ack(_) => idle,
            Packet::Data(_) => sent,
        }
    }
}

fn main() {
    let _ = Forgetful::new();
}
