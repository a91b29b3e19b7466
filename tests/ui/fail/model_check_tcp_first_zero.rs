#[netcheck::model_check(tcp(read, first = 0))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
