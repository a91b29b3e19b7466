//! Events that nothing makes of what is seen in a check.

#[derive(Debug)]
struct Packet;

netcheck::monitor! {
    monitor Any over Packet {
        state idle {
            Packet => idle
        }
    }
}

fn main() {
    netcheck::Network::default().monitor(Any::new());
}
