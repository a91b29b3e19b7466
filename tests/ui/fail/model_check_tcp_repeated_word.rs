#[netcheck::model_check(tcp(read, side = client, read, side = server), tcp(write))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
