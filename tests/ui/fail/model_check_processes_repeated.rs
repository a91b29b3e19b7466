#[netcheck::model_check(udp(loss, processes = ["client", "client", ""]))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
