#[netcheck::model_check(udp(direction = send))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
