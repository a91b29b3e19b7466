#[netcheck::model_check(udp(loss = true))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
