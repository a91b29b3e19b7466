//! Numbers that are only handed on may be any expression.

const FAULTS: usize = 1;

#[netcheck::model_check(
    udp(loss),
    at_most = FAULTS,
    max_states = 1 << 20,
    max_depth = usize::MAX,
    max_memory = FAULTS << 30
)]
fn limits(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

pub fn main() {}
