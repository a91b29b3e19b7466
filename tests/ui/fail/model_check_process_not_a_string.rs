#[netcheck::model_check(udp(loss, process = client))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
