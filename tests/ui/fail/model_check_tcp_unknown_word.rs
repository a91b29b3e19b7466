#[netcheck::model_check(tcp(opne))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
