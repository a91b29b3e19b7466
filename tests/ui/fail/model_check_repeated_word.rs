#[netcheck::model_check(udp(loss, delay, loss), at_most = 1, at_most = 2)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
