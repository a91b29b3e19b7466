#[netcheck::model_check(tcp(open, read))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
