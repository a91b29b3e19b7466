#[netcheck::model_check(udp(reorder = REORDER))]
fn check(net: &mut netcheck::Network) {}

const REORDER: usize = 2;

fn main() {}
