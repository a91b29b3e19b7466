#[netcheck::model_check(udp(reorder))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
