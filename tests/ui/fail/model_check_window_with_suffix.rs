#[netcheck::model_check(udp(window = 2u8))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
