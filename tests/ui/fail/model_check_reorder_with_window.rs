#[netcheck::model_check(udp(reorder = 2, window = 2))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
