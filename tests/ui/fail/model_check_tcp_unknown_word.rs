#[netcheck::model_check(tcp(opne, latency = 3))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
