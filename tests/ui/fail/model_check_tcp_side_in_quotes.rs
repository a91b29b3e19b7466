#[netcheck::model_check(tcp(read, side = "client"))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
