#[netcheck::model_check(loss, udp(delay, at_most = 1))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
