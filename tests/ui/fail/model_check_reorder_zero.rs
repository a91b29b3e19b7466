#[netcheck::model_check(udp(reorder = 0))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
