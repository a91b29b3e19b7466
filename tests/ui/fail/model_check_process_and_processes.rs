#[netcheck::model_check(udp(loss, process = "client", processes = ["server"]))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
