#[netcheck::model_check(search = faults(seed = 7))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
