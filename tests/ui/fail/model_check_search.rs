#[netcheck::model_check(search = bestfirst)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
