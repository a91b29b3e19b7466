#[netcheck::model_check(tcp(read, processes = ["client", "client", ""]))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
