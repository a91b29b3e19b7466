#[netcheck::model_check(udp(loss, direction = recieve))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
