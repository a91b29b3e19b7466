#[netcheck::model_check(tcp(split, processes = ["client"], side = client, first = 2))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
