#[netcheck::model_check(udp)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
