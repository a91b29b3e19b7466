#[netcheck::model_check(tcp(read = 2, hang(often)))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
