#[netcheck::model_check(tcp(buffer = 4 * KIB))]
fn check(net: &mut netcheck::Network) {}

const KIB: usize = 1024;

fn main() {}
