#[netcheck::model_check(udp(window = 0))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
