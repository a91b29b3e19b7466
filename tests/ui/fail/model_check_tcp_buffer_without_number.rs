#[netcheck::model_check(tcp(buffer))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
