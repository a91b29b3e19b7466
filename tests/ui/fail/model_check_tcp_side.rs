#[netcheck::model_check(tcp(read, side = sever))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
