#[netcheck::model_check(tcp(buffer = 0))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
