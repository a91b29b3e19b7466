#[netcheck::model_check(udp(loss, duplication, copies = [1, 0, 2]))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
