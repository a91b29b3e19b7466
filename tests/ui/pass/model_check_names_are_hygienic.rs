//! Names that the expansion uses do not clash with the user's.

#![allow(non_upper_case_globals)]

mod core {}
mod std {}

const checker: usize = 1;
const outcome: usize = 2;

struct Checker;
struct Udp;

#[netcheck::model_check(udp(loss), at_most = checker, max_states = outcome * 1_000)]
fn check(net: &mut netcheck::Network) {
    let _ = (Checker, Udp);
    net.process("client", || async {});
}

pub fn main() {}
