#[netcheck::model_check(tcp(read, process = "client", processes = ["server"]))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
