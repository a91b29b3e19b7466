#[netcheck::model_check(udp(copies = [1, "0", N]))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
