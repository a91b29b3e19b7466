//! Mistakes of a monitor that rustc finds: at the user's own tokens.

#[derive(Debug)]
enum Packet {
    Data(i64),
    Ack(i64),
    Error(String),
}

netcheck::monitor! {
    monitor Types over Packet {
        variable block: 0..=3;
        variable done: bool;
        state idle {
            Packet::Data(n) if *n == blocks => idle { block = true; },
            Packet::Ack(_) => idle { done = 1; },
        }
    }
}

fn main() {
    let _ = Types::new();
}
