#[netcheck::model_check(tcp(read, first = 2u32))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
