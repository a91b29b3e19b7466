#[netcheck::model_check(udp(copies = []))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
