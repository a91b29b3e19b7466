#[netcheck::model_check(udp(loss duplication) at_most = 1)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
