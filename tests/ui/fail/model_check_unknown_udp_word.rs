#[netcheck::model_check(udp(duplicate, corruption))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
