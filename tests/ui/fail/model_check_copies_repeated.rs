#[netcheck::model_check(udp(copies = [1, 0, 1]))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
