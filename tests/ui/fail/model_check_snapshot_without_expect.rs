#[netcheck::model_check(udp(loss), snapshot)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
