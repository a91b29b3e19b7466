#[netcheck::model_check(tcp())]
fn check(net: &mut netcheck::Network) {}

fn main() {}
